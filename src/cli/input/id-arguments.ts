import type { Command } from 'commander'
import { suggest, UsageError } from '../../errors.ts'
import { withoutSpaceAround } from './white-space.ts'

/** The arguments and flags that are IDs, in every command, by their names, each with the command that lists such IDs. */
const idArguments: Readonly<Record<string, readonly string[]>> = {
  room: ['rooms', 'list'],
  user: ['users', 'list'],
  'user-id': ['users', 'list'],
  member: ['members', 'list', 'ROOM'],
}
const idFlags = ['room', 'user', 'as'] as const

/**
 * The arguments of a command, its IDs without the carriage return that a line of a Windows file ends with.
 * @throws {UsageError} for an ID with white space around it: nobody sees that it is another one; for `-` in place of one ID
 */
export function checkIds(command: Command, args: readonly unknown[]): unknown[] {
  const flags = { ...(args.at(-1) as Record<string, unknown>) }
  for (const flag of idFlags) {
    if (!Object.hasOwn(flags, flag)) continue
    if ([flags[flag]].flat().includes('-')) throw notAnId(`--${flag}`, flag === 'as' ? 'user' : flag)
    flags[flag] = checked(`--${flag}`, flags[flag])
  }
  const positionals = args.slice(0, -1).map((arg, i) => {
    const argument = command.registeredArguments[i]
    const name = argument?.name() ?? ''
    if (!Object.hasOwn(idArguments, name)) return arg
    if (arg === '-' && !argument?.description.includes('standard input')) throw notAnId(name, name)
    return checked(name, arg)
  })
  return [...positionals, flags]
}

/** The error for `-` where a command reads no IDs from standard input. */
function notAnId(what: string, name: string): UsageError {
  return new UsageError(`${what}: “-” is not an ID, and this command reads none from standard input`, {
    hint: ['pass an ID; list them with: ', suggest([...(idArguments[name] ?? []), '-o', 'ids'])],
  })
}

function checked(what: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => checked(what, each))
  return typeof value === 'string' ? checkedId(what, value) : value
}

/**
 * An ID as it stands on the command line.
 * @param what it is called: the flag or the argument
 * @throws {UsageError} when there is white space around it
 */
export function checkedId(what: string, given: string): string {
  const id = given.replace(/\r+$/, '')
  // An exact name may end with a blank, and the room must still be found.
  const isName = what.endsWith('room') && id.startsWith('name:')
  if (isName || withoutSpaceAround(id) === id) return id
  throw new UsageError(`${what}: “${given}” has white space around it`, {
    hint: 'remove it; “meetroom api” reaches an ID that has it indeed',
  })
}
