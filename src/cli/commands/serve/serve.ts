import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { omitUndefined } from '../../../api/defined.ts'
import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { isUrl } from '../../../api/is-url.ts'
import { isLoopback } from '../../../api/loopback.ts'
import { counted, plural } from '../../../api/plural.ts'
import { quoteForShell } from '../../../api/quote-for-shell.ts'
import { findProfile } from '../../../config/stored-file.ts'
import { isJson } from '../../../config/values.ts'
import { withKey, withProfile } from '../../../config/writer.ts'
import type { ServiceControl } from '../../../embedded/control/service-control.ts'
import type { RunningService } from '../../../embedded/serve.ts'
import { suggest, UsageError } from '../../../errors.ts'
import { requireHandles } from '../../../files/file-handles.ts'
import { resolveOutput } from '../../../files/file-kind.ts'
import { createTemporaryDirectory } from '../../../files/temporary-directory.ts'
import { version } from '../../../version.ts'
import { collect, createDurationParser } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { checkProfileName } from '../../kernel/profile.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { visibleLines } from '../../output/terminal/visible.ts'
import { findDataDir } from '../../requests/find-service.ts'
import { addListenFlags, createListenError, waitForInterrupt } from '../shared/listening.ts'
import { findWorkspaceDir } from '../shared/local-workspace.ts'
import { formatEnvironment } from './environment.ts'
import { createServiceLog, type LogFormat, logFormats, type ServiceLog } from './service-log.ts'

const maxDrainMs = 3_600_000

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
  logFormat: LogFormat
  drainDelay?: number
  drainTimeout?: number
}

