import { counted, plural } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Context } from '../../../kernel/context.ts'
import { readList } from '../../../lists/read-list.ts'
import type { RowOf } from '../../../output/views/rows.ts'
import { formatWhose } from '../../../requests/audit/describe-change.ts'
import { findOrigin } from '../../../requests/find-service.ts'

type ChangeRow = RowOf<'changes'>
type Names = ReadonlyMap<string, string>

/** Replaces user and room IDs in `whose` with current names. Keeps IDs of other services, and unknown IDs. */
export async function nameChanges(context: Context, changes: readonly ChangeRow[]): Promise<ChangeRow[]> {
  const origin = await findOrigin(context)
  const own = changes.filter((change) => change.origin === origin)
  const users = own.some(({ user_id }) => user_id !== null) ? await readNames(context, 'listUsers') : none
  const rooms = own.some(({ room_id }) => room_id !== null) ? await readNames(context, 'listRooms') : none
  const others = changes.filter((change) => change.origin !== null && change.origin !== origin).length
  if (others > 0)
    await context.notice(
      `${counted(others, 'change')} at other services ${plural(others, 'shows', 'show')} IDs instead of names`,
    )
  return changes.map((change) => {
    if (change.origin !== origin) return change
    const nameOf = (names: Names, id: string | null) => (id === null ? null : (names.get(id) ?? id))
    const { user_id, room_id, member_id: member } = change
    return {
      ...change,
      whose:
        formatWhose({ user: nameOf(users, user_id), room: nameOf(rooms, room_id), member }) ?? change.whose,
    }
  })
}

const none: Names = new Map()

async function readNames(context: Context, list: 'listUsers' | 'listRooms'): Promise<Names> {
  const names = new Map<string, string>()
  for await (const { items } of readList(context, list, {}, { all: true }))
    for (const { id, user_id, name } of items) {
      const key = toText(list === 'listUsers' ? user_id : id)
      if (typeof name === 'string' && name !== '') names.set(key, name)
    }
  return names
}
