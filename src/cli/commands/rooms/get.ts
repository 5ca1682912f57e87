import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../names/arguments.ts'
import { runOne } from '../shared/run-one.ts'

export function defineRoomGet(rooms: MeetroomCommand): void {
  const get = rooms
    .command('get')
    .summary('Show a room')
    .description('Show one room.')
    .addArgument(new RoomArgument())
    .act('reads', (context, id: string) => runOne(context, 'getRoom', { params: { id } }))
  get.alias('show')
  get.addExamples(
    "meetroom rooms get 'name:Weekly sync'",
    'meetroom rooms get 66f1a2b3c4d5e6f708192a3b --json',
  )
}
