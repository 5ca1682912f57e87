import { type Command, Option } from 'commander'
import { formats } from '../../config/values.ts'
import { type Hint, suggestHelp, UsageError } from '../../errors.ts'
import { collect, collected, wholeNumber } from '../input/input.ts'
import type { Context } from './context.ts'
import type { MeetroomCommand } from './meetroom-command.ts'

/** Says what to do about more arguments than a command takes. */
export function hintOnSurplus(command: MeetroomCommand, hint: Hint): void {
  command.surplusHint = hint
}

/** Adds the flags that every command takes. */
export function globalFlags<C extends Command>(command: C): C {
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

/** A further name that works and is not shown. */
export function alias<C extends Command>(command: C, name: string): C {
  return command.alias(name)
}

/** Examples behind the help of a command. */
export function examples(command: MeetroomCommand, ...lines: string[]): void {
  command.examples = lines
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

/** The flags of every create and update: the service has more fields than its document shows. */
export function bodyFlags<C extends Command>(command: C): C {
  return command
    .option(
      '--set <key=value>',
      'set any field, as in a=1 or a.b=1; the value is JSON, or else a string; repeatable',
      collect,
    )
    .option('--data <json|@file|->', 'fields as a JSON object, from a file or from standard input')
}

/** Refuses a body that lacks a field, naming the flag that gives it, or that has no field at all. */
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

/** The paging flags of a list command. */
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

/** Chooses among what a list holds. */
export const whereOption = [
  '--where <condition>',
  "only items that match, as in 'age>90d'; repeatable",
  collect,
] as const

/** Adds the flags that every list takes. */
export function withPaging<C extends Command>(command: C): C {
  return command
    .option('--limit <n>', 'maximum number of items', wholeNumber('--limit', 1))
    .option('--offset <n>', 'number of items to skip', wholeNumber('--offset', 0))
    .option('--all', 'list everything, however many pages that takes')
    .option('--page-size <n>', 'items per request', wholeNumber('--page-size', 1))
    .option(...whereOption)
    .option('--sort <fields>', 'in this order, as in type,-name; a hyphen means descending')
    .option('--count', 'print how many there are instead')
    .option('--count-by <field>', 'print how many there are of each value of a field instead')
}

/** How fast a command over several items runs, and when it stops. */
export interface PaceFlags {
  concurrency: number
  rate?: number
  maxErrors?: number
  failFast?: boolean
}

/** Requests a second: `0.5` is one every other second. */
function perSecond(text: string): number {
  const value = /^\d{1,6}(\.\d+)?$/.test(text.replace(/\/s$/, ''))
    ? Number(text.replace(/\/s$/, ''))
    : Number.NaN
  if (!(value > 0)) throw new UsageError(`--rate takes a number a second above 0, as in 20, not “${text}”`)
  return value
}

/** Adds the number of requests at once. */
export function concurrencyFlag<C extends Command>(command: C, words = 'number of requests at once'): C {
  return command.addOption(
    new Option('--concurrency <n>', words).argParser(wholeNumber('--concurrency', 1, 256)).default(8),
  )
}

/** Adds the flags of every command over several items. */
export function paceFlags<C extends Command>(command: C): C {
  return concurrencyFlag(command)
    .option('--rate <n>', 'start at most N per second', perSecond)
    .option('--max-errors <n>', 'stop after N failures', wholeNumber('--max-errors', 0))
    .option('--fail-fast', 'stop at the first failure')
}

/** What a command over several ids takes, beside the ids. */
export interface ManyFlags extends PaceFlags {
  where?: string[]
  /** Of members: the users that they are. */
  user?: string[]
  max?: number
  ignoreNotFound?: boolean
  /** Names on the command line that no room has, where that is not a failure. */
  missing?: readonly string[]
}

/** Names members by the users that they are. */
export const userOption = [
  '--user <id>',
  'the member who is this user, instead of a member id',
  collected((id) => {
    // Participants without a user are not somebody.
    if (id === '') throw new UsageError('--user: the user id is empty')
    return id
  }),
] as const

/** Limits what a command over several items may affect. */
export const maxOption = [
  '--max <n>',
  'refuse to affect more than N items (required with --yes above 20)',
  wholeNumber('--max', 1),
] as const

/** Adds the flags of a command over what `--where` chooses. */
export function chosenFlags<C extends Command>(command: C): C {
  return paceFlags(command.option(...whereOption)).option(...maxOption)
}

/** Adds the flags of a command over several ids. */
export function manyFlags<C extends Command>(command: C): C {
  return chosenFlags(command).option('--ignore-not-found', 'treat missing items as success')
}
