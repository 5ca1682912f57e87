import { parseHtmlFile } from '../../input/input.ts'
import { addListFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export function defineAuditList(audit: MeetroomCommand): void {
  const list = audit
    .command('list')
    .summary('List the changes in the audit log')
    .description(
      'List the changes in the audit log, newest first, with time, account, command, operation, target and outcome. Also reads rotated files beside the log, including gzip files. Counts damaged lines.',
    )
    .argument('[file...]', 'audit logs of other machines, instead of the log in the settings')
    .option('--since <time>', 'only changes since this time, such as 7d (seven days ago) or yesterday')
    .option('--until <time>', 'only changes before this time')
    .option('--period <period>', 'only changes in this period, such as last-week, 2026-W41 or 2026-10')
    .option('--names', 'show names of users and rooms from the service instead of IDs')
    .option('--html <file>', 'also write an HTML report', parseHtmlFile)
    .actLater('machine', async () => (await import('./list/list-changes.ts')).listChanges)
  addListFlags(list.alias('ls'), {
    where: "only entries that match, as in 'outcome=unknown'",
    sort: 'who,-command',
  })
  list.addExamples(
    "meetroom audit list --where 'what~block' --names",
    'meetroom audit list --since 7d -o csv > week.csv',
    'meetroom audit list --period last-week --names --html week.html',
    "meetroom audit list --where outcome=unknown --where 'command~import'",
    'meetroom audit list --count-by who',
  )
}
