import type { DefineAction } from '../../kernel/action.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export function defineUserDuplicates(users: MeetroomCommand, act: DefineAction): void {
  const duplicates = users
    .command('duplicates')
    .summary('List users with the same email or the same name')
    .description(
      'List users with the same email or the same name. Case and surrounding white space do not count, and in names neither do accents and the order of words: “Müller, Jörg” and “Joerg Mueller” are the same. Users of one group are listed together, the oldest first; “users merge” merges two of them.',
    )
    .action(
      act('reads', async (context) => {
        const { listDuplicates } = await import('./duplicates/list-duplicates.ts')
        await listDuplicates(context)
      }),
    )
  addExamples(duplicates, 'meetroom users duplicates', 'meetroom users duplicates -o csv > duplicates.csv')
}
