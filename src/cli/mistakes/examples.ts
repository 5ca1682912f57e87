import { fstatSync, ReadStream, readlinkSync } from 'node:fs'
import { relative } from 'node:path'
import type { Argument } from 'commander'
import { type Hint, suggestExample } from '../../errors.ts'
import { IdArgument } from '../input/id-arguments.ts'
import { splitWords } from '../input/split-command.ts'
import { commandPath, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { findNearChoice } from '../matching/near.ts'
import { isReference } from './operands.ts'
import { splitLine } from './typed.ts'
import { suggestHelpOn, type UsageProblem } from './usage-problem.ts'

/** Returns true if a typed word can be the value of an argument. A user ID can be any text. */
export const isGiven = (argument: Argument | undefined, word: string) =>
  argument instanceof IdArgument && (argument.kind === 'user' || isReference(word))

/** Returns the file that the shell opened as standard input, as in `< people.csv`. */
export function findInputFile({ cwd, stdin }: UsageProblem['host']): string | undefined {
  const fd = stdin instanceof ReadStream ? (stdin as { fd?: unknown }).fd : undefined
  if (typeof fd !== 'number' || !fstatSync(fd).isFile()) return undefined
  try {
    return relative(cwd, readlinkSync(`/proc/self/fd/${fd}`))
  } catch {
    return 'FILE'
  }
}

/**
 * Suggests an example without shell syntax and `--yes`, or else the help. Typed words remain in the example;
 * names stand for missing operands.
 */
export function findExample(
  command: MeetroomCommand,
  program: MeetroomCommand,
  given: readonly string[] = [],
  flags: readonly string[] = [],
): Hint {
  for (const line of command.examples) {
    const { words, special } = splitWords(line)
    const [name, ...argv] = words
    if (special !== undefined || argv.includes('--yes') || name !== 'meetroom') continue
    const example = splitLine(program, argv)
    const missing = command.registeredArguments
      .slice(given.length)
      .filter((argument) => !argument.variadic && !(argument.name() === 'member' && flags.includes('--user')))
      .map((argument) => argument.name().toUpperCase())
    const added = command.options.flatMap(({ mandatory, long = '' }) => {
      const at = example.rest.indexOf(long ?? '')
      return !mandatory || at < 0 || flags.some((word) => word.split('=')[0] === long)
        ? []
        : example.rest.slice(at, at + 2)
    })
    const isTyped =
      given.length + flags.length > 0 && (given[0] === 'ROOM' || missing.length + added.length > 0)
    const typed = given.map((word, i) => fitChoice(command.registeredArguments[i], word))
    const rest = isTyped ? [...typed, ...missing, ...flags, ...added] : example.rest
    return ['as in: ', suggestExample([...example.words, ...rest])]
  }
  return suggestHelpOn(commandPath(command))
}

/** Replaces an invalid choice with the nearest choice, or else the first choice. */
function fitChoice(argument: Argument | undefined, word: string): string {
  const choices = argument?.argChoices
  if (!argument || !choices || choices.includes(word)) return word
  return findNearChoice(word, choices) ?? choices[0] ?? word
}
