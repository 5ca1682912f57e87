import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export function defineUserDuplicates(users: MeetroomCommand, act: DefineAction): void {
  const duplicates = users
    .command('duplicates')
    .summary('List users with the same email or the same name')
    .description(
      'List users with the same email or the same name. Letter case and surrounding white space do not count. In names, neither do accents, umlauts written with an e, and the order of words, as in “Mueller, Joerg”. Users of one group are listed together, the oldest first; “users merge” merges two of them.',
    )
    .action(
      act('reads', async (context) => {
        const { listDuplicates } = await import('./duplicates/list-duplicates.ts')
        await listDuplicates(context)
      }),
    )
  addExamples(duplicates, 'meetroom users duplicates', 'meetroom users duplicates -o csv > duplicates.csv')
}
