import { saveFlags } from '../../backup/save-flags.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addPaceFlags, maxOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { UserArgument, userArgumentText } from '../../names/arguments.ts'
import { createRoleOption } from './hand-over.ts'
import type { MergeFlags } from './offboard/merge-users.ts'
import { acceptsBlocksOption } from './offboard.ts'

export function defineUserMerge(users: MeetroomCommand, act: DefineAction): void {
  const merge = users
    .command('merge')
    .summary('Merge a user into another user')
    .description(
      'Add the second user to every room of the first user, as “users hand-over” does, then offboard the first user, as “users offboard” does. Asks once. The record and the memberships of the first user are saved before the first change, by default in the data directory; an import restores them. Nothing is blocked or deleted unless every room is handed over. A room in which the first user is blocked is not handed over. A second run completes the remaining steps.',
    )
    .addArgument(new UserArgument('<from>', `the user to merge and delete: ${userArgumentText}`))
    .addArgument(new UserArgument('<into>', `the user to keep: ${userArgumentText}`))
    .addOption(createRoleOption())
    .option(...acceptsBlocksOption)
  addPaceFlags(saveFlags(merge).option(...maxOption), { adapts: false }).action(
    act('destroys', async (context, from: string, into: string, flags: MergeFlags) => {
      const { mergeUsers } = await import('./offboard/merge-users.ts')
      await mergeUsers(context, { from, to: into }, flags)
    }),
  )
  addExamples(
    merge,
    'meetroom users merge a.schmidt anna.schmidt --dry-run',
    'meetroom users merge email:anna@old.example email:anna@new.example --save anna.ndjson',
  )
}
