import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseJson } from '../../../api/json.ts'
import { isSecret } from '../../../api/signature.ts'
import { parseDuration } from '../../../duration.ts'
import { ConditionError, UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'
import { readSecret, webUrl, wholeNumber } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { examples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { type CheckedWebhook, checkWebhook } from './webhook.ts'
import { listenForWebhooks } from './webhook-listener.ts'

interface ListenFlags {
  host: string
  port: number
  secret?: string
  /** In seconds. */
  tolerance?: number
  forwardTo?: string
  exec?: string
  respond?: number
}

interface VerifyFlags {
  headers: string
  secret?: string
  /** In seconds. */
  tolerance?: number
}

const secretFlag = [
  '--secret <secret|@file>',
  'secret that the webhooks are signed with, from a file or, with @-, from standard input',
] as const
const toleranceFlag = '--tolerance <duration>'
const tolerance = (text: string) => parseDuration(text, { least: 1000 }, '--tolerance') / 1000

/** How old a signature that comes in may be, in seconds, as Standard Webhooks has it: an older one may be a replay. */
const defaultTolerance = 300

export function defineWebhooks(webhooks: MeetroomCommand, act: DefineAction): void {
  const listener = webhooks
    .command('listen')
    .summary('Receive webhooks and print them')
    .description('Receive webhooks on this machine; print, validate and verify each one, until ^C.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber('--port', 0, 65535), 4681)
    .option(...secretFlag)
    .option(toleranceFlag, `refuse signatures older than this, as in 60 or 1h (default: 5m)`, tolerance)
    .option('--forward-to <url>', 'forward each event, and return the answer', webUrl('--forward-to'))
    .option('--exec <command>', 'run a program for each event, with the event on standard input; no shell')
    .option('--respond <status>', 'answer every event with this status', wholeNumber('--respond', 200, 599))
    .action(
      act('stays', async (context, flags: ListenFlags) => {
        const printer = await context.printer()
        requireSecret(flags)
        const secret = await signingSecret(flags.secret, context.host)
        const { tolerance = defaultTolerance } = flags
        await listenForWebhooks(context, { ...flags, secret, tolerance, json: printer.printsJson })
      }),
    )
  examples(
    listener,
    'meetroom webhooks listen --port 4681',
    "meetroom webhooks listen --secret @secret.txt --exec 'jq .action'",
  )

  const verify = webhooks
    .command('verify')
    .summary('Check a saved webhook')
    .description('Check the signature and the shape of a webhook saved to files. Contacts no service.')
    .argument('<body-file>', 'file with the body, byte for byte as it came')
    .requiredOption('--headers <file>', 'file with its headers: “Name: value” lines or a JSON object')
    .option(...secretFlag)
    .option(
      toleranceFlag,
      'refuse signatures older than this, as in 60 or 1h (default: of any age)',
      tolerance,
    )
    .action(
      act('machine', async (context, bodyFile: string, flags: VerifyFlags) => {
        const { host } = context
        requireSecret(flags)
        const body = await readText(bodyFile, host)
        const headers = parseHeaderFile(await readText(flags.headers, host))
        const secret = await signingSecret(flags.secret, host)
        const checked = checkWebhook(body, headers, { secret, tolerance: flags.tolerance, now: host.now() })
        await (await context.printer()).facts(facts(checked))
        if (checked.problem) throw new ConditionError(checked.problem)
      }),
    )
  examples(verify, 'meetroom webhooks verify body.json --headers headers.txt --secret @secret.txt')
}

function facts({ id, at, action, valid, signature }: CheckedWebhook) {
  return { webhook_id: id ?? null, timestamp: at ?? null, action: action ?? null, valid, signature }
}

/** @throws {UsageError} for a tolerance of signatures that are not checked */
function requireSecret({ secret, tolerance }: { secret?: string; tolerance?: number }): void {
  if (tolerance !== undefined && secret === undefined)
    throw new UsageError('--tolerance is for signatures, and needs --secret')
}

async function signingSecret(given: string | undefined, host: Host): Promise<string | undefined> {
  const secret = given === undefined ? undefined : await readSecret('--secret', given, host)
  if (secret !== undefined && !isSecret(secret))
    throw new UsageError('not a valid signing secret: expected whsec_ and base64, or any other text')
  return secret
}

async function readText(file: string, host: Host): Promise<string> {
  try {
    return await readFile(resolve(host.cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function parseHeaderFile(text: string): Record<string, string> {
  const pairs = text.trimStart().startsWith('{')
    ? Object.entries(parseObject(text))
    : text.split(/\r?\n/).flatMap((line) => {
        const [, name, value] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? []
        return name === undefined ? [] : [[name, value ?? ''] as const]
      })
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

function parseObject(text: string): object {
  try {
    return parseJson(text) as object
  } catch {
    throw new UsageError('--headers: not valid JSON')
  }
}
