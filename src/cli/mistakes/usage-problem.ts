import type { Command, Option } from 'commander'
import { type Hint, suggest, suggestHelp } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { findResource } from '../filter/command-fields.ts'
import { IdArgument } from '../input/id-arguments.ts'
import { isHarmless } from '../kernel/effect.ts'
import { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { findSynonym } from '../matching/near.ts'
import { quoteWord } from '../output/hint-text.ts'
import { editLine } from './typed.ts'

export interface UsageProblem {
  /** Error message; not printed in full, because the message may contain a key. */
  said: string
  program: MeetroomCommand
  command: MeetroomCommand
  words: readonly string[]
  /** Other words, as `splitTyped` returns them. */
  rest: readonly string[]
  argv: readonly string[]
  host: Pick<Host, 'cwd' | 'stdin'>
}

export const isReading = ({ effect = 'reads' }: MeetroomCommand) => isHarmless(effect)

export const quoteValue = 'quote a value with spaces: '

/** Returns the flag and choice that a word means, if exactly one visible flag fits. */
export function findFlagOf(
  word: string,
  options: readonly Option[],
): readonly [flag: string, choice: string] | undefined {
  const accepting = options.flatMap(({ long, argChoices = [], hidden }) => {
    const lower = word.toLowerCase()
    const choice = argChoices.includes(lower) ? lower : findSynonym(lower, argChoices)
    return long && !hidden && choice !== undefined ? [[long, choice] as const] : []
  })
  return accepting.length === 1 ? accepting[0] : undefined
}

/** Omits the confirmation, because a suggested selection is a guess. */
export const withoutYes = (words: readonly string[]): string[] =>
  words.filter((word) => word !== '--yes' && word !== '-y')

/** Returns true if `--where` selects items of the kind that the last arguments of a command name. */
export function selectsTargets(command: Command): boolean {
  const argument = command.registeredArguments.at(-1)
  const hasWhere = command.options.some(({ long }) => long === '--where')
  if (!hasWhere || !argument?.variadic || !(argument instanceof IdArgument)) return false
  const selectsRooms = command instanceof MeetroomCommand && command.selectsRooms !== undefined
  return argument.kind === (selectsRooms ? 'room' : findResource(command)?.name)
}

/** Suggests an unconfirmed preview of a change to all items. */
export function suggestAll(
  command: Command,
  words: readonly string[],
  given: readonly string[],
  flags: readonly string[],
): Hint {
  const places = given.slice(0, Math.max(0, command.registeredArguments.length - 1))
  return [
    'to select all items, pass a condition that every item meets; preview with: ',
    suggest([...words, ...places, '--where', 'created_at>2000-01-01', ...withoutYes(flags), '--dry-run']),
  ]
}

/**
 * Suggests the redirection of the output to a file.
 * @param rest typed words without the file
 * @returns undefined if no output format has the ending of the file
 */
export function suggestFile(
  command: Command,
  words: readonly string[],
  rest: readonly string[],
  file: string,
): Hint | undefined {
  const [, ending] = /.\.(csv|tsv|json|ndjson|xlsx)$/i.exec(file) ?? []
  if (ending === undefined) return undefined
  const format = ending.toLowerCase().replace('xlsx', 'csv')
  const edited = editLine(command, rest, { omit: ['--output', '--json'], add: ['-o', format] })
  return (
    edited && [
      'write a file with: ',
      suggest([...words, ...edited]),
      ` > ${quoteWord(file.replace(/xlsx$/i, 'csv'))}`,
    ]
  )
}

export function suggestHelpOn(words: readonly string[], flag?: string): Hint {
  return ['see: ', flag === '--output' ? suggest(['help', 'output']) : suggestHelp(...words)]
}
