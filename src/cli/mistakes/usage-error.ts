import type { CommanderError, Option } from 'commander'
import { formatChoices } from '../../api/either.ts'
import { type Hint, type MeetroomError, suggest, UsageError } from '../../errors.ts'
import { ColumnsError, MissingColumnsError, RosterColumnsError } from '../import/read/unknown-columns.ts'
import {
  CommandLineError,
  commandPath,
  findCommand,
  joinBooleans,
  listOptions,
  MeetroomCommand,
} from '../kernel/meetroom-command.ts'
import { NoRoomsError } from '../lists/select-rooms.ts'
import { flags, lookUp } from '../matching/meanings.ts'
import { correctMisspelling, findNearChoice } from '../matching/near.ts'
import { quoteWord } from '../output/hint-text.ts'
import { explainColumns, explainImport, explainMissingColumns, explainRoster } from './columns.ts'
import { findExample, findInputFile, isGiven } from './examples.ts'
import type { CalledCommand } from './intended.ts'
import { convertTemplate } from './json-fields.ts'
import { explainMissingFile } from './missing-file.ts'
import { isReference, splitOperands } from './operands.ts'
import { explainShellWords, joinSplitValue } from './shell-words.ts'
import { explainSurplus } from './surplus-words.ts'
import { editLine, mayBeKey, removeWords, splitLine, splitTyped } from './typed.ts'
import { explainCurl, explainUnknownCommand, findVerb } from './unknown-command.ts'
import { explainUnknownFlag } from './unknown-flag.ts'
import { isReading, quoteValue, suggestHelpOn, type UsageProblem, withoutYes } from './usage-problem.ts'

/** @param program root, because a suggestion may be for another group */
export function explainUsage(
  error: CommanderError,
  given: readonly string[],
  program: MeetroomCommand,
  host: UsageProblem['host'],
): UsageError {
  const argv = joinBooleans(given, listOptions(splitTyped(program, given).command))
  const typed = splitTyped(program, argv)
  const failed = error instanceof CommandLineError && error.command.parent ? error.command : typed.command
  const command = failed instanceof MeetroomCommand ? failed : program
  const words = commandPath(command)
  const said = error.message.replace(/^error: /, '').split('\n')[0] ?? ''
  const explain = lookUp(explanations, error.code)
  const explained =
    explain?.({ said, program, command, words, rest: typed.rest, argv, host }) ??
    new UsageError('the command line is not valid', { hint: suggestHelpOn(words) })
  const hint = explainShellWords(program, argv)
  return hint ? new UsageError(explained.message, { hint }) : explained
}

/** Replaces the hint of an error with a hint on the probable mistake, if a mistake is found. */
export function explainValue(
  error: MeetroomError,
  { program, argv, given: operands }: Pick<CalledCommand, 'program' | 'argv' | 'given'>,
): MeetroomError {
  correctMisspelling(error)
  const { command, words, rest } = splitTyped(program, argv)
  const [given = '', meant = '', redirection = ''] = error.correction ?? []
  // Without words that may be secret, a suggestion would be incomplete.
  const isWhole = rest.length > 0 || splitLine(program, argv).rest.length === 0
  const isBaseUrl = isWhole && given !== '' && argv[argv.indexOf('--base-url') + 1] === given
  // The correction may be `@FILE` instead of a secret.
  const fixed = rest.length > 0 ? undefined : replaceValue(argv, error.correction)
  const corrected =
    replaceValue(rest, error.correction) ?? (isBaseUrl ? [...rest, '--base-url', meant] : undefined)
  const line = corrected ?? (fixed && splitTyped(program, fixed).rest)
  if (line?.length) error.hint = ['did you mean: ', suggest([...words, ...line]), redirection]
  if (line?.length) return error
  const { lineEdit } = error
  const edited = isWhole && lineEdit ? editLine(command, rest, lineEdit) : undefined
  const edit: Hint | undefined = lineEdit &&
    edited && [lineEdit.before, suggest([...words, ...edited]), lineEdit.after ?? '']
  if (!(error instanceof UsageError)) {
    if (edit) error.hint = edit
    return error
  }
  const isExplained = error.hint !== undefined && !error.correction
  const joined = isExplained ? undefined : joinSurplus(rest, listOptions(command), operands.length)
  const hint: Hint | undefined =
    explainShellWords(program, argv, isExplained) ??
    edit ??
    explainMissingFile(error, words, rest) ??
    (joined && [quoteValue, suggest([...words, ...joined])]) ??
    (error instanceof NoRoomsError ? suggestAllRooms(words, rest) : undefined) ??
    (error instanceof ColumnsError ? explainColumns(error, { words, rest, file: operands[0] }) : undefined) ??
    (error instanceof MissingColumnsError ? explainMissingColumns(error, { words, rest }) : undefined) ??
    (error instanceof RosterColumnsError ? explainRoster(error, { words, rest }) : undefined)
  if (hint) error.hint = hint
  return error
}

