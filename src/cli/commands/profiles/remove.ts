import { localProfile } from '../../../config/selection.ts'
import { withoutProfile } from '../../../config/writer.ts'
import { UsageError } from '../../../errors.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { ProfileArgument } from '../../kernel/profile.ts'
import { confirm } from '../../requests/confirm.ts'

export function defineProfileRemove(profiles: MeetroomCommand): void {
  const remove = profiles
    .command('remove')
    .summary('Delete a profile')
    .description('Delete a profile with its key and settings.')
    .addArgument(new ProfileArgument())
    .act('forgets', async (context, name: string) => {
      context.expectNewProfile()
      if (name === localProfile) throw new UsageError('the profile “local” is built in and cannot be deleted')
      await confirm(context, {
        activity: 'deleting a profile',
        describe: async () => `Delete profile ${name} and its key`,
      })
      await context.changeConfig((config) => withoutProfile(config, name))
      await context.notice(`deleted profile ${name}`)
    })
  remove.alias('rm')
  remove.addExamples('meetroom profiles remove staging')
}
