import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags, PaceFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import type { Tally } from '../run/tally.ts'
import { openSelection } from './open-selection.ts'
import { readTotal } from './paging/list-total.ts'
import { readList } from './read-list.ts'
import { RoomsNotice } from './rooms-notice.ts'

type RoomListFlags = PaceFlags &
  Pick<ListFlags, 'all' | 'pageSize'> & { where?: readonly string[] | undefined }

/**
 * Lists rooms for a command with requests for each room. Prints a notice if there are many rooms.
 * @param tally receives the number of rooms
 */
export async function* listEachRoom(
  context: Context,
  tally: Tally,
  flags: RoomListFlags,
  client?: Client,
): AsyncGenerator<Item> {
  const notice = new RoomsNotice(context)
  let count = 0
  const selection = await openSelection(context, 'listRooms', flags)
  const options = {
    ...flags,
    ahead: 1,
    client,
    selection,
    undecided: 'nothing was changed; retry the command',
  }
  for await (const { items, rest = {} } of readList(context, 'listRooms', {}, options)) {
    count += items.length
    tally.expect(count)
    const total = readTotal(rest)
    tally.estimate(total ?? 0)
    await notice.expect(total, count)
    yield* items
  }
}
