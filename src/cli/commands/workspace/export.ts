import { collect } from '../../input/input.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

export function defineWorkspaceExport(workspace: MeetroomCommand): void {
  const command = workspace
    .command('export')
    .summary('Export users, rooms and members as one file')
    .description(
      'Print users, rooms and members as one YAML file in a stable order, or as JSON with -o json. The file contains no access tokens, times, IDs of the service, blocked members or anonymous participants. With --out, FILE.lock records the IDs of the rooms, so that “workspace diff” and “workspace apply” recognize these rooms.',
    )
    .option('--out <file>', 'write this new file, and its lock file beside it')
    .option('--rooms <condition>', "only rooms that match, as in 'type=private'; repeatable", collect)
    .option('--users <condition>', 'only users that match; repeatable', collect)
    .actLater('compares', async () => (await import('../../workspace/export-workspace.ts')).exportWorkspace)
  command.addExamples('meetroom workspace export --out school.yaml', 'meetroom workspace export -o json')
}
