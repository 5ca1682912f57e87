import type { DefineAction } from '../../kernel/action.ts'
import { addAlias, addExamples, addListFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { AuditFlags } from './list/list-changes.ts'

export function defineAuditList(audit: MeetroomCommand, act: DefineAction): void {
  const list = audit
    .command('list')
    .summary('List the changes in the audit log')
    .description(
      'List the changes in the audit log, the newest first: when, who, with which command, what, whose, and the outcome. Rotated files beside the log are read, too, also if gzip compressed them. Lines that are damaged are counted.',
    )
    .argument('[file...]', 'audit logs of other machines, in place of the log in the settings')
    .option('--since <time>', 'only changes since then, such as 7d (seven days ago), yesterday or a time')
    .option('--period <period>', 'only changes in this period, such as yesterday, last-week or 2026-10')
    .option('--names', 'show the names of users and rooms, read from the service, in place of IDs')
    .option('--html <file>', 'also write a web page')
    .action(
      act('machine', async (context, files: string[], flags: AuditFlags) => {
        const { listChanges } = await import('./list/list-changes.ts')
        await listChanges(context, files, flags)
      }),
    )
  addListFlags(addAlias(list, 'ls'))
  addExamples(
    list,
    "meetroom audit list --where 'what~block' --names",
    'meetroom audit list --since 7d -o csv > week.csv',
    'meetroom audit list --period last-week --names --html week.html',
    "meetroom audit list --where outcome=unknown --where 'command~import'",
    'meetroom audit list --count-by who',
  )
}
