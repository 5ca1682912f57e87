import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { setProtected } from './stored-profile.ts'

export function defineProfileProtect(profiles: MeetroomCommand): void {
  const protect = profiles
    .command('protect')
    .summary('Protect a profile against changes by mistake')
    .description(
      'Protect a profile, such as “local”. Commands that change its service, also through another profile, then need --allow-write. Joining a room is a change.',
    )
    .argument('<profile>', 'name of the profile')
    .act('machine', (context, name: string) => setProtected(context, name, true))
  protect.addExamples('meetroom profiles protect production')
}
