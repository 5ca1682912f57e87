import type { Argument, Command, Option } from 'commander'
import { splitWords } from '../input/split-command.ts'

/** What is being typed: the words before the cursor, read as far as they say what the next may be. */
export interface Typed {
  /** The command, as far as it is named. */
  command: Command
  /** What stands before the word that is being typed, as it is: `--output=` of `--output=js`. */
  before: string
  /** The rest of that word. */
  text: string
  /** What the word is: the value of a flag or of an argument, a flag, or the name of a command. */
  wanted: { option: Option } | { argument: Argument | undefined } | 'flag' | 'command'
  /** The values of the arguments before it. */
  given: readonly string[]
  /** The flags before it, by their attribute name. */
  flags: Readonly<Record<string, unknown>>
}

/** The words of a line without the program’s name, and variables that are set for it alone. */
export function wordsOf(line: string): readonly string[] {
  const { words } = splitWords(line)
  const name = words.findIndex((word) => !/^\w+=/.test(word))
  return words.slice(name + 1)
}

/** Finds a command by its name or alias. */
export function findCommand(group: Command, word: string): Command | undefined {
  return group.commands.find((known) => known.name() === word || known.aliases().includes(word))
}

/** Reads what is being typed. The group that it names must be defined. */
export function readTyped(root: Command, words: readonly string[]): Typed {
  const current = words.at(-1) ?? ''
  const flags: Record<string, unknown> = {}
  const given: string[] = []
  let command = root
  let waiting: Option | undefined
  let isOver = false
  for (const word of words.slice(0, -1)) {
    if (waiting) {
      flags[waiting.attributeName()] = word
      waiting = undefined
    } else if (word === '--') isOver = true
    else if (!isOver && word.startsWith('-') && word !== '-') {
      const [name = '', value] = splitFlag(word)
      const option = findOption(command, name)
      if (!option) continue
      if (takesValue(option) && value === undefined) waiting = option
      else flags[option.attributeName()] = value ?? !option.negate
    } else {
      const next = given.length === 0 ? findCommand(command, word) : undefined
      if (next) command = next
      else given.push(word)
    }
  }
  const at = { command, given, flags }
  if (waiting) return { ...at, before: '', text: current, wanted: { option: waiting } }
  if (!isOver && current.startsWith('-')) {
    const [name = '', value] = splitFlag(current)
    const option = value === undefined ? undefined : findOption(command, name)
    if (option && takesValue(option))
      return { ...at, before: `${name}=`, text: value ?? '', wanted: { option } }
    return { ...at, before: '', text: current, wanted: 'flag' }
  }
  const { registeredArguments } = command
  const last = registeredArguments.at(-1)
  const argument = registeredArguments[given.length] ?? (last?.variadic ? last : undefined)
  const isGroup = command.commands.length > 0 && given.length === 0
  return { ...at, before: '', text: current, wanted: isGroup ? 'command' : { argument } }
}

/** `--output=json`. */
function splitFlag(word: string): [name: string, value?: string] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)]
}

function findOption(command: Command, name: string): Option | undefined {
  return optionsOf(command).find(({ short, long }) => name === short || name === long)
}

/** The options of a command and of the commands that it is in. */
export function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])]
}

const takesValue = ({ required, optional }: Option) => required || optional
