import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { ProfileArgument } from '../../kernel/profile.ts'
import { setProtected } from './stored-profile.ts'

export function defineProfileUnprotect(profiles: MeetroomCommand): void {
  const unprotect = profiles
    .command('unprotect')
    .summary('Allow changes through a profile again')
    .description('Remove the protection of a profile. Another profile can still protect the same service.')
    .addArgument(new ProfileArgument())
    .act('machine', (context, name: string) => setProtected(context, name, false))
  unprotect.addExamples('meetroom profiles unprotect production')
}
