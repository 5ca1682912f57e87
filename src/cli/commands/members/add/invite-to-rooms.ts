import type { BodyOf } from '../../../../api/operation-types.ts'
import type { Operations } from '../../../../api/operations.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Context } from '../../../kernel/context.ts'
import { type AddFlags, addToRooms, type IfMember } from '../../../targets/add-to-rooms.ts'

export async function inviteToRooms(
  context: Context,
  { user_id, type, ...body }: BodyOf<Operations['addMember']>,
  flags: AddFlags & { ifExists?: IfMember },
): Promise<void> {
  const role = type === undefined || type === null ? '' : ` as ${toText(type)}`
  const count = await addToRooms(
    context,
    {
      user_id: toText(user_id),
      roleIn: () => type ?? null,
      ifExists: flags.ifExists ?? 'skip',
      body,
      activity: 'inviting a user to rooms',
      describe: (user, rooms) => `invite user ${user} to ${rooms}${role}`,
    },
    flags,
  )
  if (count === 0) await context.notice('no rooms; nothing to do')
}
