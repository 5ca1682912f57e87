import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { addRosterFlags } from '../../workspace/plan-flags.ts'

export function defineWorkspaceAdopt(workspace: MeetroomCommand): void {
  const command = workspace
    .command('adopt')
    .summary('Adopt existing rooms in the lock file of a workspace')
    .description(
      'Match each room without an ID in the lock file to the existing room with exactly the same name. Add these rooms and the file’s existing users and members to FILE.lock. Changes nothing at the service.',
    )
    .argument('<file>', 'workspace file in YAML or JSON, or a roster in CSV')
  command.option(
    '--members',
    'also adopt members whom the file omits from these rooms, so that --prune can block them',
  )
  addRosterFlags(command).actLater(
    'compares',
    async () => (await import('../../workspace/adopt-workspace.ts')).adoptWorkspace,
  )
  command.addExamples('meetroom workspace adopt school.yaml')
}
