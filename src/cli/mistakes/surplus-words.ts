import { counted } from '../../api/plural.ts'
import { minKeyLength } from '../../config/settings.ts'
import { profileName } from '../../config/stored-file.ts'
import { type Hint, suggest, UsageError } from '../../errors.ts'
import { matchAny } from '../filter/near-miss.ts'
import { IdArgument } from '../input/id-arguments.ts'
import { findNearJson } from '../input/near-json.ts'
import { listOptions, type MeetroomCommand } from '../kernel/meetroom-command.ts'
import { flagsOfArguments, lookUp } from '../matching/meanings.ts'
import { parseReference, toRoomName } from '../matching/reference.ts'
import { linkWords, NamedArgument } from '../names/arguments.ts'
import { views } from '../output/views/views.ts'
import { explainFixedField } from './foreign-flag.ts'
import { isFieldList, suggestFields } from './json-fields.ts'
import { explainKeyAsArgument } from './key-as-argument.ts'
import { fitWords, isReference, isSentence } from './operands.ts'
import { joinSplitValue } from './shell-words.ts'
import { mayBeKey, removeWords } from './typed.ts'
import { findVerb } from './unknown-command.ts'
import { findFilterField } from './unknown-flag.ts'
import { findFlagOf, isReading, quoteValue, suggestHelpOn, type UsageProblem } from './usage-problem.ts'

export function explainSurplus({ command, words, rest, argv, host }: UsageProblem): UsageError {
  const accepted = command.registeredArguments.length
  const given = command.args
  const name = words.join(' ')
  if (
    name === 'auth login' &&
    (given.length > accepted || given.some((word) => word.length >= minKeyLength && !/^https?:/i.test(word)))
  )
    return explainKeyAsArgument(argv, host.cwd)
  const takes = accepted === 0 ? 'no arguments' : counted(accepted, 'argument')
  const extra = given[accepted] ?? ''
  // The words of `auth login` and its siblings may contain the key.
  const unexpected = words[0] === 'auth' || mayBeKey(extra) ? '' : ` “${extra}”`
  const message = `unexpected argument${unexpected}: ${name} takes ${takes}`
  const hint = (hint: Hint) => new UsageError(message, { hint })
  if (given.some(mayBeKey)) return hint(suggestHelpOn(words))
  // The word may be meant as the value of a flag that takes no value.
  const before = argv[argv.lastIndexOf(extra) - 1]
  if (listOptions(command).some((option) => option.isBoolean() && option.long === before)) {
    if (isFieldList(before, extra)) {
      const others = removeWords(rest, [before ?? '', extra])
      return hint(suggestFields(command, [...words, ...others], extra))
    }
    // `--count type` means `--count-by type`.
    const isGrouped = listOptions(command).some(({ long }) => long === `${before}-by`)
    const fixed = isGrouped
      ? rest.map((word) => (word === before ? `${word}-by` : word))
      : removeWords(rest, [extra])
    return new UsageError(`${before} takes no value`, { hint: ['type: ', suggest([...words, ...fixed])] })
  }
  if (/^\/?(help|\?)$/i.test(extra)) return hint(suggestHelpOn(words))
  const sentence = readSentence(command, words, rest)
  if (sentence) return hint(['did you mean: ', suggest(sentence)])
  const joined = joinSplitValue(rest, listOptions(command), given.length - accepted)
  if (joined) return hint(suggestJoined(words, joined))
  const flagsOnly = removeWords(rest, given)
  const flagged = addFlagOfValue(command, words, rest)
  if (flagged) return hint(['did you mean: ', suggest([...words, ...flagged])])
  const again = given.findIndex((_, i) => words.every((word, j) => given[i + j] === word))
  if (again >= 0)
    return hint(['type the command once: ', suggest([...words, ...given.slice(0, again), ...flagsOnly])])
  const undashed = addDashes(given, rest, command)
  if (undashed) return hint(['did you mean: ', suggest([...words, ...undashed])])
  const [argument] = command.registeredArguments
  if (name !== 'workspace diff' && argument?.name() === 'file' && given.every((word) => /.\.\w+$/.test(word)))
    return hint([`one file per ${command.name()}: `, ...suggestEach(words, [], given, flagsOnly)])
  const elsewhere = explainFile(command, words, given, flagsOnly)
  if (elsewhere) return hint(elsewhere)
  const [flagOfExtra, meant = ''] = findFlagOf(extra, listOptions(command)) ?? []
  if (flagOfExtra && accepted > 0 && given.length === accepted + 1 && !rest.includes(flagOfExtra)) {
    const others = fitWords(words, removeWords(rest, [extra]))
    return hint(['did you mean: ', suggest([...others, flagOfExtra, meant])])
  }
  if (name === 'workspace diff' && given.length === 2 && given.every(isProfile))
    return hint([
      'compare two profiles with: ',
      suggest([...words, '--against', extra, '--profile', given[0] ?? '']),
    ])
  const [, field] = /^(\w+)=/.exec(extra) ?? []
  const fixed = field && explainFixedField(words, `--${field}`)
  if (fixed) return hint(fixed)
  const own = command.surplusHint?.(given.slice(accepted))
  if (own !== undefined) return hint(own)
  const { flag, before: start = '', reason, pattern } = lookUp(flagsOfArguments, name) ?? {}
  const text = given.join(' ')
  if (accepted === 0 && findFilterField(text, '', command) === text && isReading(command))
    return hint(['select fields with: ', suggest([...words, ...flagsOnly, '--columns', text])])
  if (flag && reason && pattern?.test(text) && !rest.includes(flag)) {
    const [choiceFlag, choice] = findFlagOf(given.at(-1) ?? '', listOptions(command)) ?? []
    const named =
      choiceFlag && choice && given.length > 1 && !rest.includes(choiceFlag)
        ? [flag, start + given.slice(0, -1).join(' '), choiceFlag, choice]
        : [flag, start + text]
    return hint([reason, suggest([...words, ...named, ...flagsOnly])])
  }
  return hint(explainTargets({ command, words }, given, flagsOnly))
}

