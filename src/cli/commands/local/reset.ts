import type { DefineAction } from '../../kernel/action.ts'
import type { Context } from '../../kernel/context.ts'
import { addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { findDataDir } from '../../requests/find-service.ts'
import { confirmLoss, formatContents, requireWritableWorkspace } from './confirm.ts'

export function defineLocalReset(local: MeetroomCommand, act: DefineAction): void {
  const reset = local
    .command('reset')
    .summary('Empty the local workspace')
    .description(
      'Delete everything in the local workspace. Saves the present workspace first, prints where, and asks. The service ' +
        'must be stopped. The workspace keeps its API key.',
    )
    .option('--data-dir <dir>', 'directory of the workspace (default: the same as --local)')
    .action(act('machine', (context, { dataDir }: { dataDir?: string }) => run(context, dataDir)))
  addExamples(reset, 'meetroom local reset', 'meetroom local reset --yes')
}

async function run(context: Context, dataDir: string | undefined): Promise<void> {
  const { host } = context
  const printer = await context.printer()
  await requireWritableWorkspace(context)
  const { reset } = await import('../../../embedded/backups/reset.ts')
  const workspace = await findDataDir(host, dataDir)
  const saved = await reset({ dir: workspace, machine: host }, (facts) =>
    confirmLoss(
      context,
      'emptying the local workspace',
      `Delete everything in the local workspace in ${workspace} (${formatContents(facts)})`,
    ),
  )
  const emptied: Printed['local reset'] = { workspace, saved }
  await printer.printFacts(emptied)
}
