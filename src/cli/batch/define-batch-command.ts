import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { suggestHelp, UsageError } from '../../errors.ts'
import type { DefineAction } from '../kernel/action.ts'
import type { Context } from '../kernel/context.ts'
import { examples, type ManyFlags, manyFlags } from '../kernel/flags.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { viewOf } from '../output/views/views.ts'
import type { DeletionTargets } from '../requests/backup.ts'
import { confirmTargets, type TargetChange } from './confirm-targets.ts'
import { runBatch } from './run-batch.ts'
import { readTargets } from './targets.ts'

/** A command that does the same to each of several items. */
interface ManyCommand<G extends OperationName, C extends OperationName> extends TargetChange<G> {
  /** The verb in the past, for the summary: `deleted`. */
  past: string
  alias?: string
  summary: string
  description: string
  /** Asks for confirmation first. */
  destructive?: true
  /** What the ids are, in the words of the API. */
  ids: string
  /** The argument before the ids, for items in a room. */
  within?: readonly [term: string, words: string]
  /** Lists what `--where` chooses from. */
  list: 'listRooms' | 'listMembers' | 'listUsers'
  call: readonly [name: C, input: (id: string, room: string) => Input<Operations[C]>]
  /** Flags beyond those of every such command. */
  flags?: (command: MeetroomCommand) => MeetroomCommand
  /** What it deletes, which is saved first where that is asked for. */
  deletes?: DeletionTargets['kind']
  /** Does it in another way, and says so, where the flags ask for that. */
  otherwise?: (context: Context, given: readonly string[], flags: ManyFlags) => Promise<boolean>
  /** Refuses what cannot work, before anything is asked or sent. */
  check?: (context: Context, room: string, flags: Readonly<Record<string, unknown>>) => Promise<void>
  examples: readonly string[]
}

/** Adds a command over several ids, `-` or `--where`: targets, question, requests and summary are the same for all. */
export function defineBatchCommand<G extends OperationName, C extends OperationName>(
  group: MeetroomCommand,
  act: DefineAction,
  declared: ManyCommand<G, C>,
): void {
  const { verb, past, list, call, within } = declared
  const { noun } = viewOf(endpoints[list])
  const command = group.command(verb).summary(declared.summary).description(declared.description)
  if (declared.alias) command.alias(declared.alias)
  if (within) command.argument(...within)
  command.argument(`[${noun[0]}...]`, declared.ids)
  declared.flags?.(command)
  command.action(
    act('writes', async (context, ...args: unknown[]) => {
      const [room, given, flags] = (within ? args : ['', ...args]) as [
        string | undefined,
        string[],
        ManyFlags,
      ]
      if (await declared.otherwise?.(context, room === undefined ? given : [room, ...given], flags)) return
      if (room === undefined)
        throw new UsageError('missing required argument “room”', {
          hint: ['see: ', suggestHelp(...context.command.split(' '))],
        })
      const saver = declared.deletes && (await context.saver())
      await saver?.check()
      const { ids, why, absent } = await readTargets(context, { given, flags, list, room })
      await declared.check?.(context, room, { ...flags })
      if (declared.destructive)
        await confirmTargets(context, declared, {
          ids,
          why,
          room,
          max: flags.max,
          ignoreNotFound: flags.ignoreNotFound,
        })
      if (declared.deletes && !context.flags.dryRun && !context.flags.curl)
        await saver?.save({ kind: declared.deletes, ids, flags })
      await runBatch(context, call[0], { ids, absent }, (id) => call[1](id, room), past, flags)
    }),
  )
  command.overMany = call[0]
  manyFlags(command)
  examples(command, ...declared.examples)
}
