import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { addPaceFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { DiffFlags } from '../../workspace/diff-workspace.ts'
import { addPlanFlags, addRosterFlags } from '../../workspace/plan-flags.ts'

export function defineWorkspaceDiff(workspace: MeetroomCommand): void {
  const command = workspace
    .command('diff')
    .summary('Show how the workspace differs from a file')
    .description(
      'Print the plan that makes the workspace match the file, and change nothing. Exits 0 if the workspace matches the file, and 9 if the workspace differs. Omitted fields are not compared.',
    )
    .argument('[file]', 'workspace file in YAML or JSON, or a roster in CSV')
    .option('--against <profile>', 'compare with the workspace of this profile instead of a file')
    .option(
      '--strict',
      'also exit 9 for items that the file omits, the service does not show, or the API cannot change',
    )
  command.surplusHint = () =>
    'the command compares one file with a service; to compare two files, use diff(1)'
  command.option('--out <file>', 'also write the plan to this file, for “workspace apply --plan”')
  addPaceFlags(addRosterFlags(addPlanFlags(command))).act(
    'compares',
    async (context, file: string | undefined, flags: DiffFlags) => {
      if (flags.against !== undefined && file === undefined) {
        const { diffServices } = await import('../../workspace/diff-services.ts')
        return diffServices(context, flags.against, flags)
      }
      if (flags.against !== undefined) throw createFlagConflict('--against', 'a workspace file')
      if (file === undefined) return command.missingArgument('file')
      const { diffWorkspace } = await import('../../workspace/diff-workspace.ts')
      await diffWorkspace(context, file, flags)
    },
  )
  command.addExamples(
    'meetroom workspace diff school.yaml',
    'meetroom workspace diff school.yaml -o json',
    'meetroom workspace diff --profile staging --against production',
  )
}
