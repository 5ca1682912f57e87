import type { CommanderError, Option } from 'commander'
import { findClosest } from '../../api/closest.ts'
import { formatChoices } from '../../api/either.ts'
import { counted } from '../../api/plural.ts'
import { resources } from '../../api/resources.ts'
import { defaultLimit } from '../../api/vocabulary.ts'
import { minKeyLength } from '../../config/settings.ts'
import { type Hint, suggest, suggestHelp, UsageError } from '../../errors.ts'
import { UnknownColumnsError } from '../import/read/unknown-columns.ts'
import { splitWords } from '../input/split-command.ts'
import { describeFixedField, isSetOnlyAtCreation } from '../kernel/body.ts'
import { CommandLineError, commandPath, listOptions, MeetroomCommand } from '../kernel/meetroom-command.ts'
import { toRoomName } from '../matching/reference.ts'
import { explainColumns } from './columns.ts'
import type { CalledCommand } from './explain.ts'
import { explainKeyAsArgument } from './key-as-argument.ts'
import { flags, flagsOfArguments, lookUp, searching, values } from './meanings.ts'
import { explainMissingFile } from './missing-file.ts'
import { explainShellWords, joinSplitValue } from './shell-words.ts'
import { fitWords, idPattern, mayBeKey, removeWords, splitLine, splitTyped } from './typed.ts'
import { explainCurl, explainUnknownCommand } from './unknown-command.ts'

interface UsageProblem {
  /** Message from Commander, which is never printed, because it may contain a key. */
  said: string
  program: MeetroomCommand
  command: MeetroomCommand
  words: readonly string[]
  /** Words after the command, without the flags that select a service. */
  rest: readonly string[]
  argv: readonly string[]
}

/**
 * Translates an error from Commander.
 * @param program all commands, because a suggestion may be for another group
 */
export function explainUsage(
  error: CommanderError,
  argv: readonly string[],
  program: MeetroomCommand,
): UsageError {
  const typed = splitTyped(program, argv)
  const failed = error instanceof CommandLineError && error.command.parent ? error.command : typed.command
  const command = failed instanceof MeetroomCommand ? failed : program
  const words = commandPath(command)
  const said = error.message.replace(/^error: /, '').split('\n')[0] ?? ''
  const explain = lookUp(explanations, error.code)
  const explained =
    explain?.({ said, program, command, words, rest: typed.rest, argv }) ??
    new UsageError('the command line is not valid', { hint: suggestHelpOn(words) })
  const hint = explainShellWords(program, argv)
  return hint ? new UsageError(explained.message, { hint }) : explained
}

/** Adds a hint to the error of a command whose values the shell may have split. */
export function explainValue(
  error: UsageError,
  { program, argv, given }: Pick<CalledCommand, 'program' | 'argv' | 'given'>,
): UsageError {
  const { command, words, rest } = splitTyped(program, argv)
  const joined = error.hint ? undefined : joinSplitValue(rest, listOptions(command), given.length)
  const hint: Hint | undefined =
    explainShellWords(program, argv) ??
    explainMissingFile(error, words, rest) ??
    (joined && [quoteValue, suggest([...words, ...joined])]) ??
    (error instanceof UnknownColumnsError ? explainColumns(error, words, rest) : undefined)
  return hint ? new UsageError(error.message, { hint }) : error
}

const quoteValue = 'quote a value with spaces: '

type Explain = (problem: UsageProblem) => UsageError | undefined

