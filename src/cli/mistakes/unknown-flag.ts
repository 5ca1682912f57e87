import type { Option } from 'commander'
import { findClosest } from '../../api/closest.ts'
import { idPattern } from '../../api/path.ts'
import { defaultLimit } from '../../api/vocabulary.ts'
import { profileName } from '../../config/stored-file.ts'
import { formats } from '../../config/values.ts'
import { suggest, suggestHelp, UsageError } from '../../errors.ts'
import { dayNumber, formatDayNumber } from '../calendar/time-zone.ts'
import { findResource, resourceView } from '../filter/command-fields.ts'
import { conditionTypes } from '../filter/where.ts'
import type { FlagKind } from '../input/input.ts'
import { isDestructive } from '../kernel/effect.ts'
import { commandPath, listOptions, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { flags, lookUp, searching } from '../matching/meanings.ts'
import { findNearChoice, findNearField, findSynonym } from '../matching/near.ts'
import { rowsOfCommands } from '../output/views/rows.ts'
import { explainFixedField, explainForeignFlag } from './foreign-flag.ts'
import { convertJq, convertTemplate, isFieldList, suggestFields } from './json-fields.ts'
import { explainKeyAsArgument } from './key-as-argument.ts'
import { fitRoom, splitOperands } from './operands.ts'
import { removeWords } from './typed.ts'
import { findFlagOf, isReading, suggestHelpOn, type UsageProblem, withoutYes } from './usage-problem.ts'

export function explainUnknownFlag({
  said,
  command,
  words,
  rest,
  argv,
}: UsageProblem): UsageError | undefined {
  // The message must not repeat the value after `=`, which may be a key.
  const [, typed = '', flag = ''] = /^unknown option '((-[^'=]*)[\s\S]*)'$/.exec(said) ?? []
  const next = argv[argv.indexOf(typed) + 1] ?? '-'
  const isKey =
    /^--?(api-?key|key|token)/i.test(flag) || (words[0] === 'auth' && /^--?(pass(word)?|secret)$/.test(flag))
  if (isKey && (typed !== flag || words[0] === 'auth' || !next.startsWith('-')))
    return explainKeyAsArgument(argv)
  const options = listOptions(command)
  const own = options.find(({ long, short }) => long === flag || short === flag)
  if (own?.isBoolean()) {
    const value = typed.slice(flag.length + 1)
    const others = rest.filter((word) => word !== typed)
    if (isFieldList(flag, value) && !/^(true|false|no|off|yes|on)$/i.test(value))
      return new UsageError(`${flag} takes no value`, {
        hint: suggestFields(command, [...words, ...others], value),
      })
    const isOff = /=(false|no|0|off)$/i.test(typed)
    const opposites = [flag.replace(/^--/, '--no-'), flag.replace(/^--/, '--un')]
    const off = options.find(({ long }) => opposites.includes(long ?? ''))?.long
    const fixed = rest.flatMap((word) => (word === typed ? (isOff ? (off ?? []) : flag) : word))
    return new UsageError(`${flag} takes no value`, { hint: ['type: ', suggest([...words, ...fixed])] })
  }
  const message = `unknown flag “${flag}”`
  const [child, ...others] = command.commands.filter((each) =>
    each.options.some(({ long, short }) => long === flag || short === flag),
  )
  if (child && others.length === 0 && words.length > 0)
    return new UsageError(message, { hint: ['did you mean: ', suggest([...words, child.name(), ...rest])] })
  if (flag === '-v' && words.length === 0 && rest.length === 1)
    return new UsageError(message, { hint: ['did you mean: ', suggest(['--version'])] })
  const reason = explainFixedField(words, flag) ?? explainForeignFlag(flag, command, words, rest)
  if (reason) return new UsageError(message, { hint: reason })
  if (/^-\d|\s/.test(flag))
    return new UsageError(message, {
      hint: [
        'a value that begins with a dash follows --: ',
        suggest([...words, ...removeWords(rest, [typed])], typed),
      ],
    })
  const respelled = respellFlag(flag, options, rest)
  if (respelled)
    return new UsageError(`unknown flag “${respelled.typed}”`, {
      hint: ['did you mean: ', suggest([...words, ...respelled.words])],
    })
  const [given] = splitOperands(rest.filter((word) => word !== flag))
  const isPlace = /^--(to|into|in)$/.test(flag) && command.registeredArguments.length === 2
  if (isPlace && given.length === 2)
    return new UsageError(message, {
      hint: ['did you mean: ', suggest([...words, ...rest.filter((word) => word !== flag)])],
    })
  const fixed = replaceUnknown(flag, command, options, rest)
  if (/^-+(h|help|hlep|hepl|\?)$/i.test(flag))
    return new UsageError(message, { hint: ['did you mean: ', suggestHelp(...words)] })
  if (fixed) return new UsageError(message, { hint: ['did you mean: ', suggest([...words, ...fixed])] })
  return new UsageError(message, { hint: suggestHelpOn(words) })
}

