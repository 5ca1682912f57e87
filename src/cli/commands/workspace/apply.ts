import { saveFlags } from '../../backup/save-flags.ts'
import { addPaceFlags, maxOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { addPlanFlags, addRosterFlags } from '../../workspace/plan-flags.ts'

export function defineWorkspaceApply(workspace: MeetroomCommand): void {
  const command = workspace
    .command('apply')
    .summary('Change the workspace to match a file')
    .description(
      'Show the plan, ask for confirmation, and change the workspace to match the file. Writes only declared fields that differ, and reads each item again before its write. FILE.lock records the IDs of the rooms: commit FILE.lock with the file. Without --prune, removes nothing. A second run completes a failed one.',
    )
    .argument('<file>', 'workspace file in YAML or JSON, or a roster in CSV')
  command.option('--plan <file>', 'run only if the plan equals the plan in this file')
  saveFlags(addPaceFlags(addRosterFlags(addPlanFlags(command)).option(...maxOption))).actLater(
    'writes',
    async () => (await import('../../workspace/apply-workspace.ts')).applyWorkspace,
  )
  command.addExamples(
    'meetroom workspace apply school.yaml --dry-run',
    'meetroom workspace apply school.yaml',
    'meetroom workspace apply school.yaml --prune=members --yes --max 100',
  )
}
