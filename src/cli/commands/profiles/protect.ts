import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { ProfileArgument } from '../../kernel/profile.ts'
import { setProtected } from './stored-profile.ts'

export function defineProfileProtect(profiles: MeetroomCommand): void {
  const protect = profiles
    .command('protect')
    .summary('Protect a profile against changes by mistake')
    .description(
      'Protect a profile, such as “local”. Commands that change its service, also through another profile, then need --allow-write. Joining a room is a change.',
    )
    .addArgument(new ProfileArgument())
    .act('machine', (context, name: string) => setProtected(context, name, true))
  protect.addExamples('meetroom profiles protect production')
}
