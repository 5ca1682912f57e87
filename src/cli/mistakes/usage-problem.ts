import type { Option } from 'commander'
import { type Hint, suggest, suggestHelp } from '../../errors.ts'
import type { MeetroomCommand } from '../kernel/meetroom-command.ts'

export interface UsageProblem {
  /** Message from Commander, which is never printed, because it may contain a key. */
  said: string
  program: MeetroomCommand
  command: MeetroomCommand
  words: readonly string[]
  /** Words after the command, without the flags that select a service. */
  rest: readonly string[]
  argv: readonly string[]
}

export const quoteValue = 'quote a value with spaces: '

/** Returns the only flag that accepts a value; undefined if there are none or several. */
export function findFlagOf(value: string, options: readonly Option[]): string | undefined {
  const accepting = options.filter(({ argChoices, hidden }) => !hidden && argChoices?.includes(value))
  return accepting.length === 1 ? accepting[0]?.long : undefined
}

/**
 * Suggests help on a flag or a command.
 * @param flag flag that may have its own help topic
 */
export function suggestHelpOn(words: readonly string[], flag?: string): Hint {
  return ['see: ', flag === '--output' ? suggest(['help', 'output']) : suggestHelp(...words)]
}
