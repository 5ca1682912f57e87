import { MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { mapAhead } from '../pool/map-ahead.ts'
import { PresenceReader } from './presence.ts'
import { RoomsNotice } from './rooms-notice.ts'
import { undefinedIfNotFound } from './run-one.ts'

const concurrency = 8

/** Counts the people who are connected to any of the rooms; undefined if unknown. */
export async function countPeopleOnline(
  context: Context,
  rooms: readonly string[],
): Promise<number | undefined> {
  await new RoomsNotice(context).expect(rooms.length)
  const reader = new PresenceReader(context, await context.client())
  const people = new Set<string>()
  try {
    for await (const found of mapAhead(rooms, concurrency, (id) => undefinedIfNotFound(reader.people(id)))) {
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
