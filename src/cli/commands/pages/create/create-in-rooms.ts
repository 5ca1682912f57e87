import type { BodyOf } from '../../../../api/operation-types.ts'
import type { Operations } from '../../../../api/operations.ts'
import { counted, plural } from '../../../../api/plural.ts'
import type { Context } from '../../../kernel/context.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import type { Item } from '../../../output/views/views.ts'
import { type RoomsFlags, writeToRooms } from '../../../targets/write-to-rooms.ts'

export async function createInRooms(
  context: Context,
  body: BodyOf<Operations['createPages']>,
  { isFromStdin, ...flags }: RoomsFlags & { isFromStdin: boolean },
): Promise<void> {
  const pages = counted(body.length, 'page')
  const write = {
    name: 'createPages',
    input: (room_id: string) => ({ params: { room_id }, body }),
    view: rowKinds.roomsWithPages,
    readFields: ({ pages }: Item) => ({
      page_ids: Array.isArray(pages) ? pages.map((page) => page?.id) : [],
    }),
    activity: 'creating pages in rooms',
    verb: (rooms: number) => `create ${pages} ${plural(rooms, 'in', 'in each of')}`,
    pastTense: (rooms: number) => `created ${pages} ${plural(rooms, 'in', 'in each of')}`,
    isRepeatable: !isFromStdin,
  } as const
  await writeToRooms(context, write, flags)
}
