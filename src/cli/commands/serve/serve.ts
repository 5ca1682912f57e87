import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isUrl } from '../../../api/is-url.ts'
import { isLoopback } from '../../../api/loopback.ts'
import { quoteForShell } from '../../../client/request.ts'
import { findProfile } from '../../../config/stored-file.ts'
import { isJson } from '../../../config/values.ts'
import { withKey, withProfile } from '../../../config/writer.ts'
import type { ServiceControl } from '../../../embedded/control/service-control.ts'
import type { RunningService } from '../../../embedded/serve.ts'
import { describeSystemError, suggestElsewhere, UsageError } from '../../../errors.ts'
import { version } from '../../../version.ts'
import { collect, createIntegerParser } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import type { Context } from '../../kernel/context.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { checkProfileName } from '../../kernel/profile.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import { requireHandles } from '../../requests/file-handles.ts'
import { findDataDir } from '../../requests/find-service.ts'
import { createListenError } from '../shared/listening.ts'

interface Flags {
  host: string
  port: number
  dataDir?: string
  ephemeral?: boolean
  control?: string
  apiKeyFile?: string
  allowHost?: string[]
  allowEmbed?: string
  printEnv?: boolean
  saveProfile?: string
  webhookRetryScale: number
  allowPrivateWebhooks?: boolean
}

export function defineServe(serve: MeetroomCommand, act: DefineAction): void {
  serve
    .description('Serve the local workspace over HTTP and WebSocket, for other programs.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <n>',
      'port to listen on; 0 picks a free one',
      createIntegerParser('--port', 0, 65535),
      4680,
    )
    .option('--data-dir <dir>', 'directory of the workspace (default: the same as --local)')
    .option('--ephemeral', 'keep everything in memory')
    .option(
      '--control <file>',
      'with --ephemeral: write a URL and key for local clock, fail, seed and reset to this file',
    )
    .option(
      '--api-key-file <file>',
      'file with the API key, created if missing (default: in the data directory)',
    )
    .option('--allow-host <name>', 'additional host name that the service accepts; repeatable', collect)
    .option(
      '--allow-embed <origin>',
      'allow pages of this origin to embed the room page, as in https://lms.example.com',
      parseOrigin,
    )
    .option('--print-env', 'print the shell commands that point meetroom at this service, without serving')
    .option('--save-profile <name>', 'store base URL and key as a profile')
    .option('--webhook-retry-scale <factor>', 'multiply the pauses between webhook retries', parseFactor, 1)
    .option('--allow-private-webhooks', 'allow webhooks to private and link-local addresses')
    .action(act('stays', (context, flags: Flags) => run(context, flags)))
  addExamples(
    serve,
    'meetroom serve',
    'eval "$(meetroom serve --print-env)"',
    'meetroom serve --ephemeral --port 0 --json',
  )
}

function parseFactor(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (value <= 0) throw new UsageError(`--webhook-retry-scale must be a number above 0, not “${text}”`)
  return value
}

