import { resolveOutput } from '../../../files/file-kind.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { findWorkspaceDir } from '../shared/local-workspace.ts'

interface Flags {
  overwrite?: boolean
  dataDir?: string
}

export function defineLocalBackup(local: MeetroomCommand): void {
  const backup = local
    .command('backup')
    .summary('Copy the local workspace to a file')
    .description(
      'Copy the local workspace to a file, and print a summary. Works while the workspace is served. Only you can ' +
        'read a new file; a replaced file keeps its mode. The file contains access tokens and webhook secrets, but ' +
        'not the API key.',
    )
    .argument('<file>', 'file to write')
    .option('--overwrite', 'overwrite the file if it exists')
    .option('--data-dir <dir>', 'data directory (default: as for --local)')
    .act('machine', async (context, file: string, { overwrite = false, dataDir }: Flags) => {
      const { host } = context
      const printer = await context.printer()
      const { backUp } = await import('../../../embedded/backups/back-up.ts')
      const workspace = await findWorkspaceDir(context, dataDir)
      const path = resolveOutput(file, host, 'workspace.db')
      const written = await backUp({ dir: workspace, path, overwrite, machine: host })
      const facts: Printed['local backup'] = { workspace, ...written }
      context.changes.add(['backup', 'backups'], 'written')
      await printer.printFacts(facts)
    })
  backup.addExamples(
    'meetroom local backup workspace.db',
    'meetroom local backup workspace.db --overwrite --json',
  )
}
