import { suggestHelp, UsageError } from '../../../errors.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { buildBody } from '../../kernel/body.ts'
import { addExamples, addSelectionFlags, requireFields, type TargetsFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument } from '../../names/arguments.ts'
import { createRenameOption, requireSelection } from '../shared/rename.ts'
import { runOne } from '../shared/run-one.ts'
import { addUserFlags, settingsFrom, type UserFlags, withEncodedUrl } from './user-fields.ts'

interface UpdateFlags extends UserFlags, TargetsFlags {
  rename?: string
}

export function defineUserUpdate(users: MeetroomCommand, act: DefineAction): void {
  const update = users
    .command('update')
    .summary('Change a user, or all users that match')
    .description(
      'Change a user, or all users that match --where. Other fields do not change. With --where, values may contain placeholders for fields of the user, such as {name}; write {{ and }} for braces. --rename changes names by a pattern; names that would meet each other or the name of another user are refused.',
    )
    .addArgument(new UserArgument('[user]'))
    .addOption(createRenameOption())
  addSelectionFlags(addUserFlags(update)).action(
    act('writes', async (context, user_id: string | undefined, flags: UpdateFlags) => {
      if (flags.where) {
        if (user_id !== undefined) throw new UsageError('pass an ID or --where, not both')
        const { updateItems } = await import('../../targets/update-items.ts')
        return updateItems(context, 'user', flags, settingsFrom(flags), (body) => withEncodedUrl(body, flags))
      }
      requireSelection(flags)
      if (user_id === undefined)
        throw new UsageError('missing required argument “user”', {
          hint: ['pass an ID, or choose users with --where; see: ', suggestHelp('users', 'update')],
        })
      const given = await buildBody(context, 'updateUser', flags, settingsFrom(flags))
      const body = withEncodedUrl(given, flags)
      requireFields(context, body, {})
      await runOne(context, 'updateUser', { params: { user_id }, body })
    }),
  )
  addExamples(
    update,
    'meetroom users update ada --profile-url https://example.com/ada.png',
    "meetroom users update --where 'name~ 7a$' --rename 's/ 7a$/ 8a/' --dry-run",
  )
}