/** Joins as many operands as possible to the value before them. */
function joinSurplus(
  rest: readonly string[],
  options: readonly Option[],
  surplus: number,
): string[] | undefined {
  return surplus < 1
    ? undefined
    : (joinSplitValue(rest, options, surplus) ?? joinSurplus(rest, options, surplus - 1))
}

/** Replaces a value at the end of exactly one word, such as `--since=1.9.2026`. */
function replaceValue(
  words: readonly string[],
  [given, meant]: MeetroomError['correction'] = ['', ''],
): string[] | undefined {
  const ends = words.filter((word) => given !== '' && word.endsWith(given))
  if (ends.length !== 1) return undefined
  return words.map((word) => (word === ends[0] ? word.slice(0, word.length - given.length) + meant : word))
}

const suggestAllRooms = (words: readonly string[], rest: readonly string[]): Hint => [
  'for all rooms: ',
  suggest([...words, ...rest, '--all-rooms']),
]

const listProfiles: Hint = ['list the profiles with: ', suggest(['profiles', 'list'])]

type Explain = (problem: UsageProblem) => UsageError | undefined

const explanations: Readonly<Record<string, Explain>> = {
  'commander.unknownCommand': ({ said, program, command, words, rest, argv, host }) => {
    const [, word = ''] = /'([\s\S]*)'/.exec(said) ?? []
    const profile = argv[argv.indexOf('--profile') + 1] ?? ''
    if (argv.includes('--profile') && findCommand(program, profile))
      return new UsageError('--profile needs the name of a profile', {
        hint: listProfiles,
      })
    if (word === 'curl') return explainCurl(argv.slice(argv.indexOf(word) + 1))
    const others = rest.slice(rest.indexOf(word) + 1)
    const isImport = words.length === 0 && findVerb('users', word) === 'import'
    const hint = isImport ? explainImport(others, host.cwd) : undefined
    if (hint) return new UsageError(`unknown command “${word}”`, { hint })
    return explainUnknownCommand(word, command, words[0], others)
  },
  'commander.unknownOption': explainUnknownFlag,
  'commander.excessArguments': explainSurplus,
  'commander.invalidArgument': explainInvalidValue,
  'commander.missingArgument': ({ said, command, program, words, rest, argv, host }) => {
    const [, name = ''] = /'(.*)'/.exec(said) ?? []
    const [, key = '', value = ''] = /^([\w-]+)=([\s\S]*)$/.exec(rest[0] ?? '') ?? []
    if (key !== '' && command.registeredArguments[0]?.name() === 'setting')
      return new UsageError(`the argument “${name}” is missing`, {
        hint: ['type: ', suggest([...words, key, value, ...rest.slice(1)])],
      })
    const profile = name === 'profile' ? argv[argv.indexOf('--profile') + 1] : undefined
    if (profile !== undefined && argv.includes('--profile'))
      return new UsageError(`the argument “${name}” is missing`, {
        hint: ['type: ', suggest([...words, profile, ...rest])],
      })
    if (name === 'path' && rest[0]?.startsWith('/'))
      return new UsageError('the argument “method” is missing', {
        hint: ['type: ', suggest([...words, 'GET', ...rest])],
      })
    const has = (flag: string) => listOptions(command).some(({ long }) => long === flag)
    if (name === 'room' && has('--all-rooms') && (isReading(command) || rest.includes('--user')))
      return new UsageError(`the argument “${name}” is missing`, {
        hint: suggestAllRooms(words, isReading(command) ? rest : [...withoutYes(rest), '--dry-run']),
      })
    const [operands, flags] = splitOperands(rest)
    const [, last] = command.registeredArguments
    // The only operand may be the text of a message.
    const isText = operands.length === 1 && last?.name() === 'text' && !isReference(operands[0] ?? '')
    const given = isText ? ['ROOM', ...operands] : operands
    const isRead = isText || given.every((word, i) => isGiven(command.registeredArguments[i], word))
    const example = findExample(command, program, isRead ? given : [], isRead ? flags : [])
    const argument = command.registeredArguments[given.length]
    if (argument?.argChoices)
      return new UsageError(`the argument “${name}” is missing: ${formatChoices(argument.argChoices)}`, {
        hint: example,
      })
    if (!isRead || !/ standard input$/.test(argument?.description ?? ''))
      return new UsageError(`the argument “${name}” is missing`, { hint: example })
    const input = findInputFile(host)
    const piped = suggest([...words, ...given, '-', ...flags])
    return new UsageError(`the argument “${name}” is missing`, {
      hint:
        input === undefined
          ? host.stdin.isTTY
            ? [example, '; from a pipe: ', piped]
            : ['from a pipe: ', piped, '; else ', example]
          : ['“-” reads standard input: ', piped, ` < ${quoteWord(input)}`],
    })
  },
  'commander.missingMandatoryOptionValue': ({ said, command, program, words, rest }) => {
    const [, flag = ''] = /'(.*)'/.exec(said) ?? []
    const [long = ''] = flag.match(/--[\w-]+/) ?? []
    const at = rest.findIndex((word) => lookUp(flags, word)?.includes(long))
    if (at >= 0 && at + 1 < rest.length)
      return new UsageError(`unknown flag “${rest[at]}”`, {
        hint: ['did you mean: ', suggest([...words, ...rest.with(at, long)])],
      })
    const { args, registeredArguments } = command
    const surplus = args.slice(registeredArguments.length)
    // A surplus word may be the value of the missing flag.
    if (long === '--for' && surplus.length === 1 && rest.length > 0 && !surplus.some(mayBeKey))
      return new UsageError(`${long} is missing`, {
        hint: ['did you mean: ', suggest([...words, ...removeWords(rest, surplus), long, ...surplus])],
      })
    const isRead = surplus.length === 0 && !args.includes(command.name())
    return new UsageError(`${long} is missing`, {
      hint: findExample(command, program, ...(isRead ? [args, removeWords(rest, args)] : [])),
    })
  },
  'commander.optionMissingArgument': ({ said, command, words }) => {
    const [, flag = ''] = /'(?:-[\w-]+, )?(.*)'/.exec(said) ?? []
    const { description = '' } = listOptions(command).find(({ flags }) => flags.endsWith(flag)) ?? {}
    const [long = ''] = flag.split(' ')
    if (long === '--profile')
      return new UsageError(`${long} needs the name of a profile`, { hint: listProfiles })
    if (long === '--delimiter' || long === '--split')
      return new UsageError(`${long} needs a value`, {
        hint: `quote a special character of the shell, as in ${long} ';'`,
      })
    return new UsageError(`${long} needs a value: ${flag}`, {
      hint: [`${description}; `, ...[suggestHelpOn(words)].flat()],
    })
  },
  'meetroom.repeatedOption': ({ said, words, rest }) => {
    const [, flag = ''] = /'(.*)'/.exec(said) ?? []
    const message = `${flag} must be given once, not twice`
    const isList = flag === '--columns' || flag === '--sort'
    return new UsageError(message, {
      hint: isList
        ? ['type: ', suggest([...words, ...joinRepeated(rest, flag)])]
        : suggestHelpOn(words, flag),
    })
  },
  'commander.conflictingOption': ({ said, words }) => {
    const [one, other] = [...said.matchAll(/'(?:-[\w-]+, )?(--[\w-]+)[^']*'/g)].map(([, flag]) => flag)
    return new UsageError(`${one} and ${other} cannot be used together`, { hint: suggestHelpOn(words) })
  },
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
  const format = name === '--output' ? readFileFormat(value) : undefined
  const meant = format ?? findNearChoice(value, choices)
  const [, columns] = (name === '--output' && /^(?:custom-)?columns?=(\w+(?:,\w+)*)$/i.exec(value)) || []
  const names = flags?.split(/[ ,]+/) ?? []
  const at = rest.findIndex(
    (word, i) =>
      names.some((each) => word === `${each}=${value}`) ||
      (word === value && (!flags || names.includes(rest[i - 1] ?? ''))),
  )
  const query = name === '--output' ? convertTemplate(value, words) : undefined
  if ((columns ?? query) !== undefined && at >= 0) {
    const isJoined = rest[at] !== value
    const others = rest.toSpliced(isJoined ? at : at - 1, isJoined ? 1 : 2)
    const instead = columns === undefined ? ['--query', query ?? ''] : ['--columns', columns]
    return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...others, ...instead])] })
  }
  if (
    name === '--output' &&
    /^(html|pdf)$/i.test(value) &&
    listOptions(command).some(({ long }) => long === '--html')
  )
    return new UsageError(message, { hint: 'write a page with --html FILE' })
  if (meant === undefined || at < 0)
    return new UsageError(message, {
      hint: flags === undefined ? findExample(command, program) : suggestHelpOn(words, name),
    })
  const fixed = rest.map((word, i) => (i === at ? word.slice(0, word.length - value.length) + meant : word))
  const file = format !== undefined && !value.endsWith(`.${format}`) ? value.replace(/[^.]+$/, format) : value
  const redirection = format === undefined ? '' : ` > ${quoteWord(file)}`
  return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...fixed]), redirection] })
}

function readFileFormat(name: string): string | undefined {
  const [, ending = ''] = /.\.(\w+)$/.exec(name) ?? []
  return findNearChoice(ending, ['json', 'ndjson', 'csv', 'tsv'])
}

function joinRepeated(rest: readonly string[], flag: string): string[] {
  const values: string[] = []
  const others: string[] = []
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] ?? ''
    if (word === flag) values.push(rest[++i] ?? '')
    else if (word.startsWith(`${flag}=`)) values.push(word.slice(flag.length + 1))
    else others.push(word)
  }
  return [...others, `${flag}=${values.join(',')}`]
}
