import { omitUndefined } from '../../api/defined.ts'
import { MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { openPool } from '../run/pool.ts'
import { readInOrder } from '../run/run-items.ts'
import { Tally } from '../run/tally.ts'
import { undefinedIfRoomGone } from './find-item.ts'
import { PresenceReader } from './presence.ts'
import { RoomsNotice } from './rooms-notice.ts'

/** Counts the people who are connected to any of the rooms; undefined if unknown. */
export async function countPeopleOnline(
  context: Context,
  rooms: readonly string[],
  { concurrency, rate }: PaceFlags,
): Promise<number | undefined> {
  await new RoomsNotice(context).expect(rooms.length)
  const pace = omitUndefined({ concurrency, rate })
  const pool = await openPool(context, pace, new Tally(rooms.length, () => ''))
  const reader = new PresenceReader(context, pool.client)
  const read = (id: string) => undefinedIfRoomGone(pool.client, id, reader.people(id))
  const people = new Set<string>()
  try {
    for await (const found of readInOrder(context, pool, rooms, read)) {
      if (found === null) return undefined
      for (const person of found ?? []) people.add(person)
    }
  } catch (error) {
    // Errors of the service are ignored, because the number only informs the user who confirms.
    if (!(error instanceof MeetroomError) || context.interrupt.aborted) throw error
    return undefined
  }
  return people.size
}
