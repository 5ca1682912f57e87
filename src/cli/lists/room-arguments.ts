import type { Command } from 'commander'
import { IdArgument, IdOption } from '../input/id-arguments.ts'
import type { Context } from '../kernel/context.ts'
import type { GivenOption } from '../kernel/given.ts'

export const roomArgumentText = "room id, or name:NAME, as in 'name:Weekly sync'"

/** Argument that accepts a room ID or `name:NAME`. The command receives the ID. */
export class RoomArgument extends IdArgument {
  constructor(term = '<room>', description = roomArgumentText) {
    super(term, description, 'room')
  }
}

export function createRoomsArgument(prefix = ''): RoomArgument {
  const text = `${prefix}${roomArgumentText}; repeatable, or - to read ids from standard input`
  return new RoomArgument('[room...]', text)
}

export class RoomOption extends IdOption {
  constructor(flags: string, description: string) {
    super(flags, description, 'room')
  }
}

/** Prefix of a name to look up, or of an ID that itself begins with such a prefix. */
const prefixed = /^(name|id):/

interface RoomFlags extends Record<string, unknown> {
  ignoreNotFound?: boolean
  given?: readonly GivenOption[] | undefined
}

/**
 * Replaces names with IDs in the arguments and flags that are declared as rooms. An ID needs no request. Lines of
 * files and of standard input are always IDs.
 * @throws {UsageError | NotFoundError} for an empty name, and for a name that no room or several rooms have
 */
export async function resolveRooms(
  context: Context,
  command: Command,
  args: readonly unknown[],
): Promise<unknown[]> {
  const isRoom = (i: number) => command.registeredArguments[i] instanceof RoomArgument
  const options = command.options.filter((option) => option instanceof RoomOption)
  const flags = { ...(args.at(-1) as RoomFlags) }
  const given = [
    ...args.filter((_, i) => isRoom(i)),
    ...options.map((option) => flags[option.attributeName()]),
  ].flat()
  if (!given.some((room) => typeof room === 'string' && prefixed.test(room))) return [...args]
  const { RoomFinder } = await import('./find-room.ts')
  const finder = new RoomFinder(context)
  const missing: string[] = []
  const resolved: unknown[] = []
  for (const [i, arg] of args.slice(0, -1).entries()) {
    if (!isRoom(i)) resolved.push(arg)
    else if (Array.isArray(arg))
      resolved.push(await finder.idsOf(arg, flags.ignoreNotFound ? missing : undefined))
    else resolved.push(typeof arg === 'string' ? await finder.idOf(arg) : arg)
  }
  for (const option of options) {
    const room = flags[option.attributeName()]
    if (typeof room !== 'string') continue
    const id = await finder.idOf(room)
    flags[option.attributeName()] = id
    // A command that resumes this run must not look the name up again.
    const spelled = prefixed.test(id) ? `id:${id}` : id
    flags.given = flags.given?.map((each) => (each[0] === option.long ? [each[0], spelled] : each))
  }
  return [...resolved, missing.length > 0 ? { ...flags, missing } : flags]
}
