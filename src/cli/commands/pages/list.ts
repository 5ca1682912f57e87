import { addPagingFlags, type ListFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { RoomArgument } from '../../names/arguments.ts'

export function definePageList(pages: MeetroomCommand): void {
  const list = pages
    .command('list')
    .summary('List the pages of a room')
    .description(
      'List the pages of a room by their position. Not every service has this operation; exits 6 without it.',
    )
    .addArgument(new RoomArgument())
    .act('reads', async (context, room_id: string, flags: ListFlags) => {
      try {
        await runList(context, 'listPages', { params: { room_id }, query: {} }, flags)
      } catch (error) {
        const { explainMissingList } = await import('./list/explain-missing-list.ts')
        throw await explainMissingList(context, room_id, error)
      }
    })
  addPagingFlags(list.alias('ls'), { where: "only pages that match, as in 'index>4'", sort: '-index' })
  list.addExamples(
    'meetroom pages list 66f1a2b3c4d5e6f708192a3b',
    "meetroom pages list 'name:Weekly sync' -o ids",
  )
}
