import { user } from '../../../api/resources.ts'
import { addPagingFlags, type ListFlags, matchingUsers, searchOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'

const { descriptions } = user

export function defineUserList(users: MeetroomCommand): void {
  const list = users
    .command('list')
    .summary('List the users of the workspace')
    .description('List the users of the workspace.')
    .option('--email <query>', descriptions.email_search_query)
    .option(...searchOption('users', 'the name, ID or email'))
    .act('reads', (context, flags: ListFlags & { email?: string }) =>
      runList(context, 'listUsers', { query: { email_search_query: flags.email } }, flags),
    )
  addPagingFlags(list.alias('ls'), { where: matchingUsers, sort: 'name,-created_at' })
  list.addExamples(
    'meetroom users list --search jose',
    'meetroom users list --email @example.com',
    'meetroom users list --all -o ids',
  )
}
