import { type Command, Option } from 'commander'
import { formats } from '../../config/values.ts'
import { type Hint, suggestHelp, UsageError } from '../../errors.ts'
import { IdOption } from '../input/id-arguments.ts'
import { collect, collectParsed, integerParser } from '../input/input.ts'
import type { Context } from './context.ts'
import type { MeetroomCommand } from './meetroom-command.ts'

export function setSurplusHint(command: MeetroomCommand, hint: Hint): void {
  command.surplusHint = hint
}

export function addGlobalFlags<C extends Command>(command: C): C {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(formats))
    .option('--json', 'the same as --output json')
    .option('--query <expression>', 'print what a JMESPath expression selects of the JSON')
    .option('--columns <names>', 'fields to show in a table, CSV or TSV, as in id,name')
    .option('--show-tokens', 'show access tokens in tables, CSV, exports and on a terminal')
    .option('--no-header', 'omit the header of a table, CSV or TSV')
    .option('--profile <name>', 'use this profile')
    .option('--all-profiles', 'read from the services of all profiles, and say which one each item is from')
    .option('--local', 'use the local workspace, on this machine')
    .option('--base-url <url>', 'base URL of the service, as in https://meet.example.com/v1')
    .option(
      '--timeout <duration>',
      'deadline of each call, retries included, as in 10 or 1m30s (default 30s)',
    )
    .option('--retries <n>', 'maximum number of retries of a failed call (default 2)')
    .option('--dry-run', 'show each write instead of sending it')
    .option('--curl', 'show the request as a curl command instead of sending it')
    .option('-y, --yes', 'confirm in advance')
    .option('--allow-write', 'allow changes through a protected profile')
    .option('--no-audit', 'do not record changes in the audit log')
    .option('-q, --quiet', 'print no notices on standard error')
    .option('--verbose', 'say what is sent')
    .option('--no-color', 'print no colours')
    .option('--ascii', 'print symbols in ASCII and never move the cursor')
}

/** Adds a hidden alias. */
export function addAlias<C extends Command>(command: C, name: string): C {
  return command.alias(name)
}

export function addExamples(command: MeetroomCommand, ...lines: string[]): void {
  command.examples = lines
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

export function addBodyFlags<C extends Command>(command: C): C {
  return command
    .option(
      '--set <key=value>',
      'set any field, as in a=1 or a.b=1; the value is JSON, or else a string; repeatable',
      collect,
    )
    .option('--data <json|@file|->', 'fields as a JSON object, from a file or from standard input')
}

/** @throws {UsageError} if a required field is missing or the body is empty */
export function requireFields(
  context: Context,
  body: Readonly<Record<string, unknown>>,
  required: Readonly<Record<string, string>>,
): void {
  for (const [field, flag] of Object.entries(required))
    if (body[field] === undefined)
      throw new UsageError(`${flag} is missing`, {
        hint: ['see: ', suggestHelp(...context.command.split(' '))],
      })
  if (Object.keys(body).length === 0)
    throw new UsageError('nothing to change: give at least one field', {
      hint: ['see: ', suggestHelp(...context.command.split(' '))],
    })
}

export interface ListFlags {
  limit?: number
  offset?: number
  all?: boolean
  pageSize?: number
  where?: readonly string[]
  sort?: string
  count?: boolean
  countBy?: string
  concurrency?: number
}

export const whereOption = [
  '--where <condition>',
  "only items that match, as in 'age>90d'; repeatable",
  collect,
] as const

export function addPagingFlags<C extends Command>(command: C): C {
  return command
    .option('--limit <n>', 'maximum number of items', integerParser('--limit', 1))
    .option('--offset <n>', 'number of items to skip', integerParser('--offset', 0))
    .option('--all', 'list everything, however many pages that takes')
    .option('--page-size <n>', 'items per request', integerParser('--page-size', 1))
    .option(...whereOption)
    .option('--sort <fields>', 'in this order, as in type,-name; a hyphen means descending')
    .option('--count', 'print how many there are instead')
    .option('--count-by <field>', 'print how many there are of each value of a field instead')
}

/** Flags that limit the speed and the failures of a batch. */
export interface PaceFlags {
  concurrency: number
  rate?: number
  maxErrors?: number
  failFast?: boolean
}

/** Parses a number of requests per second. `0.5` is one request every two seconds. */
function parseRate(text: string): number {
  const value = /^\d{1,6}(\.\d+)?$/.test(text.replace(/\/s$/, ''))
    ? Number(text.replace(/\/s$/, ''))
    : Number.NaN
  if (!(value > 0)) throw new UsageError(`--rate takes a number a second above 0, as in 20, not “${text}”`)
  return value
}

export function addConcurrencyFlag<C extends Command>(command: C, words = 'number of requests at once'): C {
  return command.addOption(
    new Option('--concurrency <n>', words).argParser(integerParser('--concurrency', 1, 256)).default(8),
  )
}

export function addPaceFlags<C extends Command>(command: C): C {
  return addConcurrencyFlag(command)
    .option('--rate <n>', 'start at most N per second', parseRate)
    .option('--max-errors <n>', 'stop after N failures', integerParser('--max-errors', 0))
    .option('--fail-fast', 'stop at the first failure')
}

export interface BatchFlags extends PaceFlags {
  where?: string[]
  user?: string[]
  max?: number
  ignoreNotFound?: boolean
  /** Room names on the command line that match no room, if that is not an error. */
  missing?: readonly string[]
}

/** Returns the flag that names a member by the user. */
export function userOption(note = ''): IdOption {
  const text = `the member who is this user, instead of a member id${note}`
  return new IdOption('--user <id>', text, 'user').argParser(
    collectParsed((id) => {
      // Anonymous participants have no user ID.
      if (id === '') throw new UsageError('--user: the user id is empty')
      return id
    }),
  )
}

export const maxOption = [
  '--max <n>',
  'refuse to affect more than N items (required with --yes above 20)',
  integerParser('--max', 1),
] as const

/** Adds the flags of a command whose items `--where` selects. */
export function addSelectionFlags<C extends Command>(command: C): C {
  return addPaceFlags(command.option(...whereOption)).option(...maxOption)
}

export function addBatchFlags<C extends Command>(command: C): C {
  return addSelectionFlags(command).option('--ignore-not-found', 'treat missing items as success')
}
