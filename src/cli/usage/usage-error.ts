import type { CommanderError, Option } from 'commander'
import { findClosest } from '../../api/closest.ts'
import { formatChoices } from '../../api/either.ts'
import { counted } from '../../api/plural.ts'
import { defaultLimit } from '../../api/vocabulary.ts'
import { minKeyLength } from '../../config/settings.ts'
import { type Hint, suggestHelp, UsageError } from '../../errors.ts'
import { splitWords } from '../input/split-command.ts'
import type { CommandLine } from '../kernel/command-line.ts'
import {
  CommandLineError,
  commandPath,
  findCommand,
  listOptions,
  type MeetroomCommand,
} from '../kernel/meetroom-command.ts'
import { explainKeyAsArgument } from './key-as-argument.ts'
import { flags, lookUp, searching, values } from './meanings.ts'
import { idPattern, readWordsAfterCommand, removeTargetFlags, suggestTyped as suggest } from './typed.ts'
import { explainUnknownCommand } from './unknown-command.ts'

interface UsageProblem {
  /** Message from Commander. */
  said: string
  command: MeetroomCommand | undefined
  words: readonly string[]
  /** Words after the command, without the flags that select a service. */
  rest: readonly string[]
  argv: readonly string[]
}

/** Translates an error from Commander. `program` is undefined if the global flags could not be parsed. */
export function explainUsage(
  error: CommanderError,
  line: CommandLine & { typed: readonly string[] },
  program: MeetroomCommand | undefined,
): UsageError {
  const { operands } = line
  const called = program && findCalledCommand(program, operands)
  const failed = error instanceof CommandLineError ? error.command : undefined
  const command = failed?.parent ? failed : called
  const words = command ? commandPath(command) : program ? [] : leadingWords(line.typed)
  const problem: UsageProblem = {
    said: error.message.replace(/^error: /, '').split('\n')[0] ?? '',
    command,
    words,
    rest: readWordsAfterCommand(line.typed, operands.slice(0, words.length)),
    argv: line.typed,
  }
  const explain = lookUp(explanations, error.code)
  return explain?.(problem, program) ?? new UsageError(problem.said, { hint: suggestHelpOn(words) })
}

type Explain = (problem: UsageProblem, program: MeetroomCommand | undefined) => UsageError | undefined

const explanations: Readonly<Record<string, Explain>> = {
  'commander.unknownCommand': ({ said, command, words, rest }, program) => {
    const [, word = ''] = /'([\s\S]*)'/.exec(said) ?? []
    const group = command && words.length > 0 ? command : program
    const known = group?.commands.filter((child) => !child.name().startsWith('__')) ?? []
    return explainUnknownCommand(
      word,
      words[0],
      rest.slice(rest.indexOf(word) + 1),
      known.map((child) => child.name()),
    )
  },
  'commander.unknownOption': explainUnknownFlag,
  'commander.excessArguments': explainSurplus,
  'commander.invalidArgument': explainInvalidValue,
  'commander.missingArgument': ({ said, command, words }) => {
    const [, name = ''] = /'(.*)'/.exec(said) ?? []
    return new UsageError(`missing required argument “${name}”`, { hint: findExample(command, words) })
  },
  'commander.missingMandatoryOptionValue': ({ said, command, words }) => {
    const [, flag = ''] = /'(.*)'/.exec(said) ?? []
    return new UsageError(`${flag} is missing`, { hint: findExample(command, words) })
  },
  'commander.optionMissingArgument': ({ said, words }) => {
    const [, flag = ''] = /'(?:-\w, )?(.*)'/.exec(said) ?? []
    return new UsageError(`${flag.split(' ')[0]} needs a value: ${flag}`, { hint: suggestHelpOn(words) })
  },
  'commander.conflictingOption': ({ said, words }) => {
    const [one, other] = [...said.matchAll(/'(?:-\w, )?(--[\w-]+)[^']*'/g)].map(([, flag]) => flag)
    return new UsageError(`${one} and ${other} cannot be used together`, { hint: suggestHelpOn(words) })
  },
}

function explainUnknownFlag({ said, command, words, rest, argv }: UsageProblem): UsageError | undefined {
  // The message must not repeat the value after `=`, which may be a key.
  const [, typed = '', flag = ''] = /^unknown option '((-[^'=]*)[\s\S]*)'$/.exec(said) ?? []
  if (/^--?(api-?key|key|token)/i.test(flag)) return explainKeyAsArgument()
  const options = command ? listOptions(command) : []
  const own = options.find(({ long, short }) => long === flag || short === flag)
  if (own?.isBoolean()) {
    const isOff = /=(false|no|0|off)$/i.test(typed)
    const fixed = rest.flatMap((word) => (word === typed ? (isOff ? [] : [flag]) : [word]))
    return new UsageError(`${flag} takes no value`, { hint: ['type: ', suggest([...words, ...fixed])] })
  }
  const message = `unknown flag “${flag}”`
  const fixed = findIntendedWords(flag, command, options, rest)
  if (fixed) return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...fixed])] })
  if (argv.length > 0 && command?.registeredArguments[0] && rest[rest.indexOf(flag) + 1] !== undefined) {
    const noun = command.registeredArguments[0].name()
    if (flag === '--id' || flag === `--${noun}` || flag === `--${noun}-id`)
      return new UsageError(message, {
        hint: ['pass the ID alone: ', suggest([...words, ...rest.filter((word) => word !== flag)])],
      })
  }
  return new UsageError(message, { hint: suggestHelpOn(words) })
}

