import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument } from '../../names/arguments.ts'
import { runOne } from '../shared/run-one.ts'

export function defineUserGet(users: MeetroomCommand): void {
  const get = users
    .command('get')
    .summary('Show a user')
    .description('Show one user. Shows the access token with --show-tokens, and with -o json in a pipe.')
    .addArgument(new UserArgument())
    .act('reads', (context, user_id: string) => runOne(context, 'getUser', { params: { user_id } }))
  get.alias('show')
  get.addExamples('meetroom users get ada')
}
