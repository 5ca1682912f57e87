import { omitUndefined } from '../../api/defined.ts'
import type { OperationName } from '../../api/endpoints.ts'
import type { InputOf } from '../../api/operations.ts'
import { suggestHelp, UsageError } from '../../errors.ts'
import type { IdArgument } from '../input/id-arguments.ts'
import type { Context } from '../kernel/context.ts'
import type { TargetsFlags } from '../kernel/flags.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import type { DeletionTargets } from '../requests/backup.ts'
import { addEnding, confirmTargets, type TargetChange } from './confirm-targets.ts'
import { readTargets } from './read-targets.ts'
import { writeTargets } from './write-targets.ts'

export interface TargetsCommand<C extends OperationName> extends TargetChange {
  alias?: string
  summary: string
  description: string
  destructive?: true
  ids: IdArgument
  roomArgument?: IdArgument
  list: 'listRooms' | 'listMembers' | 'listUsers'
  call: readonly [name: C, input: (id: string, room: string) => InputOf<C>]
  flags?: (command: MeetroomCommand) => MeetroomCommand
  deletes?: DeletionTargets['kind']
  /** Runs the alternative that the flags request. Resolves to false without an alternative. */
  runInstead?: (context: Context, given: readonly string[], flags: TargetsFlags) => Promise<boolean>
  check?: (context: Context, room: string, flags: Readonly<Record<string, unknown>>) => Promise<void>
  examples: readonly string[]
}

/**
 * @param args arguments of the action, with the flags last
 * @throws {ConfirmationError} if the change is not confirmed
 */
export async function runTargetsCommand<C extends OperationName>(
  context: Context,
  definition: TargetsCommand<C>,
  args: unknown[],
): Promise<void> {
  const { list, call, roomArgument } = definition
  const pastTense = addEnding(definition.verb, 'ed')
  const [room, given, flags] = (roomArgument ? args : ['', ...args]) as [
    string | undefined,
    string[],
    TargetsFlags,
  ]
  if (await definition.runInstead?.(context, room === undefined ? given : [room, ...given], flags)) return
  if (room === undefined)
    throw new UsageError('the argument “room” is missing', {
      hint: ['see: ', suggestHelp(...context.command.split(' '))],
      lineEdit: flags.user && { before: 'for all rooms: ', add: ['--all-rooms', '--dry-run'] },
    })
  const backup = definition.deletes && (await context.backup())
  await backup?.check()
  const { ids, reasons, absent, recheck } = await readTargets(context, { given, flags, list, room })
  await definition.check?.(context, room, { ...flags })
  if (definition.destructive)
    await confirmTargets(context, definition, {
      ids,
      reasons,
      room,
      max: flags.max,
      ignoreNotFound: flags.ignoreNotFound,
    })
  if (definition.deletes && !context.flags.dryRun && !context.flags.curl)
    await backup?.save({ kind: definition.deletes, ids, flags })
  // Items may have changed during the confirmation prompt.
  const asked = definition.destructive && !context.flags.yes ? omitUndefined({ recheck }) : {}
  const [name, input] = call
  await writeTargets(
    context,
    {
      ...{ name, ids, absent, pastTense, ...asked },
      inputFor: (id) => input(id, room),
      effect: definition.destructive ? 'destroys' : 'writes',
    },
    flags,
  )
}
