import type { DefineAction } from '../../kernel/action.ts'
import { buildBody } from '../../kernel/body.ts'
import { addExamples, requireFields } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument } from '../../names/arguments.ts'
import { runOne } from '../shared/run-one.ts'
import { addUserFlags, settingsFrom, type UserFlags, withEncodedUrl } from './user-fields.ts'

export function defineUserUpdate(users: MeetroomCommand, act: DefineAction): void {
  const update = users
    .command('update')
    .summary('Change a user')
    .description('Change a user. Other fields do not change.')
    .addArgument(new UserArgument())
  addUserFlags(update).action(
    act('writes', async (context, user_id: string, flags: UserFlags) => {
      const given = await buildBody(context, 'updateUser', flags, settingsFrom(flags))
      const body = withEncodedUrl(given, flags)
      requireFields(context, body, {})
      await runOne(context, 'updateUser', { params: { user_id }, body })
    }),
  )
  addExamples(update, 'meetroom users update ada --profile-url https://example.com/ada.png')
}
