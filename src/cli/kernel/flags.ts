import { type Command, Option } from 'commander'
import { formats } from '../../config/values.ts'
import { suggestHelp, UsageError } from '../../errors.ts'
import { parseDelimiter } from '../input/delimiter.ts'
import { collect, createIntegerParser } from '../input/input.ts'
import type { Context } from './context.ts'
import { readGivenOptions } from './given.ts'
import type { MeetroomCommand } from './meetroom-command.ts'

export function addGlobalFlags<C extends Command>(command: C): C {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(formats))
    .option('--json', 'short for --output json')
    .option('--query <expression>', 'print the part of the JSON that a JMESPath expression selects')
    .option('--columns <names>', 'fields of a table, CSV or TSV, as in id,name')
    .option('--show-tokens', 'show access tokens in tables, CSV, TSV, exports and on a terminal')
    .option('--no-header', 'omit the header of a table, CSV or TSV')
    .option(
      '--delimiter <character>',
      'CSV separator; prints local times, except in exports; “;” also sets a decimal comma',
      parseDelimiter,
    )
    .option('--bom', 'begin CSV with a byte order mark, for Excel; prints local times, except in exports')
    .option('--profile <name>', 'use this profile')
    .option('--all-profiles', 'read from the services of all profiles, and show the profile of each item')
    .option('--allow-incomplete', 'accept a list with fewer items than its total, with a notice')
    .option('--local', 'use the local workspace, on this machine')
    .option('--base-url <url>', 'base URL of the service, as in https://meet.example.com/v1')
    .option(
      '--timeout <duration>',
      'timeout of each request and its --retries, such as 10 or 1m30s (default: 30s)',
    )
    .option(
      '--time-zone <zone>',
      "time zone of dates, reports and tables, such as Europe/Berlin or utc (default: this machine's, for lists utc)",
    )
    .option(
      '--retries <n>',
      'maximum retries of a failed request (default: 2), not counting 429 and 503 in bulk commands',
    )
    .option('--dry-run', 'print each write instead of sending it')
    .option('--curl', 'print the request as a curl command instead of sending it')
    .option('-y, --yes', 'confirm in advance')
    .option('--allow-write', 'allow changes to a protected service')
    .option('--no-audit', 'do not write changes to the audit log')
    .option('-q, --quiet', 'print no notices on standard error')
    .option('--verbose', 'print requests and retries on standard error')
    .option('--no-color', 'print no colors')
    .option('--ascii', 'print symbols in ASCII and never move the cursor')
}

export function addBodyFlags<C extends Command>(
  command: C,
  data = 'fields as a JSON object, from a file or from standard input',
): C {
  return command
    .option(
      '--set <field=value>',
      'set any field, as in a=1 or a.b=1; the value is JSON, or else a string; repeatable',
      collect,
    )
    .option('--data <json|@file|->', data)
}

/** @throws {UsageError} if a required field is missing or the body is empty */
export function requireFields(
  context: Context,
  body: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, string>>,
): void {
  const hint = ['see: ', suggestHelp(...context.command.split(' '))]
  for (const [field, flag] of Object.entries(required))
    if (body[field] === undefined) throw new UsageError(`${flag} is missing`, { hint })
  if (Object.keys(body).length === 0)
    throw new UsageError('no fields given: pass at least one field', { hint })
}

export interface ListFlags {
  limit?: number
  offset?: number
  all?: boolean
  pageSize?: number
  where?: readonly string[]
  search?: string
  sort?: string
  count?: boolean
  countBy?: string
  concurrency?: number | undefined
}

export const matchingRooms = "only rooms that match, as in 'type=private'"
export const matchingMembers = "only members that match, as in 'type=guest'"
export const matchingUsers = "only users that match, as in 'name~^test'"

export const createWhereOption = (description: string) =>
  ['--where <condition>', `${description}; repeatable`, collect] as const

export const searchOption = (items: string, fields: string) =>
  ['--search <text>', `only ${items} with this text anywhere in ${fields}; ignores case and accents`] as const

interface ListFlagTexts {
  where: string
  /** Example of `--sort`. */
  sort?: string
}

export function addPagingFlags<C extends Command>(command: C, texts: ListFlagTexts): C {
  return addListFlags(command, { isPaged: true, ...texts })
}