const explanations: Readonly<Record<string, Explain>> = {
  'commander.unknownCommand': ({ said, command, words, rest, argv }) => {
    const [, word = ''] = /'([\s\S]*)'/.exec(said) ?? []
    if (word === 'curl') return explainCurl(argv.slice(argv.indexOf(word) + 1))
    return explainUnknownCommand(word, command, words[0], rest.slice(rest.indexOf(word) + 1))
  },
  'commander.unknownOption': explainUnknownFlag,
  'commander.excessArguments': explainSurplus,
  'commander.invalidArgument': explainInvalidValue,
  'commander.missingArgument': ({ said, command, program }) => {
    const [, name = ''] = /'(.*)'/.exec(said) ?? []
    return new UsageError(`missing required argument “${name}”`, { hint: findExample(command, program) })
  },
  'commander.missingMandatoryOptionValue': ({ said, command, program }) => {
    const [, flag = ''] = /'(.*)'/.exec(said) ?? []
    return new UsageError(`${flag} is missing`, { hint: findExample(command, program) })
  },
  'commander.optionMissingArgument': ({ said, words }) => {
    const [, flag = ''] = /'(?:-[\w-]+, )?(.*)'/.exec(said) ?? []
    return new UsageError(`${flag.split(' ')[0]} needs a value: ${flag}`, { hint: suggestHelpOn(words) })
  },
  'commander.conflictingOption': ({ said, words }) => {
    const [one, other] = [...said.matchAll(/'(?:-[\w-]+, )?(--[\w-]+)[^']*'/g)].map(([, flag]) => flag)
    return new UsageError(`${one} and ${other} cannot be used together`, { hint: suggestHelpOn(words) })
  },
}

/** Explains a flag for a field that an update cannot change; undefined for other flags. */
function explainFixedField([group, verb]: readonly string[], flag: string): string | undefined {
  const resource = Object.values(resources).find(({ plural }) => plural === group)
  const field = flag.slice(2).replaceAll('-', '_')
  return verb === 'update' && resource && isSetOnlyAtCreation(resource.fields, field)
    ? describeFixedField(resource.name, field)
    : undefined
}

function explainUnknownFlag({ said, command, words, rest, argv }: UsageProblem): UsageError | undefined {
  // The message must not repeat the value after `=`, which may be a key.
  const [, typed = '', flag = ''] = /^unknown option '((-[^'=]*)[\s\S]*)'$/.exec(said) ?? []
  if (/^--?(api-?key|key|token)/i.test(flag)) return explainKeyAsArgument()
  const options = listOptions(command)
  const own = options.find(({ long, short }) => long === flag || short === flag)
  if (own?.isBoolean()) {
    const isOff = /=(false|no|0|off)$/i.test(typed)
    const fixed = rest.flatMap((word) => (word === typed ? (isOff ? [] : [flag]) : [word]))
    return new UsageError(`${flag} takes no value`, { hint: ['type: ', suggest([...words, ...fixed])] })
  }
  const message = `unknown flag “${flag}”`
  const reason = explainFixedField(words, flag)
  if (reason) return new UsageError(message, { hint: reason })
  const fixed = findIntendedWords(flag, command, options, rest)
  if (fixed) return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...fixed])] })
  if (argv.length > 0 && command.registeredArguments[0] && rest[rest.indexOf(flag) + 1] !== undefined) {
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
  command: MeetroomCommand,
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
  if (has('--where') && value !== undefined && command.effect === 'reads') {
    if (searching.has(flag))
      return has('--search') ? renamed('--search') : replaced('--where', `name~${value}`)
    // Other programs use these flags to filter lists.
    if (['--type', '--status', '--layout', '--record', '--role'].includes(flag))
      return replaced('--where', `${flag === '--role' ? 'type' : flag.slice(2)}=${value}`)
  }
  // A value of a flag, typed as a flag, such as `--private` for `--type private`.
  const ofValue = joined === undefined && (value ?? '-').startsWith('-') && findFlagOf(flag.slice(2), options)
  if (ofValue) return [...rest.slice(0, at), ofValue, flag.slice(2), ...rest.slice(at + 1)]
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

/** Returns the only flag that accepts a value; undefined if there are none or several. */
function findFlagOf(value: string, options: readonly Option[]): string | undefined {
  const accepting = options.filter(({ argChoices, hidden }) => !hidden && argChoices?.includes(value))
  return accepting.length === 1 ? accepting[0]?.long : undefined
}

function explainSurplus({ command, words, rest, argv }: UsageProblem): UsageError {
  const accepted = command.registeredArguments.length
  const given = command.args
  const name = words.join(' ')
  if (name === 'auth login') return explainLoginSurplus(given)
  const takes = accepted === 0 ? 'no argument' : counted(accepted, 'argument')
  const message = `${name} takes ${takes}, not ${given.length}`
  const hint = (hint: Hint) => new UsageError(message, { hint })
  if (given.some(mayBeKey)) return hint(suggestHelpOn(words))
  const [first = '', ...more] = given
  const extra = given[accepted] ?? ''
  // A word after a flag that takes no value was probably meant as its value.
  const before = argv[argv.lastIndexOf(extra) - 1]
  if (listOptions(command).some((option) => option.isBoolean() && option.long === before)) {
    // `--count type` means `--count-by type`.
    const isGrouped = listOptions(command).some(({ long }) => long === `${before}-by`)
    const fixed = isGrouped
      ? rest.map((word) => (word === before ? `${word}-by` : word))
      : removeWords(rest, [extra])
    return new UsageError(`${before} takes no value`, { hint: ['type: ', suggest([...words, ...fixed])] })
  }
  const joined = joinSplitValue(rest, listOptions(command), given.length - accepted)
  if (joined) return hint([quoteValue, suggest([...words, ...joined])])
  const meant = lookUp(values, extra.toLowerCase()) ?? extra.toLowerCase()
  const flagOfExtra = findFlagOf(meant, listOptions(command))
  if (flagOfExtra && accepted > 0 && given.length === accepted + 1 && !rest.includes(flagOfExtra)) {
    const others = fitWords(words, removeWords(rest, [extra]))
    return hint(['did you mean: ', suggest([...others, flagOfExtra, meant])])
  }
  const flagsOnly = removeWords(rest, given)
  const again = given.findIndex((_, i) => words.every((word, j) => given[i + j] === word))
  if (again >= 0)
    return hint(['type the command once: ', suggest([...words, ...given.slice(0, again), ...flagsOnly])])
  const { surplusHint } = command
  const own = typeof surplusHint === 'function' ? surplusHint(given.slice(accepted)) : surplusHint
  if (own !== undefined) return hint(own)
  const { flag, reason, pattern } = lookUp(flagsOfArguments, name) ?? {}
  const text = given.join(' ')
  if (flag && reason && pattern?.test(text))
    return hint([reason, suggest([...words, flag, text, ...flagsOnly])])
  const named = given.findIndex((word) => /^(name|email):/.test(word))
  if (named >= 0 && named < accepted) {
    const name = given.slice(named, named + given.length - accepted + 1).join(' ')
    const others = given.slice(named + given.length - accepted + 1)
    return hint([quoteValue, suggest([...words, ...given.slice(0, named), name, ...others, ...flagsOnly])])
  }
  if (command.registeredArguments[0]?.name() === 'room' && !idPattern.test(first)) {
    const others = given.slice(given.length - accepted + 1)
    const room = toRoomName(given.slice(0, given.length - accepted + 1).join(' '))
    return hint([quoteValue, suggest([...words, room, ...others, ...flagsOnly])])
  }
  if (command.registeredArguments[0]?.name() === 'user' && more.length > 0)
    return hint([
      'find a user by name with: ',
      suggest(['users', 'list', '--where', `name=${given.join(' ')}`]),
    ])
  return hint(suggestHelpOn(words))
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

function explainInvalidValue({ said, program, command, words, rest }: UsageProblem): UsageError | undefined {
  const [, flags, flagValue, flagChoices] =
    /^option '(.*?)' argument '([\s\S]*)' is invalid\. Allowed choices are (.*)\.$/.exec(said) ?? []
  const [, given, argument, allowed] =
    /^command-argument value '([\s\S]*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/.exec(
      said,
    ) ?? []
  const name = flags === undefined ? argument : (flags.match(/--[\w-]+/g)?.at(-1) ?? flags)
  const choices = (flagChoices ?? allowed)?.split(', ')
  if (name === undefined || choices === undefined) return undefined
  const value = flagValue ?? given ?? ''
  const message = `${name} must be ${formatChoices(choices)}${mayBeKey(value) ? '' : `, not “${value}”`}`
  const meant =
    choices.find((choice) => choice === lookUp(values, value.toLowerCase())) ?? findClosest(value, choices)
  const names = flags?.split(/[ ,]+/) ?? []
  const at = rest.findIndex(
    (word, i) =>
      names.some((each) => word === `${each}=${value}`) ||
      (word === value && (!flags || names.includes(rest[i - 1] ?? ''))),
  )
  if (meant === undefined || at < 0)
    return new UsageError(message, {
      hint: flags === undefined ? findExample(command, program) : suggestHelpOn(words, name),
    })
  const fixed = rest.map((word, i) => (i === at ? word.slice(0, word.length - value.length) + meant : word))
  return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...fixed])] })
}

/**
 * Suggests help on a flag or a command.
 * @param flag flag that may have its own help topic
 */
function suggestHelpOn(words: readonly string[], flag?: string): Hint {
  return ['see: ', flag === '--output' ? suggest(['help', 'output']) : suggestHelp(...words)]
}

/** Returns an example that needs no shell and has no `--yes`. */
function findExample(command: MeetroomCommand, program: MeetroomCommand): Hint {
  for (const line of command.examples) {
    const { words, special } = splitWords(line)
    const [name, ...argv] = words
    if (special !== undefined || argv.includes('--yes') || name !== 'meetroom') continue
    const example = splitLine(program, argv)
    return ['as in: ', suggest([...example.words, ...example.rest])]
  }
  return suggestHelpOn(commandPath(command))
}
