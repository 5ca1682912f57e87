import type { Command } from 'commander'
import { suggest, UsageError } from '../../errors.ts'
import { withoutSpaceAround } from './white-space.ts'

/** Arguments and flags that hold IDs, by name, each with the command that lists such IDs. */
const idArguments: Readonly<Record<string, readonly string[]>> = {
  room: ['rooms', 'list'],
  user: ['users', 'list'],
  'user-id': ['users', 'list'],
  member: ['members', 'list', 'ROOM'],
}
const idFlags = ['room', 'user', 'as'] as const

/**
 * Checks the IDs among the arguments of a command, and removes trailing carriage returns.
 * @throws {UsageError} if an ID is surrounded by white space, or `-` stands for a single ID
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

function notAnId(what: string, name: string): UsageError {
  return new UsageError(`${what}: “-” is not an ID, and this command reads none from standard input`, {
    hint: ['pass an ID; list them with: ', suggest([...(idArguments[name] ?? []), '-o', 'ids'])],
  })
}

function checked(what: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => checked(what, each))
  return typeof value === 'string' ? checkedId(what, value) : value
}

/** @throws {UsageError} if the ID is surrounded by white space */
export function checkedId(what: string, given: string): string {
  const id = given.replace(/(?<=[^\r])\r+$/, '')
  // An exact room name may end with a space.
  const isName = what.endsWith('room') && id.startsWith('name:')
  if (isName || withoutSpaceAround(id) === id) return id
  throw new UsageError(`${what}: “${given}” has white space around it`, {
    hint: 'remove it; “meetroom api” reaches an ID that has it indeed',
  })
}
