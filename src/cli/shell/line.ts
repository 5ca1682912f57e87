import type { Argument, Command, Option } from 'commander'
import { splitWords } from '../input/split-command.ts'
import { findCommand, listOptions } from '../kernel/meetroom-command.ts'

export interface PartialLine {
  command: Command
  /** Part of the word at the cursor before its value: `--output=` in `--output=js`. */
  before: string
  text: string
  wanted: { option: Option } | { argument: Argument | undefined } | 'flag' | 'command'
  given: readonly string[]
  flags: Readonly<Record<string, unknown>>
}

/** Returns the words after the program name. Variable assignments may precede the name. */
export function splitLine(line: string): readonly string[] {
  const { words } = splitWords(line)
  const name = words.findIndex((word) => !/^\w+=/.test(word))
  return words.slice(name + 1)
}

/** Parses a partial command line whose command group is already loaded. */
export function parsePartialLine(root: Command, words: readonly string[]): PartialLine {
  const current = words.at(-1) ?? ''
  const flags: Record<string, unknown> = {}
  const given: string[] = []
  let command = root
  let pendingFlag: Option | undefined
  let flagsEnded = false
  for (const word of words.slice(0, -1)) {
    if (pendingFlag) {
      flags[pendingFlag.attributeName()] = word
      pendingFlag = undefined
    } else if (word === '--') flagsEnded = true
    else if (!flagsEnded && word.startsWith('-') && word !== '-') {
      const [name = '', value] = splitFlag(word)
      const option = findOption(command, name)
      if (!option) continue
      if (takesValue(option) && value === undefined) pendingFlag = option
      else flags[option.attributeName()] = value ?? !option.negate
    } else {
      const next = given.length === 0 ? findCommand(command, word) : undefined
      if (next) command = next
      else given.push(word)
    }
  }
  const at = { command, given, flags }
  if (pendingFlag) return { ...at, before: '', text: current, wanted: { option: pendingFlag } }
  if (!flagsEnded && current.startsWith('-')) {
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

function splitFlag(word: string): [name: string, value?: string] {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)]
}

function findOption(command: Command, name: string): Option | undefined {
  return listOptions(command).find(({ short, long }) => name === short || name === long)
}

const takesValue = ({ required, optional }: Option) => required || optional
