import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export function defineUserDuplicates(users: MeetroomCommand): void {
  const duplicates = users
    .command('duplicates')
    .summary('List users with the same email or the same name')
    .description(
      'List users with the same email or the same name. Ignores letter case and surrounding white space. In names, also ignores accents, umlauts written with an e, and word order, as in “Mueller, Joerg”. Lists the users of each group together, oldest first; “users merge” merges two users.',
    )
    .actLater('reads', async () => (await import('./duplicates/list-duplicates.ts')).listDuplicates)
  duplicates.addExamples('meetroom users duplicates', 'meetroom users duplicates -o csv > duplicates.csv')
}
