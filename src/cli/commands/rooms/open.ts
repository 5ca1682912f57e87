import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument, UserOption, userArgumentText } from '../../names/arguments.ts'

export function defineRoomOpen(rooms: MeetroomCommand): void {
  const open = rooms
    .command('open')
    .summary('Open a room in the browser')
    .description(
      'Open the link to a room in the browser, as one user or, in an open room, anonymously. On a machine without a browser, prints the link.',
    )
    .addArgument(new RoomArgument())
    .addOption(new UserOption('--as <user>', `join as this user: ${userArgumentText}`))
    .act('waits', async (context, id: string, { as }: { as?: string }) => {
      const { runRoomOpen } = await import('../../links/open-room.ts')
      await runRoomOpen(context, id, as)
    })
  open.addExamples(
    "meetroom rooms open 'name:Weekly sync' --as ada",
    'meetroom --local rooms open 66f1a2b3c4d5e6f708192a3b',
  )
}
