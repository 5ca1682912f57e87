import {
  addConcurrencyFlag,
  addPagingFlags,
  type ListFlags,
  matchingRooms,
  searchOption,
} from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { addStateFlags, readState, type StateFlags } from './room-state.ts'

export function defineRoomList(rooms: MeetroomCommand): void {
  const list = rooms
    .command('list')
    .summary('List rooms')
    .description('List rooms. The embedded service lists the newest first.')
    .option('--name <name>', 'only rooms with exactly this name')
    .option('--layout <layout>', 'only rooms with this layout')
    .option(...searchOption('rooms', 'the name or ID'))
    .act('reads', (context, flags: ListFlags & StateFlags & { name?: string; layout?: string }) => {
      const { name, layout } = flags
      const query = { name, layout, ...readState(flags) }
      return runList(context, 'listRooms', { query }, flags)
    })
  addConcurrencyFlag(addPagingFlags(addStateFlags(list).alias('ls'), { where: matchingRooms }), {
    words: 'number of concurrent requests that read one room each',
  })
  list.addExamples(
    'meetroom rooms list --active',
    'meetroom rooms list --search weekly',
    "meetroom rooms list --where 'online>0'",
    'meetroom rooms list --all -o csv > rooms.csv',
  )
}