/** Returns the words after the command with the probable flag in place of `flag`; undefined if no flag is similar. */
function findIntendedWords(
  flag: string,
  command: MeetroomCommand | undefined,
  options: readonly Option[],
  rest: readonly string[],
): string[] | undefined {
  const at = rest.findIndex((word) => word === flag || word.startsWith(`${flag}=`))
  if (at < 0) return undefined
  const has = (long: string) => options.some((option) => option.long === long)
  const [, joined] = /=([\s\S]*)/.exec(rest[at] ?? '') ?? []
  const value = joined ?? rest[at + 1]
  const replaced = (...instead: string[]) => [
    ...rest.slice(0, at),
    ...instead,
    ...rest.slice(at + (joined === undefined ? 2 : 1)),
  ]
  const renamed = (long: string) => {
    const option = options.find((each) => each.long === long)
    return option?.isBoolean() || value === undefined
      ? [...rest.slice(0, at), long, ...rest.slice(at + 1)]
      : replaced(long, value)
  }
  if (has('--where') && value !== undefined && command?.effect === 'reads') {
    if (searching.has(flag))
      return has('--search') ? renamed('--search') : replaced('--where', `name~${value}`)
    // Other programs use these flags to filter lists.
    if (['--type', '--status', '--layout', '--record', '--role'].includes(flag))
      return replaced('--where', `${flag === '--role' ? 'type' : flag.slice(2)}=${value}`)
  }
  const named = lookUp(flags, flag)?.find(has)
  if (named) return renamed(named)
  if (flag === '--page' && has('--offset') && /^[1-9]\d{0,8}$/.test(value ?? '')) {
    const limit = rest[rest.indexOf('--limit') + 1]
    const perPage = has('--limit') && rest.includes('--limit') ? Number(limit) : defaultLimit
    return replaced('--offset', String((Number(value) - 1) * perPage))
  }
  const names = options.flatMap(({ long, hidden }) => (long && !hidden ? [long.slice(2)] : []))
  const near = findClosest(flag.replace(/^-+/, ''), names)
  return near === undefined ? undefined : renamed(`--${near}`)
}

