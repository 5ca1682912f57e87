import { counted } from '../../../api/plural.ts'
import { createIntegerParser } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { describeSize } from '../../output/terminal/size.ts'
import { confirmLoss, findWorkspaceDir, requireWritableWorkspace } from '../shared/local-workspace.ts'

const defaultKept = 1

interface Flags {
  keep?: number
  dataDir?: string
}

export function defineLocalTidy(local: MeetroomCommand): void {
  const tidy = local
    .command('tidy')
    .summary('Delete old saved copies of the local workspace')
    .description(
      'Delete all copies except the newest in the “backups” directory of the local workspace. Restores, resets and ' +
        'upgrades save these copies. Asks for confirmation, with the number of copies. Keeps the files of “local backup”.',
    )
    .option(
      '--keep <n>',
      `number of copies to keep, newest first (default: ${defaultKept})`,
      createIntegerParser('--keep', 0),
    )
    .option('--data-dir <dir>', 'data directory (default: as for --local)')
    .act('forgets', (context, flags: Flags) => run(context, flags))
  tidy.addExamples('meetroom local tidy', 'meetroom local tidy --keep 5 --yes')
}

async function run(context: Context, { keep = defaultKept, dataDir }: Flags): Promise<void> {
  const printer = await context.printer()
  await requireWritableWorkspace(context, dataDir)
  const { deleteSavedCopies, listSavedCopies, sumBytes } = await import(
    '../../../embedded/store/saved-copies.ts'
  )
  const workspace = await findWorkspaceDir(context, dataDir)
  const old = listSavedCopies(workspace).slice(keep)
  const bytes = sumBytes(old)
  if (old.length > 0)
    await confirmLoss(
      context,
      'deleting saved copies',
      `Delete ${counted(old.length, 'saved copy', 'saved copies')} (${describeSize(bytes)}) of the local workspace in ${workspace}`,
    )
  deleteSavedCopies(old)
  if (old.length > 0) context.changes.add(['saved copy', 'saved copies'], 'deleted', old.length)
  const tidied: Printed['local tidy'] = { workspace, deleted: old.length, bytes }
  await printer.printFacts(tidied)
}