/** Corrects flags such as `-yes` and `--limit:3`. */
function respellFlag(flag: string, options: readonly Option[], rest: readonly string[]) {
  const find = (long: string) => options.find((option) => option.long === long && !option.hidden)
  for (const [at, typed] of rest.entries()) {
    const [, dashes, name, value] = /^(--?)([a-z][a-z-]+)(?:[:=]([\s\S]+))?$/.exec(typed) ?? []
    const option = find(`--${name}`)
    if (!option?.long || (dashes === '--' && (typed !== flag || !typed.includes(':')))) continue
    return { typed, words: rest.toSpliced(at, 1, option.long, ...(value === undefined ? [] : [value])) }
  }
  return undefined
}

/** Finds the field that a flag such as `--status` means in the list of a command. */
export function findFilterField(word: string, value: string, command: MeetroomCommand): string | undefined {
  const resource = findResource(command)
  if (!resource)
    return findNearField(word, Object.keys(rowsOfCommands[commandPath(command).join(' ')]?.shape ?? {}), 0)
  const isName = word === 'room' && resource.name === 'room'
  if (isName) return idPattern.test(value) ? 'id' : 'name'
  return findNearField(word, [...conditionTypes(resource, resourceView(resource)).keys()], 0)
}

/** Finds the condition that a flag such as `--terminated` means. */
function findState(word: string, command: MeetroomCommand): string | undefined {
  const resource = findResource(command)
  const choices = Object.entries((resource && resourceView(resource).choices) ?? {})
  const exact = choices.find(([, values]) => values.includes(word))
  if (exact) return `${exact[0]}=${word}`
  const found = choices.flatMap(
    ([field, values]) => findSynonym(word, values)?.replace(/^/, `${field}=`) ?? [],
  )
  return found.length === 1 ? found[0] : undefined
}

/** Replaces an unknown flag, and then other unknown flags if possible. */
function replaceUnknown(
  flag: string,
  command: MeetroomCommand,
  options: readonly Option[],
  rest: readonly string[],
): readonly string[] | undefined {
  const fixed = findIntendedWords(flag, command, options, rest)
  const isKnown = (name: string) => options.some(({ long, short }) => name === long || name === short)
  const others =
    fixed?.filter((word) => /^-{1,2}[a-z]/i.test(word) && !isKnown(word.split('=')[0] ?? '')) ?? []
  return others.reduce<readonly string[] | undefined>(
    (words, other) =>
      (words && findIntendedWords(other.split('=')[0] ?? '', command, options, words)) ?? words,
    fixed,
  )
}

function readDay(text: string): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  return dayNumber(Number(year), Number(month), Number(date))
}

