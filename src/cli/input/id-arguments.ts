import { Argument, type Command, Option } from 'commander'
import { suggest, suggestHelp, UsageError } from '../../errors.ts'
import { trimWhiteSpace } from './white-space.ts'

const listCommands = {
  room: ['rooms', 'list'],
  user: ['users', 'list'],
  member: ['members', 'list', '--all-rooms'],
  delivery: ['webhooks', 'deliveries'],
} as const

type IdKind = keyof typeof listCommands

export class IdArgument extends Argument {
  constructor(
    term: string,
    description: string,
    readonly kind: IdKind,
    readonly readsStdin = term.includes('...'),
  ) {
    super(term, description)
  }
}

export class IdOption extends Option {
  constructor(
    flags: string,
    description: string,
    readonly kind: IdKind,
  ) {
    super(flags, description)
  }
}

/**
 * Checks the IDs in the arguments and flags of a command.
 * @returns the arguments and the flags, without carriage returns at the end of IDs
 * @throws {UsageError} for a malformed ID, a placeholder or an unexpected `-`
 */
export function checkIds(command: Command, args: readonly unknown[]): unknown[] {
  const flags = { ...(args.at(-1) as Record<string, unknown>) }
  for (const option of command.options) {
    const name = option.attributeName()
    if (!(option instanceof IdOption) || !Object.hasOwn(flags, name)) continue
    if ([flags[name]].flat().includes('-')) throw stdinNotReadError(`${option.long}`, option.kind)
    flags[name] = checkEach(`${option.long}`, option.kind, flags[name])
  }
  const positionals = args.slice(0, -1).map((arg, i) => {
    const argument = command.registeredArguments[i]
    // Hints write the names of arguments in place of their values.
    if (arg === argument?.name().toUpperCase())
      throw new UsageError(`“${arg}” is a placeholder; replace it with a value`)
    if (!(argument instanceof IdArgument)) return arg
    if (arg === '-' && !argument.readsStdin) throw stdinNotReadError(argument.name(), argument.kind)
    if (Array.isArray(arg)) checkCommas(argument.name(), arg)
    return checkEach(argument.name(), argument.kind, arg)
  })
  return [...positionals, flags]
}

function checkCommas(label: string, ids: readonly unknown[]): void {
  const [id, ...others] = ids
    .slice(0, -1)
    .filter((each) => typeof each === 'string' && /^[^\s:,]+,$/.test(each))
    .map(String)
  if (id === undefined) return
  throw new UsageError(
    `${label}: “${id}” ends with a comma, but IDs are separated by spaces`,
    others.length === 0 ? { correction: [id, id.slice(0, -1)] } : {},
  )
}

function stdinNotReadError(label: string, kind: IdKind): UsageError {
  return new UsageError(`${label}: “-” is not an ID, and this command reads no IDs from standard input`, {
    hint: ['pass an ID; list the IDs with: ', suggest([...listCommands[kind], '-o', 'ids'])],
  })
}

function checkEach(label: string, kind: IdKind, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => checkEach(label, kind, each))
  return typeof value === 'string' ? checkId(label, kind, value) : value
}

/** @throws {UsageError} for a time of day, JSON, or the line below the titles of a table */
export function refuseOtherText(label: string, id: string): void {
  if (/^\d{1,2}:\d\d(:\d\d)?$/.test(id)) throw new UsageError(`${label}: “${id}” is a time, not an ID`)
  const isTable = /^[\u2500-\u257f ]+$/.test(id)
  if (isTable || /^[[{]\s*["{[]/.test(id))
    throw new UsageError(
      `${label}: “${id.slice(0, 40)}” is ${isTable ? 'part of a table' : 'JSON'}, not an ID`,
      {
        hint: 'print only the IDs of a list with -o ids',
      },
    )
}

/**
 * Removes final carriage returns, which come from lines of Windows files.
 * @throws {UsageError} if an ID, not a name, begins or ends with other white space
 */
export function checkId(label: string, kind: IdKind, given: string): string {
  const id = given.replace(/(?<=[^\r])\r+$/, '')
  // An exact name may end with a space.
  const isName = (kind === 'room' || kind === 'user') && id.startsWith('name:')
  if (isName) return id
  refuseOtherText(label, id)
  if (trimWhiteSpace(id) === id) return id
  throw new UsageError(`${label}: “${given}” has white space around it`, {
    hint: ['remove the white space; for an ID with white space, see: ', suggestHelp('api')],
  })
}
