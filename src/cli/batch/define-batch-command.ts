import type { OperationName } from '../../api/endpoints.ts'
import type { DefineAction } from '../kernel/action.ts'
import { addBatchFlags, addExamples } from '../kernel/flags.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import type { BatchCommand } from './run-batch-command.ts'

/** Adds a command for several items. Its code is loaded when the command runs, so that other commands start faster. */
export function defineBatchCommand<C extends OperationName>(
  group: MeetroomCommand,
  defineAction: DefineAction,
  definition: BatchCommand<C>,
): void {
  const { verb, call, roomArgument } = definition
  const command = group.command(verb).summary(definition.summary).description(definition.description)
  if (definition.alias) command.alias(definition.alias)
  if (roomArgument) command.addArgument(roomArgument)
  command.addArgument(definition.ids)
  definition.flags?.(command)
  command.action(
    defineAction(definition.destructive ? 'destroys' : 'writes', async (context, ...args: unknown[]) => {
      const { runBatchCommand } = await import('./run-batch-command.ts')
      await runBatchCommand(context, definition, args)
    }),
  )
  command.batchOperation = call[0]
  addBatchFlags(command, { adapts: !definition.destructive })
  addExamples(command, ...definition.examples)
}
