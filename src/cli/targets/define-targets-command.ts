import type { OperationName } from '../../api/endpoints.ts'
import { addTargetsFlags, matchingMembers, matchingRooms, matchingUsers } from '../kernel/flags.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import type { TargetsCommand } from './run-command.ts'

const matchingItems = { listRooms: matchingRooms, listMembers: matchingMembers, listUsers: matchingUsers }

/** Loads the command's code on demand, to keep other commands fast. */
export function defineTargetsCommand<C extends OperationName>(
  group: MeetroomCommand,
  definition: TargetsCommand<C>,
): void {
  const { verb, call, roomArgument, summary, destructive, list } = definition
  const description = `${definition.description}${destructive ? ' Asks for confirmation.' : ''}`
  const command = group.command(verb).summary(summary).description(description)
  if (definition.alias) command.alias(definition.alias)
  if (roomArgument) command.addArgument(roomArgument)
  command.addArgument(definition.ids)
  definition.flags?.(command)
  command.act(destructive ? 'destroys' : 'writes', async (context, ...args: unknown[]) => {
    const { runTargetsCommand } = await import('./run-command.ts')
    await runTargetsCommand(context, definition, args)
  })
  command.targetsOperation = call[0]
  addTargetsFlags(command, { adapts: !destructive, where: matchingItems[list] })
  command.addExamples(...definition.examples)
}
