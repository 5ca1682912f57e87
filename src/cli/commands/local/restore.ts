import { resolve } from 'node:path'
import { plural } from '../../../api/plural.ts'
import { refuseUrl } from '../../../files/input-file.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import {
  confirmLoss,
  findWorkspaceDir,
  formatContents,
  requireWritableWorkspace,
} from '../shared/local-workspace.ts'

export function defineLocalRestore(local: MeetroomCommand): void {
  const restore = local
    .command('restore')
    .summary('Replace the local workspace with a backup')
    .description(
      'Replace the local workspace with a backup. Asks for confirmation, then saves the current workspace and prints the path. The service ' +
        'must be stopped. The workspace keeps its API key.',
    )
    .argument('<backup>', 'file from “local backup”')
    .option('--data-dir <dir>', 'data directory (default: as for --local)')
    .act('forgets', (context, file: string, { dataDir }: { dataDir?: string }) => run(context, file, dataDir))
  restore.addExamples('meetroom local restore workspace.db', 'meetroom local restore workspace.db --yes')
}

async function run(context: Context, file: string, dataDir: string | undefined): Promise<void> {
  const { host } = context
  const printer = await context.printer()
  await requireWritableWorkspace(context, dataDir)
  const { restore } = await import('../../../embedded/backups/restore.ts')
  const dir = await findWorkspaceDir(context, dataDir)
  refuseUrl(file)
  const backup = resolve(host.cwd, file)
  const { facts, saved, changedRows } = await restore({ dir, machine: host }, backup, (facts) =>
    confirmLoss(
      context,
      'restoring a backup',
      `Replace the local workspace in ${dir} with ${backup} (${formatContents(facts)})`,
    ),
  )
  context.changes.add(['local workspace', 'local workspaces'], 'restored')
  if (changedRows > 0)
    await printer.notice(
      `warning: changed or omitted ${changedRows} ${plural(changedRows, 'row')} of the backup, because this version does not accept all values`,
    )
  const restored: Printed['local restore'] = {
    ...{ workspace: dir, backup, saved: saved ?? null },
    ...facts,
    ...(changedRows > 0 && { changed_rows: changedRows }),
  }
  await printer.printFacts(restored)
}
