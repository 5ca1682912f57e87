import { exitCodes } from '../../help/exit-codes.ts'
import { type Effect, mayWrite, sendsRequests } from '../../kernel/effect.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { RowOf } from '../../output/views/rows.ts'
import { describeArgument, describeFlag } from './flags.ts'

export type CommandDescription = RowOf<'commands'>

export function describeCommands(root: MeetroomCommand): CommandDescription[] {
  return listCommands(root, []).map(({ words, command }) => {
    const { effect = 'machine' } = command
    return {
      name: words.join(' '),
      summary: command.summary(),
      description: command.description(),
      arguments: command.registeredArguments.map(describeArgument),
      flags: command.options.map(describeFlag),
      writes: mayWrite(effect),
      dry_run: sendsRequests(effect),
      exit_codes: listExitCodes(command, effect),
      examples: command.examples,
    }
  })
}

interface Leaf {
  words: string[]
  command: MeetroomCommand
}

/** Lists the commands without subcommands. Omits `__complete`, which only shells run. */
export function listCommands(command: MeetroomCommand, words: readonly string[]): Leaf[] {
  if (command.commands.length === 0) return [{ words: [...words], command }]
  const shown = command.commands.filter((child) => child.name() !== '__complete')
  return shown.flatMap((child) => listCommands(child as MeetroomCommand, [...words, child.name()]))
}

function listExitCodes(command: MeetroomCommand, effect: Effect): number[] {
  const has = (flag: string) => command.options.some(({ long }) => long === flag)
  const isOverMany = has('--concurrency')
  const usesNoService = effect === 'machine' || effect === 'forgets'
  const asks = mayWrite(effect) || usesNoService || has('--allow-large')
  const without = [
    ...(mayWrite(effect) ? [] : [7]),
    ...(isOverMany || effect === 'reads' || effect === 'compares' || command.isForEachProfile ? [] : [8]),
    ...(usesNoService || ['waits', 'compares'].includes(effect) || has('--plan') ? [] : [9]),
    ...(asks ? [] : [10]),
  ]
  return Object.keys(exitCodes)
    .map(Number)
    .filter((code) => !without.includes(code))
}
