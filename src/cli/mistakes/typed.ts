import type { Command, Option } from 'commander'
import { idPattern } from '../../api/path.ts'
import type { LineEdit } from '../../errors.ts'
import { commandPath, findCommand, listOptions } from '../kernel/meetroom-command.ts'

interface SplitLine {
  command: Command
  /** Words that call the command, such as `['rooms', 'list']`. */
  words: readonly string[]
  /** All other words, without the flags that select a service, unless `auth login` stores that service. */
  rest: readonly string[]
}

/** Flags whose value may be a secret. */
const mayHoldSecret = /^-(?!-no-|-show-tokens$).*(key|token|secret|pass|header)/i

/** Flags without a value, values that name a file, and `--headers` before a word without a colon. */
const isHarmless = /^--(with-(key|token) (-|$)|(webhook-)?secret[ =]@|headers [^:]*$)/

/** Flags that select a service. Suggestions add these flags from the current run, except after `auth login`. */
const selecting: readonly (string | undefined)[] = ['--profile', '--base-url', '--local']

/** Splits a line for suggestions. `rest` is empty if a word may be a secret. */
export function splitTyped(root: Command, argv: readonly string[]): SplitLine {
  const isSecret = argv.some(
    (word, i) =>
      word.startsWith('-H') || (mayHoldSecret.test(word) && !isHarmless.test(`${word} ${argv[i + 1] ?? ''}`)),
  )
  return { ...splitLine(root, argv), ...(isSecret ? { rest: [] } : {}) }
}

/** Splits a line by the rules of Commander. `rest` omits flags that select a service. */
export function splitLine(root: Command, argv: readonly string[]): SplitLine {
  const rest: string[] = []
  const selection: string[] = []
  let command = root
  let operands = 0
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ''
    if (word === '--') {
      rest.push(...argv.slice(i))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      const next = operands === 0 ? findCommand(command, word) : undefined
      if (next) command = next
      else operands = rest.push(word)
      continue
    }
    const option = findOption(command, word)
    const end = option && takesNextWord(option, word) ? i + 2 : i + 1
    const part = selecting.includes(option?.long) ? selection : rest
    part.push(...argv.slice(i, end))
    i = end - 1
  }
  const words = commandPath(command)
  return { command, words, rest: words.join(' ') === 'auth login' ? [...rest, ...selection] : rest }
}

/** Returns the positions of the operands in the words that `splitLine` returns as `rest`. */
export function listOperands(command: Command, rest: readonly string[]): number[] {
  const operands: number[] = []
  for (let at = 0; at < rest.length && rest[at] !== '--'; at++) {
    const word = rest[at] ?? ''
    const option = word.startsWith('-') && word !== '-' ? findOption(command, word) : undefined
    if (option && takesNextWord(option, word)) at++
    else if (!word.startsWith('-')) operands.push(at)
  }
  return operands
}

/**
 * Applies an edit to the words that `splitLine` returns as `rest`, and omits `--yes`.
 * @returns undefined if the edit does not fit the command or the words, or if standard input has no file name
 */
export function editLine(
  command: Command,
  rest: readonly string[],
  { omit = [], add = [], replace }: Omit<LineEdit, 'before' | 'after'>,
): string[] | undefined {
  const readsPipe = rest.some((word) => /^(?:-|.*[@=]-)$/.test(word))
  const isUnknown = add.some((word) => word.startsWith('-') && findOption(command, word) === undefined)
  if (readsPipe || isUnknown) return undefined
  const [flag, value, values = []] = replace ?? []
  const edited: string[] = []
  let replaced = 0
  let i = 0
  for (; i < rest.length && rest[i] !== '--'; i++) {
    const word = rest[i] ?? ''
    const option = word.startsWith('-') ? findOption(command, word) : undefined
    const end = option && takesNextWord(option, word) ? i + 2 : i + 1
    const words = rest.slice(i, end)
    if (replace && option?.long === flag && words.join('=') === `${flag}=${value}`) {
      edited.push(...values.flatMap((each) => [word.replace(/=.*/s, ''), each]))
      replaced++
    } else if (!option?.long || !(omit.includes(option.long) || option.long === '--yes'))
      edited.push(...words)
    i = end - 1
  }
  if (replace && replaced !== 1) return undefined
  return [...edited, ...add, ...rest.slice(i)]
}

function findOption(command: Command, word: string): Option | undefined {
  const [flag = word] = word.startsWith('--') ? word.split('=') : [word.slice(0, 2)]
  return listOptions(command).find(({ long, short }) => flag === long || flag === short)
}

export function takesNextWord({ required, short }: Option, word: string): boolean {
  return required && (word === short || (word.startsWith('--') && !word.includes('=')))
}

export function mayBeKey(word: string): boolean {
  return /^(?=.*\d)(?=.*[a-z])[\w.+/=~-]{16,}$/i.test(word) && !idPattern.test(word)
}

/** Removes each of the other words once. */
export function removeWords(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return words.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