/** Returns the flag for a time in another unit, `--set` for a field without a flag, or nothing for `--type image --image`. */
function findFieldFlag(
  flag: string,
  value: string,
  command: MeetroomCommand,
  options: readonly Option[],
  rest: readonly string[],
): readonly string[] | undefined {
  const isNamed = (word: string) => [word, ...(lookUp(flags, word) ?? [])].includes(`--${value}`)
  if (options.some(({ long }) => long === `--${value}`) && rest.some(isNamed)) return []
  const [, stem, unit] = /^--(.+)-(minute|min|hour)s?$/.exec(flag) ?? []
  const seconds = options.find(({ long }) => long?.startsWith(`--${stem}`) && long.endsWith('-seconds'))
  if (stem !== undefined && seconds?.long && /^\d+$/.test(value))
    return [seconds.long, `${value}${unit === 'hour' ? 'h' : 'm'}`]
  const field = flag.slice(2).replaceAll('-', '_')
  const { fields = {} } = findResource(command) ?? {}
  const isWritable = Object.hasOwn(fields, field) && fields[field]?.write !== undefined
  return isWritable && options.some(({ long }) => long === '--set')
    ? ['--set', `${field}=${value}`]
    : undefined
}

/** Returns the argument that a flag such as `--id`, `--room` or `--name` means; undefined if none is missing. */
function toOperand(
  flag: string,
  value: string,
  command: MeetroomCommand,
  rest: readonly string[],
): string | undefined {
  const { registeredArguments } = command
  const at = registeredArguments.findIndex((each, i) => {
    const name = each.name()
    const fields = { room: ['--name'], user: ['--name', '--email'] }[name] ?? []
    return [`--${name}`, `--${name}-id`, i > 0 ? '--member' : '--id', ...fields].includes(flag)
  })
  const [given] = splitOperands(rest.filter((word) => word !== flag))
  const isFree = registeredArguments[at]?.variadic || given.length <= registeredArguments.length
  if (at < 0 || !isFree) return undefined
  return flag === '--room'
    ? fitRoom(value)
    : /^--(name|email)$/.test(flag)
      ? `${flag.slice(2)}:${value}`
      : value
}