export function defineServe(serve: MeetroomCommand): void {
  serve.surplusHint = ([word]) => (word === 'stop' ? 'stop the service with ^C in its terminal' : undefined)
  serve.description('Serve the local workspace over HTTP and WebSocket, for other programs.')
  addListenFlags(serve, 4680)
    .option('--data-dir <dir>', 'data directory (default: of --profile, otherwise as for --local)')
    .option('--ephemeral', 'keep everything in memory')
    .option(
      '--control <file>',
      'with --ephemeral, write a control file for local clock, fail, seed and reset',
    )
    .option(
      '--api-key-file <file>',
      'file with the API key, created if missing (default: in the data directory)',
    )
    .option('--allow-host <name>', 'additional accepted host name; repeatable', collect)
    .option(
      '--allow-embed <origin>',
      'allow pages of this origin to embed the room page, as in https://lms.example.com',
      parseOrigin,
    )
    .option('--print-env', 'print the shell commands that point meetroom at this service, without serving')
    .option('--save-profile <name>', 'store base URL, key and data directory as a profile')
    .option('--webhook-retry-scale <factor>', 'multiply the pauses between webhook retries', parseFactor, 1)
    .option('--allow-private-webhooks', 'allow webhooks to private and link-local addresses')
    .addOption(
      new Option('--log-format <format>', 'format of the log on standard error')
        .choices(logFormats)
        .default('text'),
    )
    .option(
      '--drain-timeout <duration>',
      'maximum time to wait for pending requests while stopping (default: 3s)',
      createDurationParser('--drain-timeout', { most: maxDrainMs }),
    )
    .option(
      '--drain-delay <duration>',
      'time after the stop signal during which the service accepts connections and /readyz returns 503',
      createDurationParser('--drain-delay', { most: maxDrainMs }),
    )
    .act('stays', (context, flags: Flags) => run(context, flags))
  serve.addExamples(
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

/** Origin without characters that can end a value in a Content-Security-Policy or in HTML. */
const originPattern = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?\/?$/i

/**
 * Requires https except on loopback, because the embedding page holds an access token.
 * @throws {UsageError} for other text
 */
function parseOrigin(text: string): string {
  if (originPattern.test(text) && isUrl(text)) {
    const { protocol, hostname, origin } = new URL(text)
    if (protocol === 'https:' || isLoopback(hostname)) return origin
  }
  throw new UsageError(`--allow-embed must be an https origin, not “${text}”`, {
    hint: 'an origin is scheme, host and port, as in https://lms.example.com',
  })
}

async function run(context: Context, flags: Flags): Promise<void> {
  const { host } = context
  const printer = context.plainPrinter()
  if (flags.ephemeral && flags.dataDir) throw createFlagConflict('--ephemeral', '--data-dir')
  if (flags.control !== undefined && !flags.ephemeral)
    throw new UsageError(
      '--control needs --ephemeral, because it can change the clock and delete everything',
      {
        hint: [
          'a workspace on disk can be backed up while it is served: ',
          suggest(['local', 'backup', 'workspace.db']),
        ],
      },
    )
  if (flags.saveProfile !== undefined) await requireOwnProfile(context, flags.saveProfile)
  const dir = flags.ephemeral ? undefined : resolve(host.cwd, await findDirectory(context, flags.dataDir))
  if (flags.printEnv) return printer.data(await formatEnvironment(context, flags, dir), visibleLines)
  requireHandles()
  const log = await createServiceLog(host, printer, flags.logFormat)

  const controlled =
    flags.control === undefined
      ? undefined
      : await (await import('./control-file.ts')).openControl(context, flags.control)
  const isSaved = flags.saveProfile !== undefined
  const temporary =
    dir === undefined && (isSaved || !flags.apiKeyFile)
      ? await createTemporaryDirectory('the API key')
      : undefined
  const keyFile = flags.apiKeyFile
    ? resolveOutput(flags.apiKeyFile, host, 'api-key')
    : join(temporary?.path ?? dir ?? '', 'api-key')
  try {
    // The saved profile names a directory, whose lock shows that the service still runs.
    const lockDir = dir ?? (isSaved ? temporary?.path : undefined)
    const serving = await start(context, flags, log, { dir, lockDir }, keyFile, controlled?.control)
    let cut = 0
    try {
      await controlled?.start()
      if (flags.saveProfile !== undefined) await saveProfile(context, flags.saveProfile, serving, lockDir)
      await announce(context, flags, log, serving, keyFile)
      if (flags.saveProfile !== undefined) await log.say(`stored profile ${flags.saveProfile}`)
      await waitForInterrupt(context.interrupt)
      await log.say('stopping')
    } finally {
      controlled?.close()
      cut = await serving.close()
    }
    if (cut > 0) {
      await log.say(
        `${counted(cut, 'request')} took too long to finish and ${plural(cut, 'was', 'were')} cut off`,
      )
      throw context.interrupt.reason
    }
  } finally {
    await temporary?.remove()
  }
}

/** Without --profile, the profile in use is a client, and does not select the workspace to serve. */
const findDirectory = (context: Context, dataDir: string | undefined) =>
  context.flags.profile === undefined
    ? findDataDir(context.host, dataDir)
    : findWorkspaceDir(context, dataDir)

async function start(
  context: Context,
  flags: Flags,
  log: ServiceLog,
  dirs: { dir: string | undefined; lockDir: string | undefined },
  keyFile: string,
  control: ServiceControl | undefined,
): Promise<RunningService> {
  const { host } = context
  const { serve } = await import('../../../embedded/serve.ts')
  try {
    const serving = await serve({
      ...dirs,
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
      log: log.write,
      drainMs: flags.drainTimeout,
      drainDelayMs: flags.drainDelay,
    })
    // A logged part of a request may contain the key.
    context.addSecret(serving.apiKey)
    return serving
  } catch (error) {
    throw createListenError(error, flags.host, flags.port) ?? error
  }
}

async function requireOwnProfile(context: Context, name: string): Promise<void> {
  checkProfileName(name)
  const profile = findProfile(await context.storedConfig(), name)
  const { base_url = '', protected: isProtected } = profile ?? {}
  const isOwn = base_url === '' || (isUrl(base_url) && isLoopback(new URL(base_url).hostname))
  if (isOwn && isProtected !== true) return
  throw new UsageError(
    `profile ${name} is ${isProtected ? 'protected' : `for ${base_url}`}; nothing was stored`,
    {
      hint: 'pass another name with --save-profile',
    },
  )
}

async function saveProfile(
  context: Context,
  name: string,
  { baseUrl, apiKey }: RunningService,
  dir: string | undefined,
): Promise<void> {
  await context.changeConfig((config) =>
    withProfile(config, name, {
      ...withKey(findProfile(config, name), baseUrl, { value: apiKey }, context.host.now()),
      ...omitUndefined({ data_dir: dir }),
    }),
  )
}
async function announce(
  context: Context,
  flags: { host: string; logFormat: LogFormat },
  log: ServiceLog,
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
    if (flags.logFormat === 'json') await log.say(`serving at ${baseUrl}`)
    else {
      await printer.notice('serving; press ^C to stop. In another shell:')
      await printer.notice(`  export MEETROOM_BASE_URL=${baseUrl}`)
      await printer.notice(`  export MEETROOM_API_KEY="$(cat ${quoteForShell(keyFile)})"`)
    }
  }
  if (!isLoopback(flags.host.includes(':') ? `[${flags.host}]` : flags.host))
    await log.say(`warning: other machines can reach ${flags.host} without encryption`)
}