export function addListFlags<C extends Command>(
  command: C,
  { isPaged = false, where, sort = 'type,-name' }: ListFlagTexts & { isPaged?: boolean },
): C {
  command
    .option(
      '--limit <n>',
      'maximum number of items',
      createIntegerParser('--limit', 1, undefined, {
        hint: isPaged ? 'for all items, pass --all' : 'for all items, omit --limit',
        lineEdit: { before: 'for all items: ', omit: ['--limit'], add: isPaged ? ['--all'] : [] },
      }),
    )
    .option('--offset <n>', 'number of items to skip', createIntegerParser('--offset', 0))
  if (isPaged)
    command
      .option('--all', 'list all items')
      .option('--page-size <n>', 'items per request', createIntegerParser('--page-size', 1))
  return command
    .option(...createWhereOption(where))
    .option('--sort <fields>', `sort by these fields, such as ${sort}; a minus sign means descending`)
    .option('--count', 'print only the number of items')
    .option('--count-by <field>', 'print only the number of items for each value of this field')
}

export interface PaceFlags {
  /** Number of concurrent requests; undefined without `--concurrency`. */
  concurrency?: number | undefined
  rate?: number | undefined
  maxErrors?: number | undefined
  failFast?: boolean | undefined
}

/**
 * Parses a number of requests per second, such as `20`, `20/s` or `0.5`.
 * @throws {UsageError} for other text, for 0, and for numbers of 1,000,000 or more
 */
function parseRate(text: string): number {
  const value = /^\d{1,6}(\.\d+)?$/.test(text.replace(/\/s$/, ''))
    ? Number(text.replace(/\/s$/, ''))
    : Number.NaN
  if (!(value > 0)) throw new UsageError(`--rate must be a number above 0, not “${text}”`)
  return value
}

/** Default initial number of concurrent requests, which stays constant in runs that destroy items. */
export const initialConcurrency = 8

interface ConcurrencyFlag {
  words?: string
  /** False if the concurrency of changes stays at its initial value. */
  adapts?: boolean
}

export function addConcurrencyFlag<C extends Command>(
  command: C,
  { words = 'number of concurrent requests', adapts = true }: ConcurrencyFlag = {},
): C {
  const note = adapts
    ? ` (default: adapts, starts at ${initialConcurrency})`
    : ` (default: ${initialConcurrency}; adapts for reads)`
  const option = new Option('--concurrency <n>', words + note)
  option.argParser(createIntegerParser('--concurrency', 1, 256))
  if (adapts) return command.addOption(option)
  // The default is for the help text only; undefined lets reads adapt their concurrency.
  return command.addOption(option.default(initialConcurrency)).setOptionValue('concurrency', undefined)
}

export function addPaceFlags<C extends Command>(command: C, concurrency?: ConcurrencyFlag): C {
  return addConcurrencyFlag(command, concurrency)
    .option('--rate <n>', 'start at most N requests per second', parseRate)
    .option('--max-errors <n>', 'stop after more than N failures', createIntegerParser('--max-errors', 0))
    .option('--fail-fast', 'stop at the first failure')
}

export interface TargetsFlags extends PaceFlags {
  where?: string[]
  user?: string[]
  max?: number
  ignoreNotFound?: boolean
  /** References such as `name:Maths` that match no item; set only with `--ignore-not-found`. */
  missing?: readonly string[]
}

export const maxOption = [
  '--max <n>',
  'refuse to affect more than N items (required with --yes for more than 20)',
  createIntegerParser('--max', 1),
] as const

export function addSelectionFlags<C extends Command>(
  command: C,
  { where, ...concurrency }: ConcurrencyFlag & { where: string },
): C {
  return addPaceFlags(command.option(...createWhereOption(where)), concurrency).option(...maxOption)
}

export function addRoomSelectionFlags(command: MeetroomCommand): MeetroomCommand {
  command.selectsRooms = 'always'
  // The hint after failures repeats the flags.
  command.hook('preAction', () => void command.setOptionValue('given', readGivenOptions(command)))
  return addSelectionFlags(command, { where: matchingRooms })
}

export function addTargetsFlags<C extends Command>(
  command: C,
  options: ConcurrencyFlag & { where: string },
): C {
  return addSelectionFlags(command, options).option('--ignore-not-found', 'count missing items as done')
}
