import type { OperationName } from '../../api/endpoints.ts'
import type { InputOf } from '../../api/operations.ts'
import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import { type Hint, MeetroomError, suggest } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags, TargetsFlags } from '../kernel/flags.ts'
import type { GivenOption } from '../kernel/given.ts'
import { PresenceReader } from '../lists/presence.ts'
import { RoomsNotice } from '../lists/rooms-notice.ts'
import { type RowOf, rowKinds } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'
import { undefinedIfRoomGone } from '../records/look-up.ts'
import { previewEach } from '../requests/before-send.ts'
import { describeItems, labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmItems } from '../run/confirm-items.ts'
import { runTasks, type Task } from '../run/print-run.ts'
import { openRun } from '../run/run.ts'
import { readReason } from './member-step.ts'
import { readTargets } from './read-targets.ts'

export interface RoomsFlags extends TargetsFlags {
  /** Flags as typed, for the hint after failures. */
  given?: readonly GivenOption[]
}

interface RoomWrite<N extends OperationName> {
  name: N
  input: (room_id: string) => InputOf<N>
  rows: 'rooms' | 'roomsWithPages'
  readFields?: (response: Item) => Partial<RowOf<'roomsWithPages'>>
  activity: string
  /** Formats the beginning of the confirmation prompt, such as `create 2 pages in`. */
  verb: (rooms: number) => string
  pastTense: (rooms: number) => string
  /** False if a suggested command cannot repeat the write. */
  isRepeatable: boolean
}

/**
 * Sends at most one write to each selected room.
 * @throws {ConfirmationError} if the write is not confirmed
 */
export async function writeToRooms<N extends OperationName>(
  context: Context,
  write: RoomWrite<N>,
  flags: RoomsFlags,
): Promise<void> {
  const { name, input, activity, verb, pastTense } = write
  const view = rowKinds[write.rows]
  const printer = await context.printer()
  printer.check(view, true)
  const names = new Map<string, unknown>()
  const { ids, recheck } = await readTargets(context, {
    ...{ given: [], flags, list: 'listRooms', room: '' },
    onItem: (room) => names.set(String(room['id']), room['name']),
  })
  if (ids.length === 0) return context.notice('no rooms; nothing to do')
  if (context.flags.dryRun) return previewEach(context, ids, (client, id) => client.call(name, input(id)))
  const items = { count: ids.length, nouns: 'rooms', max: flags.max }
  await confirmItems(context, items, {
    activity,
    describe: async () => {
      const labels = ids.slice(0, maxNamed).map((id) => labelItem(id, toText(names.get(id) ?? '')))
      const people = await countPeopleOnline(context, ids, flags)
      const online =
        people === undefined ? 'an unknown number of participants' : counted(people, 'participant')
      return `${verb(ids.length)} ${describeItems(['room', 'rooms'], labels, ids.length)} with ${online} online`
    },
  })
  const tasks = ids.map(
    (id): Task => ({
      todo: async (client: Client) => {
        // Rooms may have changed during the confirmation prompt.
        const reason = context.flags.yes ? undefined : await recheck?.(client, id)
        if (reason !== undefined) return { status: 'skipped', reason }
        return { status: 'ok', value: (await client.call(name, input(id))).value }
      },
      toRows: (ended) => [
        {
          room_id: id,
          room_name: names.get(id),
          status: ended.status,
          reason: readReason(ended),
          ...write.readFields?.(Object(ended.value)),
        },
      ],
    }),
  )
  await runTasks(
    context,
    {
      ...{ tasks, view, key: 'rooms' },
      summarize: (tally) =>
        tally.describe([`${pastTense(tally.count('ok'))} ${counted(tally.count('ok'), 'room')}`]),
      advise: (ended) => advise(context, write, ids, ended, flags),
    },
    flags,
  )
}

/** Counts the people who are connected to any of the rooms; undefined if unknown. */
async function countPeopleOnline(
  context: Context,
  rooms: readonly string[],
  { concurrency, rate }: PaceFlags,
): Promise<number | undefined> {
  await new RoomsNotice(context).expect(rooms.length)
  const run = await openRun(context, { concurrency, rate }, { total: rooms.length })
  const reader = new PresenceReader(context, run.client)
  const read = (id: string) => undefinedIfRoomGone(run.client, id, reader.people(id))
  const people = new Set<string>()
  try {
    for await (const found of run.read(rooms, read)) {
      if (found === null) return undefined
      for (const person of found ?? []) people.add(person)
    }
  } catch (error) {
    // A failed read is ignored, because the number is only information for the confirmation prompt.
    if (!(error instanceof MeetroomError) || context.interrupt.aborted) throw error
    return undefined
  }
  return people.size
}

const maxSuggested = 50

/** Suggests a command only for rooms that certainly did not receive the write. */
function advise<N extends OperationName>(
  context: Context,
  { isRepeatable }: RoomWrite<N>,
  ids: readonly string[],
  ended: readonly Outcome<unknown>[],
  { given = [] }: RoomsFlags,
): Hint {
  const again = 'running the command again would repeat the write in the other rooms'
  const left = ids.filter((_, i) => ['failed', 'unsent'].includes(ended[i]?.status ?? 'unsent'))
  if (
    !isRepeatable ||
    left.length === 0 ||
    left.length > maxSuggested ||
    left.some((id) => /[^\w-]/.test(id))
  )
    return again
  const others = given
    .filter(([flag]) => !['--where', '--profile', '--local', '--base-url'].includes(flag))
    .flat()
  const pattern = `id~^(${left.join('|')})$`
  return [
    `${again}; to write only to the remaining rooms: `,
    suggest([...context.command.split(' '), '--where', pattern, ...others]),
  ]
}
