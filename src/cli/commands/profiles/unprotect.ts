import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { setProtected } from './set-protection.ts'

export function defineProfileUnprotect(profiles: MeetroomCommand, act: DefineAction): void {
  const unprotect = profiles
    .command('unprotect')
    .summary('Allow changes through a profile again')
    .description('Remove the protection of a profile. Another profile can still protect the same service.')
    .argument('<profile>', 'name of the profile')
    .action(act('machine', (context, name: string) => setProtected(context, name, false)))
  addExamples(unprotect, 'meetroom profiles unprotect production')
}