/** Parses an origin: https, or http on this machine, because the page holds an access token. */
function parseOrigin(text: string): string {
  const url = isUrl(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSafe && url.href === `${url.origin}/` && !/[?#]/.test(text)) return url.origin
  throw new UsageError(`--allow-embed must be an https origin, not “${text}”`, {
    hint: 'an origin is scheme, host and port, as in https://lms.example.com',
  })
}

async function run(context: Context, flags: Flags): Promise<void> {
  const { host } = context
  const printer = context.plainPrinter()
  if (flags.ephemeral && flags.dataDir)
    throw new UsageError('--ephemeral and --data-dir cannot be used together')
  if (flags.control !== undefined && !flags.ephemeral)
    throw new UsageError(
      '--control needs --ephemeral, because it can change the clock and delete everything',
      {
        hint: [
          'a workspace on disk can be backed up while it is served: ',
          suggestElsewhere(['local', 'backup', 'workspace.db']),
        ],
      },
    )
  if (flags.saveProfile !== undefined) checkProfileName(flags.saveProfile)
  const dir = flags.ephemeral ? undefined : resolve(host.cwd, await findDataDir(host, flags.dataDir))
  if (flags.printEnv) return printer.data(await formatEnvironment(context, flags, dir), visibleLines)
  requireHandles()

  const controlled =
    flags.control === undefined
      ? undefined
      : await (await import('./control-file.ts')).openControl(context, flags.control)
  const temporary =
    dir === undefined && !flags.apiKeyFile ? await mkdtemp(join(tmpdir(), 'meetroom-')) : undefined
  const keyFile = flags.apiKeyFile
    ? resolve(host.cwd, flags.apiKeyFile)
    : join(temporary ?? dir ?? '', 'api-key')
  try {
    const serving = await start(context, flags, dir, keyFile, controlled?.control)
    try {
      await controlled?.start()
      if (flags.saveProfile !== undefined) await saveProfile(context, flags.saveProfile, serving)
      await announce(context, flags, serving, keyFile)
      await waitForInterrupt(context.interrupt)
      await printer.notice('stopping')
    } finally {
      controlled?.close()
      await serving.close()
    }
  } finally {
    if (temporary) await rm(temporary, { recursive: true, force: true })
  }
}

async function start(
  context: Context,
  flags: Flags,
  dir: string | undefined,
  keyFile: string,
  control: ServiceControl | undefined,
): Promise<RunningService> {
  const { host } = context
  const printer = context.plainPrinter()
  const { serve } = await import('../../../embedded/serve.ts')
  try {
    const serving = await serve({
      dir,
      keyFile,
      host: flags.host,
      port: flags.port,
      hosts: flags.allowHost ?? [],
      webhookRetryScale: flags.webhookRetryScale,
      allowPrivateWebhooks: flags.allowPrivateWebhooks ?? false,
      embedOrigin: flags.allowEmbed,
      userAgent: `meetroom/${version}`,
      machine: host,
      control,
      log: (line) => void printer.notice(`${new Date(host.now()).toISOString()} ${line}`),
    })
    // A client may send the key in a part of a request that is logged.
    context.addSecret(serving.apiKey)
    return serving
  } catch (error) {
    throw createListenError(error, flags.host, flags.port) ?? error
  }
}

/** Prints the base URL of the service and the settings that select it, once the service is ready. */
async function announce(
  context: Context,
  flags: Flags,
  { baseUrl }: RunningService,
  keyFile: string,
): Promise<void> {
  const printer = context.flags.query === undefined ? context.plainPrinter() : await context.printer()
  if (printer.printsJson || isJson(context.flags.json ? 'json' : context.flags.output)) {
    const ready: Printed['serve'] = {
      event: 'ready',
      base_url: baseUrl,
      api_key_file: keyFile,
      pid: context.host.pid,
    }
    await printer.json(ready)
  } else {
    await printer.data(`${baseUrl}\n`, visibleLines)
    await printer.notice('serving; ^C stops it. In another shell:')
    await printer.notice(`  export MEETROOM_BASE_URL=${baseUrl}`)
    await printer.notice(`  export MEETROOM_API_KEY="$(cat ${quoteForShell(keyFile)})"`)
  }
  if (!isLoopback(flags.host.includes(':') ? `[${flags.host}]` : flags.host))
    await printer.notice(`warning: ${flags.host} can be reached from other machines, unencrypted`)
}

/** Returns shell commands that select the service and read the key from its file. */
async function formatEnvironment(context: Context, flags: Flags, dir: string | undefined): Promise<string> {
  if (dir === undefined) throw new UsageError('--print-env and --ephemeral cannot be used together')
  const { findServingProcess } = await import('../../../embedded/running-server.ts')
  const owner = await findServingProcess(dir, context.host.quietly)
  const host = flags.host.includes(':') ? `[${flags.host}]` : flags.host
  if (!owner) await requireFreePort(flags)
  const baseUrl = owner?.base_url ?? `http://${host}:${flags.port}/v1`
  const keyFile = owner?.api_key_file ?? resolve(context.host.cwd, flags.apiKeyFile ?? join(dir, 'api-key'))
  return `export MEETROOM_BASE_URL=${baseUrl}\nexport MEETROOM_API_KEY="$(cat ${quoteForShell(keyFile)})"\n`
}

/**
 * Checks that the port is free. Call it only for a workspace that no process serves.
 * @throws {UsageError} if another program listens on the port
 */
async function requireFreePort({ host, port, dataDir }: Flags): Promise<void> {
  const place = [
    '--host',
    host,
    '--port',
    `${port}`,
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ]
  const hint = ['start ', suggestElsewhere(['serve', ...place]), ' first, then run this again']
  if (port === 0)
    throw new UsageError('with --port 0 the port is not known before the service runs', { hint })
  const { createServer } = await import('node:net')
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) =>
      reject(
        new UsageError(`this workspace cannot be served at ${host}:${port}: ${describeSystemError(error)}`, {
          hint,
        }),
      ),
    )
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

async function saveProfile(
  context: Context,
  name: string,
  { baseUrl, apiKey }: RunningService,
): Promise<void> {
  await context.config.change((config) =>
    withProfile(
      config,
      name,
      withKey(findProfile(config, name), baseUrl, { value: apiKey }, context.host.now()),
    ),
  )
}

function waitForInterrupt(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
