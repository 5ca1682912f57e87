import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { ProfileArgument } from '../../kernel/profile.ts'

export function defineProfileUse(profiles: MeetroomCommand): void {
  const use = profiles
    .command('use')
    .summary('Switch to a profile')
    .description('Make this profile the default for all commands.')
    .addArgument(new ProfileArgument())
    .act('machine', async (context, name: string) => {
      context.expectNewProfile()
      await context.changeConfig((config) => ({
        ...config,
        profile: name,
      }))
      await context.notice(`using profile ${name}`)
    })
  use.addExamples('meetroom profiles use staging', 'meetroom profiles use local')
}
