import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { toText } from '../../../api/to-text.ts'
import { suggest } from '../../../errors.ts'
import { buildBody } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import { addSelectionFlags, matchingUsers, requireFields, type TargetsFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument } from '../../names/arguments.ts'
import { createRenameOption, requireId } from '../shared/rename.ts'
import { runOne } from '../shared/run-one.ts'
import { addUserFlags, settingsFrom, type UserFlags, withEncodedUrl } from './user-fields.ts'

export function defineUserUpdate(users: MeetroomCommand): void {
  const update = users
    .command('update')
    .summary('Change a user, or all users that match')
    .description(
      'Change a user, or all users that match --where. Other fields do not change. With --where, values accept placeholders for fields of the user, such as {name}. Write {{ and }} for braces. --rename changes names by a pattern. Duplicate names are refused.',
    )
    .addArgument(new UserArgument('[user]'))
    .addOption(createRenameOption())
  addSelectionFlags(addUserFlags(update), { where: matchingUsers }).act(
    'writes',
    async (context, givenId: string | undefined, flags: UserFlags & TargetsFlags & { rename?: string }) => {
      if (flags.where) {
        if (givenId !== undefined) throw createFlagConflict('an ID', '--where')
        const { updateItems } = await import('../../targets/update-items.ts')
        await updateItems(context, 'user', flags, settingsFrom(flags), (body) => withEncodedUrl(body, flags))
        if (flags.name !== undefined || flags.rename !== undefined) await noticeRoomNames(context)
        return
      }
      const user_id = requireId('user', givenId, flags.rename)
      const given = await buildBody(context, 'updateUser', flags, settingsFrom(flags))
      const body = withEncodedUrl(given, flags)
      requireFields(context, body, {})
      await runOne(context, 'updateUser', { params: { user_id }, body })
      if (body.name !== undefined) await noticeRoomNames(context, { user_id, name: toText(body.name) })
    },
  )
  update.addExamples(
    'meetroom users update ada --profile-url https://example.com/ada.png',
    "meetroom users update --where 'name~ 7a$' --rename 's/ 7a$/ 8a/' --dry-run",
  )
}

/** Prints a notice that members keep their own names (API specification, “Endpoints”, rule 2). */
async function noticeRoomNames(context: Context, changed?: { user_id: string; name: string }): Promise<void> {
  if (context.flags.dryRun) return
  const { user_id = '', name = '' } = changed ?? {}
  const command = ['members', 'update', '--all-rooms', '--user', user_id, '--name', name]
  await context.notice([
    'rooms keep the names of their members; ',
    ...(changed
      ? ['to change them: ', suggest(command)]
      : ['“members update --all-rooms --user” changes the names of one user']),
  ])
}