function explainSurplus({ command, words, rest, argv }: UsageProblem): UsageError | undefined {
  if (!command) return undefined
  const max = command.registeredArguments.length
  const given = command.args
  const name = words.join(' ')
  if (name === 'auth login') return explainLoginSurplus(given)
  const takes = max === 0 ? 'no argument' : counted(max, 'argument')
  const message = `${name} takes ${takes}, not ${given.length}`
  const hint = (hint: Hint) => new UsageError(message, { hint })
  const [first = '', ...more] = given
  const extra = given[max] ?? ''
  // A word after a flag that takes no value was probably meant as its value.
  const before = argv[argv.indexOf(extra) - 1]
  if (listOptions(command).some((option) => option.isBoolean() && option.long === before))
    return new UsageError(`${before} takes no value`, {
      hint: ['type: ', suggest([...words, ...removeWords(rest, [extra])])],
    })
  if (command.surplusHint !== undefined) return hint(command.surplusHint)
  const flagsOnly = removeWords(rest, given)
  if (name === 'rooms create')
    return hint(['name it with: ', suggest([...words, '--name', given.join(' '), ...flagsOnly])])
  if (name === 'rooms list')
    return hint([
      'list the rooms of a name with: ',
      suggest([...words, '--name', given.join(' '), ...flagsOnly]),
    ])
  if (name === 'users list') return hint(['show one user with: ', suggest(['users', 'get', first])])
  if (command.registeredArguments[0]?.name() === 'room' && !idPattern.test(first)) {
    const others = given.slice(given.length - max + 1)
    const room = `name:${given.slice(0, given.length - max + 1).join(' ')}`
    return hint(['quote a name with spaces: ', suggest([...words, room, ...others, ...flagsOnly])])
  }
  if (command.registeredArguments[0]?.name() === 'user' && more.length > 0)
    return hint([
      'find a user by name with: ',
      suggest(['users', 'list', '--where', `name=${given.join(' ')}`]),
    ])
  return undefined
}

/** Explains a surplus argument of `auth login`. The message does not repeat a long one, which may be a key. */
function explainLoginSurplus([given = '']: readonly string[]): UsageError {
  if (/^https?:/i.test(given))
    return new UsageError('auth login takes the base URL as a flag', {
      hint: ['type: ', suggest(['auth', 'login', '--base-url', given])],
    })
  if (given.length < minKeyLength)
    return new UsageError('auth login takes no argument', {
      hint: ['name a profile with: ', suggest(['auth', 'login', '--profile', given])],
    })
  return explainKeyAsArgument()
}

function explainInvalidValue({ said, command, words, rest }: UsageProblem): UsageError | undefined {
  const [, flags, flagValue, flagChoices] =
    /^option '(.*?)' argument '([\s\S]*)' is invalid\. Allowed choices are (.*)\.$/.exec(said) ?? []
  const [, given, argument, allowed] =
    /^command-argument value '([\s\S]*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/.exec(
      said,
    ) ?? []
  const name = flags === undefined ? argument : (/--[\w-]+/.exec(flags)?.[0] ?? flags)
  const choices = (flagChoices ?? allowed)?.split(', ')
  if (name === undefined || choices === undefined) return undefined
  const value = flagValue ?? given ?? ''
  const message = `${name} must be ${formatChoices(choices)}, not “${value}”`
  const meant =
    choices.find((choice) => choice === lookUp(values, value.toLowerCase())) ?? findClosest(value, choices)
  const at = rest.findIndex((word) => word === value || word.endsWith(`=${value}`))
  if (meant === undefined || at < 0)
    return new UsageError(message, {
      hint: flags === undefined ? findExample(command, words) : suggestHelpOn(words),
    })
  const fixed = rest.map((word, i) => (i === at ? word.slice(0, word.length - value.length) + meant : word))
  return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...fixed])] })
}

function removeWords(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return words.filter((word) => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function findCalledCommand(program: MeetroomCommand, words: readonly string[]): MeetroomCommand | undefined {
  let at: MeetroomCommand = program
  for (const word of words) {
    const next = findCommand(at, word)
    if (!next) break
    at = next as MeetroomCommand
  }
  return at === program ? undefined : at
}

function leadingWords(argv: readonly string[]): string[] {
  const end = argv.findIndex((word) => word.startsWith('-'))
  return argv.slice(0, end < 0 ? 2 : Math.min(end, 2))
}

function suggestHelpOn(words: readonly string[]): Hint {
  return ['see: ', suggestHelp(...words)]
}

/** Returns an example that needs no shell and has no `--yes`. */
function findExample(command: MeetroomCommand | undefined, words: readonly string[]): Hint {
  for (const line of command?.examples ?? []) {
    const parsed = splitWords(line)
    if (parsed.special !== undefined || parsed.words.includes('--yes') || parsed.words[0] !== 'meetroom')
      continue
    return ['as in: ', suggest(removeTargetFlags(parsed.words, ['meetroom']))]
  }
  return suggestHelpOn(words)
}
