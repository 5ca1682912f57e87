import { counted, listNames, plural, quoteNames } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { InterruptedError, MeetroomError, suggestHelp, UsageError } from '../../errors.ts'
import { looksLikeName } from '../input/unlikely-id.ts'
import type { Context } from '../kernel/context.ts'
import { readList, withoutNotices } from '../lists/read-list.ts'
import { createTwinFinder } from '../matching/match.ts'
import { findRooms } from '../names/item-finder.ts'
import { findRecord } from '../records/records.ts'
import { buildGroupCommand, buildSkipCommand } from './import-command.ts'
import type { ImportPlan } from './prepare.ts'

/** Maximum number of names for separate searches. For more names, all rooms are listed. */
const maxSearches = 5
const maxNamed = 3
/** Number of users after which a list ends, so that a small import into a large service stays fast. */
const maxListed = 10_000

/** Warns about rows without IDs that create another room with an existing name. */
export async function warnAboutNamesakes(context: Context, plan: ImportPlan): Promise<void> {
  const { adapter, checked, flags } = plan
  if (!adapter.createDuplicates || flags.again || flags.resume || context.flags.quiet) return
  const rows = new Map<string, number>()
  if (checked.keyless > 0)
    for await (const batch of checked.readAgain())
      for (const { body } of batch)
        if (body && adapter.keyOf(body) === undefined) increment(rows, toText(body['name']))
  if (rows.size === 0) return
  const rooms = await countRooms(await context.client(), rows).catch(ignoreRefusal(new Map<string, number>()))
  if (rooms.size === 0) return
  const names = [...rooms.keys()]
  const count = names.reduce((sum, name) => sum + (rows.get(name) ?? 0), 0)
  const what = `warning: ${count} of ${counted(checked.shardRows, 'row')} ${plural(count, 'creates', 'create')} another room with an existing name: ${listNames(quoteNames(names), maxNamed)}`
  // With --match name, no two rows and no two rooms may have the same name.
  const isMatchable =
    checked.keyless === checked.rows - checked.invalid &&
    [...rows.values(), ...rooms.values()].every((number) => number === 1)
  await context.notice(
    isMatchable ? [`${what}; skip existing rooms with: `, buildSkipCommand(plan, '--match', 'name')] : what,
  )
}

/**
 * Refuses rows whose rooms are all named instead of identified by ID.
 * @throws {UsageError} with a command that finds the rooms by name
 */
export async function refuseRoomNames(context: Context, plan: ImportPlan): Promise<void> {
  const { adapter, checked, fieldOf, file, flags, valuesOf } = plan
  const rooms = adapter.name === 'members' && !flags.roomIds ? valuesOf('room_id') : []
  if (rooms.length === 0 || !rooms.every(looksLikeName)) return
  const client = await context.client()
  const names = new Map(rooms.map((name) => [name, 1]))
  const found = await countRooms(client, names).catch(ignoreRefusal(new Map<string, number>()))
  if (!rooms.every((name) => found.has(name))) return
  // A service may have such an ID, too.
  if (await findRecord(client, { kind: 'room', id: rooms[0] ?? '' })) return
  const fields = new Map(checked.columns?.map((column) => [column, fieldOf(column)]))
  const shown = listNames(quoteNames(rooms), maxNamed)
  throw new UsageError(`room_id must be the ID of a room, not a name: ${shown}`, {
    hint:
      fields.size === 0
        ? ['find the rooms by name with --group-by name; see: ', suggestHelp('rooms', 'import')]
        : ['find the rooms by name with: ', buildGroupCommand(file, flags.given, fields)],
  })
}

/** Warns about rows that create a user whose ID differs from an existing ID only by leading zeros. */
export async function warnAboutLeadingZeros(context: Context, plan: ImportPlan): Promise<void> {
  const ids = plan.valuesOf('user_id').filter((id) => /^\d+$/.test(id))
  if (plan.adapter.name !== 'users' || ids.length === 0 || context.flags.quiet) return
  const existing = await listNumericUsers(await context.client()).catch(ignoreRefusal([]))
  const exists = new Set(existing)
  const findTwin = createTwinFinder(existing)
  const found = ids.flatMap((id) => {
    const twin = exists.has(id) ? undefined : findTwin(id)
    return twin === undefined ? [] : [`“${id}” (“${twin}” exists)`]
  })
  if (found.length > 0)
    await context.notice(
      `warning: ${counted(found.length, 'user ID differs from an existing ID', 'user IDs differ from existing IDs')} only by leading zeros, which spreadsheets remove: ${listNames(found, maxNamed)}`,
    )
}

async function listNumericUsers(client: Client): Promise<string[]> {
  const ids: string[] = []
  let read = 0
  for await (const { items } of readList(withoutNotices(client), 'listUsers', {}, { all: true })) {
    for (const { user_id } of items) if (/^\d+$/.test(toText(user_id))) ids.push(toText(user_id))
    read += items.length
    if (read >= maxListed) break
  }
  return ids
}

/** Returns a handler of a failed list. A key may have permission to create items, but not to list them. */
function ignoreRefusal<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof MeetroomError && !(error instanceof InterruptedError)) return otherwise
    throw error
  }
}

async function countRooms(client: Client, names: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  if (names.size <= maxSearches)
    for (const name of names.keys()) for (const _ of await findRooms(client, name)) increment(counts, name)
  else
    for await (const { items } of readList(withoutNotices(client), 'listRooms', {}, { all: true }))
      for (const { name } of items) if (names.has(toText(name))) increment(counts, toText(name))
  return counts
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
