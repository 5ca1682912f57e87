import { createFlagConflict } from '../../../api/flag-conflict.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import {
  confirmLoss,
  findWorkspaceDir,
  formatContents,
  requireWritableWorkspace,
} from '../shared/local-workspace.ts'
import { control, controlFlag } from './control-client.ts'

export function defineLocalReset(local: MeetroomCommand): void {
  const reset = local
    .command('reset')
    .summary('Delete everything in the local workspace')
    .description(
      'Delete everything in the local workspace. Asks for confirmation, then saves the current workspace and prints the path. The service ' +
        'must be stopped. The workspace keeps its API key. With --control, resets a test service to its seed instead.',
    )
    .option('--data-dir <dir>', 'data directory (default: as for --local)')
    .option(...controlFlag)
    .act('forgets', (context, { dataDir, control }: { dataDir?: string; control?: string }) => {
      if (control === undefined) return run(context, dataDir)
      if (dataDir === undefined) return resetToSeed(context, control)
      throw createFlagConflict('--control', '--data-dir')
    })
  reset.addExamples(
    'meetroom local reset',
    'meetroom local reset --yes',
    'meetroom local reset --control control.json',
  )
}

async function resetToSeed(context: Context, file: string): Promise<void> {
  const printer = await context.printer()
  await printer.printFacts(await control<Printed['local reset']>(context, file, '/reset'))
}

async function run(context: Context, dataDir: string | undefined): Promise<void> {
  const { host } = context
  const printer = await context.printer()
  await requireWritableWorkspace(context, dataDir)
  const { reset } = await import('../../../embedded/backups/replace.ts')
  const workspace = await findWorkspaceDir(context, dataDir)
  const saved = await reset({ dir: workspace, machine: host }, (facts) =>
    confirmLoss(
      context,
      'emptying the local workspace',
      `Delete everything in the local workspace in ${workspace} (${formatContents(facts)})`,
    ),
  )
  context.changes.add(['local workspace', 'local workspaces'], 'emptied')
  const emptied: Printed['local reset'] = { workspace, saved }
  await printer.printFacts(emptied)
}
