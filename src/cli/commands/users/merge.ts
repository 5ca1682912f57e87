import { saveFlags } from '../../backup/save-flags.ts'
import { addPaceFlags, maxOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument, userArgumentText } from '../../names/arguments.ts'
import { createRoleOption } from './hand-over.ts'
import { acceptsBlocksOption } from './offboard.ts'

export function defineUserMerge(users: MeetroomCommand): void {
  const merge = users
    .command('merge')
    .summary('Merge a user into another user')
    .description(
      'Add user INTO to every room of user FROM, like “users hand-over”, then offboard user FROM, like “users offboard”. Asks for confirmation once. Saves the record and the memberships of FROM before the first change, by default in the data directory; an import restores them. Skips rooms in which FROM is blocked. Blocks and deletes only after all other rooms are handed over. Sessions and attendance stay under the ID of FROM. A second run completes the remaining steps.',
    )
    .addArgument(new UserArgument('<from>', `user to merge and delete: ${userArgumentText}`))
    .addArgument(new UserArgument('<into>', `user to keep: ${userArgumentText}`))
    .addOption(createRoleOption())
    .option(...acceptsBlocksOption)
  addPaceFlags(saveFlags(merge).option(...maxOption), { adapts: false }).actLater(
    'destroys',
    async () => (await import('./offboard/merge-users.ts')).mergeUsers,
  )
  merge.addExamples(
    'meetroom users merge a.schmidt anna.schmidt --dry-run',
    'meetroom users merge email:anna@old.example email:anna@new.example --save anna.ndjson',
  )
}
