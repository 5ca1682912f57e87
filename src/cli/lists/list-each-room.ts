import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import type { Tally } from '../pool/tally.ts'
import { listPages } from './list.ts'
import { readTotal } from './paging/list-total.ts'
import { RoomsNotice } from './rooms-notice.ts'

/**
 * Lists all rooms for a command that sends requests for each of them. Announces many rooms.
 * @param tally receives the number of rooms
 */
export async function* listEachRoom(
  context: Context,
  tally: Tally,
  flags: ListFlags,
  client?: Client,
): AsyncGenerator<Item> {
  const notice = new RoomsNotice(context)
  let count = 0
  const pages = await listPages(context, 'listRooms', {}, flags, { ahead: 1, ...(client && { client }) })
  for await (const { items, rest = {} } of pages) {
    count += items.length
    tally.expect(count)
    const total = readTotal(rest)
    tally.estimate(total ?? 0)
    await (total === undefined ? notice.found(count) : notice.expect(total))
    yield* items
  }
}
