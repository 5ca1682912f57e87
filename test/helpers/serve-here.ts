import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ServeOptions, serve } from '../../src/embedded/serve.ts'
import { createProcessHost } from '../../src/host.ts'
import { tempDir } from './world.ts'

/** Starts the service in this process, in memory by default. */
export async function serveHere(options: Partial<ServeOptions> = {}) {
  const serving = await serve({
    dir: undefined,
    keyFile: join(tempDir(), 'api-key'),
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    webhookRetryScale: 1,
    allowPrivateWebhooks: false,
    userAgent: 'meetroom/test',
    machine: createProcessHost(),
    log: () => {},
    ...options,
  })
  let closed: Promise<number> | undefined
  const close = () => {
    closed ??= serving.close()
    return closed
  }
  onTestFinished(async () => void (await close()))
  return { ...serving, close, origin: new URL(serving.baseUrl).origin }
}
