import type { Command } from 'commander'
import type { Context } from '../kernel/context.ts'
import type { GivenOption } from '../kernel/given.ts'

/** What an argument for a room may be: in every command, as `resolveRooms` goes by the name of the argument. */
export const roomArgumentText = "room id, or name:NAME, as in 'name:Weekly sync'"
export const roomArgument = ['<room>', roomArgumentText] as const
/** Several of them. */
export const roomsArgumentText = `${roomArgumentText}; repeatable, or - to read ids from standard input`

/** Stands before a name that is to be looked up, or before an id that begins like that itself. */
const prefixed = /^(name|id):/

interface RoomFlags {
  room?: unknown
  ignoreNotFound?: boolean
  /** The flags of an import, as they were given. */
  given?: readonly GivenOption[] | undefined
}

/**
 * The arguments of a command with the ids of the rooms that they name: whatever is called `room`, argument or flag. Ids
 * cost no request, and what comes from files or standard input is never taken for a name.
 * @throws {UsageError | NotFoundError | ConflictError} for a name that is empty, or that no room or several rooms have
 */
export async function resolveRooms(
  context: Context,
  command: Command,
  args: readonly unknown[],
): Promise<unknown[]> {
  const isRoom = (i: number) => command.registeredArguments[i]?.name() === 'room'
  const flags = { ...(args.at(-1) as RoomFlags) }
  const rooms = [...args.filter((_, i) => isRoom(i)), flags.room].flat()
  if (!rooms.some((room) => typeof room === 'string' && prefixed.test(room))) return [...args]
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
  if (typeof flags.room === 'string') {
    const id = await finder.idOf(flags.room)
    flags.room = id
    // What resumes a run later must not look the name up again.
    const spelled = prefixed.test(id) ? `id:${id}` : id
    flags.given = flags.given?.map((option) => (option[0] === '--room' ? ['--room', spelled] : option))
  }
  return [...resolved, missing.length > 0 ? { ...flags, missing } : flags]
}
