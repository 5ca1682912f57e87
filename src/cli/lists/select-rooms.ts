import { omitUndefined } from '../../api/defined.ts'
import { createFlagConflict } from '../../api/flag-conflict.ts'
import { IncompleteError, UsageError } from '../../errors.ts'
import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { type Item, readField, views } from '../output/views/views.ts'
import { openSelection } from './open-selection.ts'
import { readList } from './read-list.ts'

export interface RoomFlags {
  where?: readonly string[]
  allRooms?: boolean
}

export interface SelectedRooms {
  rooms: readonly Item[]
  incomplete?: IncompleteError
}

/** Error for a command that needs rooms, but selects none. */
export class NoRoomsError extends UsageError {
  constructor(ways: string) {
    super(`no rooms given: pass ${ways} or --all-rooms`)
  }
}

/** @throws {UsageError} unless there are either IDs or `--all-rooms` */
export function requireRooms(ids: readonly string[], allRooms = false): void {
  if (ids.length > 0 && allRooms) throw createFlagConflict('room IDs', '--all-rooms')
  if (ids.length === 0 && !allRooms) throw new NoRoomsError('room IDs')
}

/**
 * Reads the selected rooms, without requests for given IDs. Returns an incomplete list with the error.
 * @throws {UsageError} unless rooms are selected in exactly one way
 */
export async function readRooms(
  context: Context,
  given: readonly string[],
  { where, allRooms = false, ...pace }: RoomFlags & Partial<PaceFlags>,
): Promise<SelectedRooms> {
  const ways = [given.length > 0, where !== undefined, allRooms].filter(Boolean).length
  if (ways === 0) throw new NoRoomsError('room IDs, --where')
  if (ways > 1) throw new UsageError('IDs, --where and --all-rooms cannot be used together')
  if (given.length > 0) return { rooms: (await readIds(given, context.host)).map((id) => ({ id })) }
  const selection = await openSelection(context, 'listRooms', { where, ...pace })
  const rooms: Item[] = []
  try {
    for await (const { items } of readList(context, 'listRooms', {}, { all: true, selection }))
      for (const item of items) rooms.push(pickFields(item))
  } catch (error) {
    if (error instanceof IncompleteError) return { rooms, incomplete: error }
    throw error
  }
  return { rooms }
}

/** Keeps only the needed fields, because full rooms take much memory. */
function pickFields(room: Item): Item {
  const status = readField(views.room, 'status', room)
  const { id, name, type } = room
  const is_terminated = status.known ? status.value === 'terminated' : undefined
  return { id, ...omitUndefined({ name, type, is_terminated }) }
}
