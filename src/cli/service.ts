import { isLoopback } from '../api/loopback.ts'
import type { Transport } from '../api/wire.ts'
import type { Settings } from '../config.ts'
import { UsageError } from '../errors.ts'
import type { Host } from '../host.ts'

/** A transport that may hold something open. */
export type OpenTransport = Transport & { close?(): Promise<void> | void }

/** How the program reaches a service over the network. Tests put the embedded service here. */
export type Connect = (baseUrl: string, host: Host, connections?: number) => Promise<OpenTransport>

/** Where the embedded service would be, if it were served. */
export const localBaseUrl = 'http://127.0.0.1:4680/v1'

/** @throws {UsageError} when nothing names a service */
export function requireBaseUrl(baseUrl: Settings['baseUrl']): string {
  if (baseUrl) return baseUrl.value
  throw new UsageError('no service to talk to', {
    hint: 'name one with: meetroom auth login --base-url URL, or MEETROOM_BASE_URL, or try it without: meetroom --local …',
  })
}

export const connectOverNetwork: Connect = async (baseUrl, host, connections) => {
  if (host.nodeVersion.startsWith('20.')) {
    // Node 20 would spend 85 ms at exit on compiling the WebAssembly of undici's HTTP parser a second time, better.
    const { setFlagsFromString } = await import('node:v8')
    setFlagsFromString('--wasm-tiering-budget=1000000000')
  }
  const { networkTransport } = await import('../api/transport.ts')
  const { origin, hostname } = new URL(baseUrl)
  return networkTransport({
    origin,
    env: host.env,
    direct: isLoopback(hostname),
    ...(connections === undefined ? {} : { connections }),
  })
}

/** Folder of the embedded workspace. */
export async function dataDir(host: Host): Promise<string> {
  return host.env['MEETROOM_DATA_DIR'] || (await host.dirs()).data
}
