import { MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { undefinedIfRoomGone } from '../records/look-up.ts'
import { openRun } from '../run/run.ts'
import { PresenceReader } from './presence.ts'
import { RoomsNotice } from './rooms-notice.ts'

/** Counts the people who are connected to any of the rooms; undefined if unknown. */
export async function countPeopleOnline(
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