/** Reads words such as `ada to Maths` or `ada as host`; undefined without a linking word. */
function readSentence(
  command: MeetroomCommand,
  words: readonly string[],
  rest: readonly string[],
): readonly string[] | undefined {
  const { args, registeredArguments } = command
  const linked = args.filter((word) => linkWords.has(word.toLowerCase()))
  if (linked.length === 0) return undefined
  const unlinked = removeWords(rest, linked)
  const [extra, ...others] = args.filter((word) => !linked.includes(word)).slice(registeredArguments.length)
  if (extra === undefined) return fitWords(words, args.length === 3 ? rest : unlinked)
  const [flag, choice] = findFlagOf(extra, listOptions(command)) ?? []
  if (flag && choice && others.length === 0)
    return [...words, ...removeWords(unlinked, [extra]), flag, choice]
  const verb = words[0] === 'users' && isSentence(args) ? findVerb('members', command.name()) : undefined
  return verb === undefined ? undefined : fitWords(['members', verb], rest)
}

/** Adds the flag for a surplus URL, or for the body of `api`. */
function addFlagOfValue(
  command: MeetroomCommand,
  words: readonly string[],
  rest: readonly string[],
): string[] | undefined {
  const extras = command.args.slice(command.registeredArguments.length)
  const [extra = '', ...others] = extras
  const body = (word: string) => [/^[[{]/.test(word) ? '--data' : '--field', word]
  if (words[0] === 'api' && extras.every((word) => /^[[{]|^\w+=/.test(word)))
    return [...removeWords(rest, extras), ...extras.flatMap(body)]
  const flag = ['--image', '--webhook-url', '--profile-url'].find((long) =>
    listOptions(command).some((option) => option.long === long),
  )
  return flag && others.length === 0 && /^https?:/i.test(extra) && !rest.includes(flag)
    ? [...removeWords(rest, [extra]), flag, extra]
    : undefined
}

/** Returns true for the name of a profile without the extension of a file. */
const isProfile = (word: string) => profileName.test(word) && !/\.(ya?ml|json|csv)$/i.test(word)

/** Explains several targets in place of one, and the words of an unquoted name or text. */
function explainTargets(
  { command, words }: Pick<UsageProblem, 'command' | 'words'>,
  given: readonly string[],
  flagsOnly: readonly string[],
): Hint {
  const [argument, last = argument] = command.registeredArguments
  const surplus = given.length - command.registeredArguments.length
  const type = (...operands: readonly string[]) => suggest([...words, ...operands, ...flagsOnly])
  const [first = '', ...more] = given
  const others = given.slice(surplus + 1)
  const targets = given.slice(0, surplus + 1)
  const one = type(first.replace(/,$/, ''), ...others)
  if (targets.every(isReference) && !others.some(isReference)) {
    const condition = others.length === 0 && !isReading(command) ? findCondition(command, targets) : undefined
    if (condition) return ['select several by a condition: ', type('--where', condition)]
    return [
      `one ${argument?.name()} at a time: `,
      ...suggestEach(words, [], targets, [...others, ...flagsOnly]),
    ]
  }
  const hasName = listOptions(command).some(({ long }) => long === '--name')
  if (argument === last && hasName && more.some((word) => /^\p{Lu}/u.test(word)) && words[0] === 'users')
    return ['pass the name with: ', type(first, '--name', more.join(' '))]
  if (argument !== last && !(last instanceof IdArgument))
    return ['quote the text: ', type(first, more.join(' '))]
  const areIds = more.length > 1 && more.every((word) => /^[a-z\d][\w.-]*$/.test(word))
  if (argument !== last && isReference(first) && areIds)
    return [`one ${last?.name()} at a time: `, ...suggestEach(words, [first], more, flagsOnly)]
  const isNameOfUser = last instanceof NamedArgument && last.kind === 'user'
  if (
    argument !== last &&
    isReference(first) &&
    isNameOfUser &&
    more.every((word) => /^\p{Lu}\p{Ll}/u.test(word))
  )
    return [quoteValue, type(first, `name:${more.join(' ')}`)]
  const named = given.findIndex((word) => /^(name|email):\S*$/.test(word))
  const end = named + surplus + 1
  if (named >= 0 && end <= given.length && !given.slice(named + 1, end).some(isReference)) {
    const name = given
      .slice(named, end)
      .join(' ')
      .replace(/^(name|email): /, '$1:')
    return [quoteValue, type(...given.slice(0, named), name, ...given.slice(end))]
  }
  const isOneKind = more.every((word) => isReference(word) === isReference(more[0] ?? ''))
  if (argument !== last && isReference(first) && isOneKind)
    return [`one ${last?.name()} at a time: `, ...suggestEach(words, [first], more, flagsOnly)]
  if (!(argument instanceof NamedArgument) || isReference(first)) return suggestHelpOn(words)
  const name = type(toRoomName(targets.join(' ').replace(/^name /, '')), ...others)
  // Words in lower case are probably IDs.
  if (given.some((word) => /^\p{Lu}/u.test(word))) return [quoteValue, name]
  return [`one ${argument.kind} at a time: `, one, '; or quote a name with spaces: ', name]
}

/** Suggests a command for each of the first operands. */
function suggestEach(
  words: readonly string[],
  before: readonly string[],
  operands: readonly string[],
  after: readonly string[],
): Hint[] {
  return operands
    .slice(0, 4)
    .flatMap((operand, i) => [i === 0 ? '' : '; ', suggest([...words, ...before, operand, ...after])])
}

/** Returns a condition that all targets meet, if possible. */
function findCondition(command: MeetroomCommand, targets: readonly string[]): string | undefined {
  const [argument] = command.registeredArguments
  if (!(argument instanceof NamedArgument) || !listOptions(command).some(({ long }) => long === '--where'))
    return undefined
  const references = targets.map((target) => parseReference(argument.kind, target))
  const [field = 'id', ...fields] = new Set(references.map((each) => ('id' in each ? 'id' : each.field)))
  if (fields.length > 0) return undefined
  const texts = references.map((each) => ('id' in each ? each.id : each.text))
  return `${field === 'id' ? views[argument.kind].id : field}~${matchAny(texts)}`
}

function suggestJoined(words: readonly string[], joined: readonly string[]): Hint {
  const isJson = joined.some((word) => word.startsWith('{'))
  const reason = isJson ? 'the shell removes the quotes of JSON; quote the complete JSON: ' : quoteValue
  return [reason, suggest([...words, ...joined.map((word) => findNearJson(word) ?? word)])]
}

/** Suggests `--room` for an import, and `--out` for `workspace export`. */
function explainFile(
  command: MeetroomCommand,
  words: readonly string[],
  given: readonly string[],
  flagsOnly: readonly string[],
): Hint | undefined {
  const takesRoom = listOptions(command).some(({ long }) => long === '--room')
  const room = given.find(isReference)
  const file = given.find((word) => word !== room)
  if (
    command.name() === 'import' &&
    takesRoom &&
    room &&
    file &&
    given.length === 2 &&
    !flagsOnly.includes('--room')
  )
    return ['did you mean: ', suggest([...words, file, '--room', room, ...flagsOnly])]
  if (words.join(' ') !== 'workspace export' || given.length !== 1 || !/.\.(ya?ml|json)$/i.test(file ?? ''))
    return undefined
  return ['write a new file with: ', suggest([...words, '--out', file ?? '', ...flagsOnly])]
}

/** Adds missing dashes or `--where`, as in `limit 5` or `type=open`. */
function addDashes(
  given: readonly string[],
  rest: readonly string[],
  command: MeetroomCommand,
): string[] | undefined {
  const options = listOptions(command)
  const fixed: string[] = []
  const accepted = command.registeredArguments.length
  let operands = 0
  let isFound = false
  const words = rest.filter((word) => word !== '-' && word !== '--')
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const [, key = '', value] =
      /^(?:\/(?=[^:=]+(?::|$)))?([a-z][\w-]*)(?:(?:=|(?<=^\/[^:]*):)([\s\S]+))?$/i.exec(word) ?? []
    const option = options.find(({ long }) => long === `--${key.replaceAll('_', '-').toLowerCase()}`)
    const isSurplus = given.includes(word) && operands >= accepted
    const field = value === undefined ? undefined : findFilterField(key, value, command)
    const canFilter = options.some(({ long }) => long === '--where') && isReading(command)
    if (isSurplus && option && (option.isBoolean() || value !== undefined || i + 1 < words.length)) {
      isFound = true
      const next = value ?? words[i + 1] ?? ''
      const isSwitch = option.isBoolean() && /^(true|false|on|off|yes|no)$/i.test(next)
      if (option.isBoolean())
        fixed.push(/^(false|off|no)$/i.test(next) && isSwitch ? `--no-${key}` : `--${key}`)
      else fixed.push(option.long ?? '', next)
      if (value === undefined && (isSwitch || !option.isBoolean())) i++
    } else if (isSurplus && field !== undefined && canFilter) {
      isFound = true
      fixed.push('--where', `${field}=${value}`)
    } else {
      if (given.includes(word)) operands++
      fixed.push(word)
    }
  }
  return isFound && operands <= accepted ? fixed : undefined
}