/** Returns the words after the command with the probable flag instead of `flag`; undefined without one. */
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
    if (option && !option.required && !option.optional)
      return [...rest.slice(0, at), long, ...rest.slice(at + 1)]
    // A time is no user, and a number of a flag without a unit means minutes.
    const isTime = /^\d+[smhdw]?$/.test(value ?? '')
    if (value === undefined || (isTime && (long === '--as' || long === '--user'))) return undefined
    if (long === '--max-meeting-seconds' && /^\d+$/.test(value) && !flag.endsWith('seconds'))
      return replaced(long, `${value}m`)
    // A plural such as `--members ada,grace` means a repeated flag.
    const isList = (option?.parseArg as FlagKind | undefined)?.repeatable === true && flag === `${long}s`
    const isName = (long === '--as' || long === '--user') && /^[^:]+ [^:]+$/.test(value)
    const values = isList ? value.split(',') : [isName ? `name:${value}` : value]
    return replaced(...values.flatMap((each) => [long, each]))
  }
  const operand = value === undefined ? undefined : toOperand(flag, value, command, rest)
  if (operand !== undefined) return replaced(operand)
  if (/^--da(te|y)$/.test(flag) && value !== undefined) {
    const day = readDay(value)
    if (day === undefined && has('--period')) return replaced('--period', value)
    if (day !== undefined && has('--from') && has('--to'))
      return replaced('--from', value, '--to', formatDayNumber(day + 1))
  }
  const canFilter = has('--where') && isReading(command) && !lookUp(flags, flag)?.some(has)
  if (canFilter && value !== undefined) {
    if (searching.has(flag))
      return has('--search') ? renamed('--search') : replaced('--where', `name~${value}`)
    // Other programs have flags that filter lists by a field.
    const field = findFilterField(flag.slice(2), value, command)
    if (field === 'name' && has('--search')) return replaced('--search', value)
    if (field !== undefined && !value.startsWith('-')) return replaced('--where', `${field}=${value}`)
  }
  // The flag may be a value of another flag, such as `--private` for `--type private`.
  const isAlone = joined === undefined && (value ?? '-').startsWith('-')
  const [ofValue, choice = ''] = (isAlone && findFlagOf(flag.slice(2), options)) || []
  if (ofValue !== undefined)
    return rest.includes(ofValue) ? undefined : [...rest.slice(0, at), ofValue, choice, ...rest.slice(at + 1)]
  const state = isAlone && has('--where') ? findState(flag.slice(2), command) : undefined
  if (state !== undefined && canFilter) return [...rest.slice(0, at), '--where', state, ...rest.slice(at + 1)]
  if (state !== undefined && !isReading(command))
    return [...withoutYes(rest.toSpliced(at, 1, '--where', state)), '--dry-run']
  const meanings = lookUp(flags, flag)?.filter(has) ?? []
  const takesNumber = (long: string) => {
    const parse = options.find((option) => option.long === long)?.parseArg as FlagKind | undefined
    return parse?.kind !== undefined
  }
  const isNumber = /^\d+$/.test(value ?? '')
  const named = meanings.find((long) => takesNumber(long) === isNumber) ?? meanings[0]
  // `-f` without a value, or of a deletion, means `--force`.
  if (flag === '-f' && isDestructive(command.effect ?? 'reads') && !/\.\w+$/.test(value ?? ''))
    return rest.with(at, '--yes')
  if (flag === '-f' && isAlone) return undefined
  if (flag === '-f' && named === '--where' && !/[=<>~]/.test(value ?? '')) return undefined
  if (named === '--query' && value !== undefined) return replaced(named, convertJq(value, command))
  if (named === '--data' && value !== undefined) {
    const data = value.endsWith('.json') && !value.startsWith('@') ? `@${value}` : value
    return /^[{[@-]/.test(data) ? replaced(named, data) : undefined
  }
  if (named === '--output' && value !== undefined) {
    const template = convertTemplate(value, commandPath(command))
    if (template !== undefined) return replaced('--query', template)
    // Workspace files are YAML by default.
    if (commandPath(command).join(' ') === 'workspace export' && /^ya?ml$/i.test(value)) return replaced()
    const format = findNearChoice(value, formats)
    return format === undefined ? undefined : replaced(named, format)
  }
  if (named === '--profile' && !profileName.test(value ?? '')) return undefined
  if (named) return renamed(named)
  if (/^https?:/i.test(value ?? '') && has(`${flag}-url`)) return renamed(`${flag}-url`)
  const field = value === undefined ? undefined : findFieldFlag(flag, value, command, options, rest)
  if (field) return replaced(...field)
  if (flag === '--page' && has('--offset') && /^[1-9]\d{0,8}$/.test(value ?? ''))
    return replaced('--offset', toOffset(Number(value), rest))
  // A known flag of other programs is no misspelling.
  const near = lookUp(flags, flag) ? undefined : findNearFlag(flag, options)
  return near === undefined ? undefined : renamed(near)
}

/** Converts a page number from 1 to the offset of its first item. */
function toOffset(page: number, rest: readonly string[]): string {
  const [, size = defaultLimit] = /(?:^| )--(?:limit|per-page)[= ](\d+)/.exec(rest.join(' ')) ?? []
  return String((page - 1) * Number(size))
}

/** Returns the flag that differs little, or whose name the typed name continues. */
function findNearFlag(flag: string, options: readonly Option[]): string | undefined {
  const name = flag.replace(/^-+/, '')
  const names = options.flatMap(({ long, hidden }) => (long && !hidden ? [long.slice(2)] : []))
  const near = findClosest(name, names) ?? names.find((each) => name.startsWith(`${each}-`))
  return near && `--${near}`
}
