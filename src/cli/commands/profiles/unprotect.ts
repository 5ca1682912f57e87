import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { setProtected } from './stored-profile.ts'

export function defineProfileUnprotect(profiles: MeetroomCommand): void {
  const unprotect = profiles
    .command('unprotect')
    .summary('Allow changes through a profile again')
    .description('Remove the protection of a profile. Another profile can still protect the same service.')
    .argument('<profile>', 'name of the profile')
    .act('machine', (context, name: string) => setProtected(context, name, false))
  unprotect.addExamples('meetroom profiles unprotect production')
}
