import { join, resolve } from 'node:path'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { suggest, UsageError } from '../../../errors.ts'
import { describeSystemError } from '../../../files/system-error.ts'
import type { Context } from '../../kernel/context.ts'

interface Flags {
  host: string
  port: number
  dataDir?: string
  apiKeyFile?: string
}

/** @throws {UsageError} without a data directory, or without a usable port or key */
export async function formatEnvironment(
  context: Context,
  flags: Flags,
  dir: string | undefined,
): Promise<string> {
  if (dir === undefined) throw createFlagConflict('--print-env', '--ephemeral')
  const { findServingProcess } = await import('../../../embedded/running-server.ts')
  const owner = await findServingProcess(dir, context.host)
  const host = flags.host.includes(':') ? `[${flags.host}]` : flags.host
  if (!owner) await requireFreePort(flags)
  const baseUrl = owner?.base_url ?? `http://${host}:${flags.port}/v1`
  const keyFile = owner?.api_key_file ?? resolve(context.host.cwd, flags.apiKeyFile ?? join(dir, 'api-key'))
  return `export MEETROOM_BASE_URL=${baseUrl}\nexport MEETROOM_API_KEY="$(cat ${quoteForShell(keyFile)})"\n`
}

async function requireFreePort({ host, port, dataDir }: Flags): Promise<void> {
  const place = [
    '--host',
    host,
    '--port',
    `${port}`,
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ]
  if (port === 0)
    throw createFlagConflict('--print-env', '--port 0', {
      because: 'the port is unknown before the service runs',
      hint: ['start the service, then retry: ', suggest(['serve', ...place])],
    })
  const { createServer } = await import('node:net')
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) =>
      reject(
        new UsageError(
          `the local workspace cannot be served at ${host}:${port}: ${describeSystemError(error)}`,
          {
            hint: 'pass --host and --port of the service that --print-env describes',
          },
        ),
      ),
    )
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}
