import type { Command } from 'commander'
import { findClosest } from '../../api/closest.ts'
import { type Hint, suggest, suggestExample, suggestHelp, UsageError } from '../../errors.ts'
import { type Effect, isDestructive, isHarmless, mayWrite } from '../kernel/effect.ts'
import { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { elsewhere, implied, isUndo, lookUp, meanings, nouns, verbs } from '../matching/meanings.ts'
import { addImplied, fitRoom, fitWords, isReference, isSentence, splitOperands } from './operands.ts'
import { mayBeKey } from './typed.ts'

/**
 * @param within command group, or the whole program
 * @param rest words after the unknown word
 */
export function explainUnknownCommand(
  word: string,
  within: Command,
  group: string | undefined,
  rest: readonly string[],
): UsageError {
  const hint = hintOnParts(word, group, rest) ?? hintFor(word, within, group, rest)
  return new UsageError(mayBeKey(word) ? 'unknown command' : `unknown command “${word}”`, { hint })
}

/** Explains a command that was typed as one word, as in `rooms:list` or `list-rooms`. */
function hintOnParts(word: string, group: string | undefined, rest: readonly string[]): Hint | undefined {
  const [, noun = '', verb = ''] = /^([a-z]+)[:/.-]([a-z-]+)$/i.exec(word) ?? []
  if (group !== undefined || meanings.has(word.toLowerCase())) return undefined
  for (const [first, last] of [
    [noun, verb],
    [verb, noun],
  ] as const) {
    const named = lookUp(nouns, first.toLowerCase())
    if (named !== undefined && findVerb(named, last)) return suggestVerb(named, last, rest)
  }
  return undefined
}

const dataFlags = ['-d', '--data', '--data-raw', '--json']
const methodFlags = ['-X', '--request']

/** Suggests the request without headers, and without a body that may hold a secret. */
export function explainCurl(words: readonly string[]): UsageError {
  const flagValue = (names: readonly string[]) => {
    const at = words.findIndex((word) => names.includes(word))
    return at < 0 ? undefined : words[at + 1]
  }
  const url = words.find((word) => /^https?:\/\//i.test(word)) ?? ''
  const [, path] = /^https?:\/\/[^/?]*(?:\/[^?]*?\/?v1(?=[/?]|$))?([\s\S]*)$/i.exec(url) ?? []
  const body = flagValue(dataFlags)
  const method = flagValue(methodFlags) ?? (body === undefined ? 'GET' : 'POST')
  const shown = body && /key|token|secret|pass/i.test(body) ? '@body.json' : body
  const data = shown === undefined ? [] : ['--data', shown]
  const request = path ? [method.toUpperCase(), path, ...data] : ['GET', '/rooms?limit=1']
  return new UsageError('unknown command “curl”', {
    hint: ['send any request with: ', suggest(['api', ...request])],
  })
}

function hintFor(word: string, within: Command, group: string | undefined, rest: readonly string[]): Hint {
  // A copied line may begin with its prompt and the program.
  if (group === undefined && /^(\$|>|npx|meetroom)$/.test(word) && rest.length > 0)
    return ['type: ', suggest(rest.slice(rest.findIndex((each) => !/^(npx|meetroom)$/.test(each))))]
  if (isUndo(word) && !(group === 'workspace' && findVerb(group, word))) return explainUndo(word, group, rest)
  const isPlaced = isSentence(splitOperands(rest)[0])
  if ((group === 'members' || isPlaced) && isDeletion(word)) return explainRemoval(rest)
  if (group === 'pages' && word !== 'create' && isVerb(word) && !findVerb('pages', word))
    return 'the API has no operation to change or delete pages'
  if (group === 'local' && lookUp(nouns, word) && rest.length > 0)
    return ['did you mean: ', suggest([word, ...rest, '--local'])]
  if (group === 'sessions' && /^(kill|end|close|stop|delete|remove|disconnect|terminate)$/.test(word))
    return [
      'a session ends when its member is blocked or its room is terminated; see: ',
      suggestHelp('members', 'block'),
    ]
  if (group === 'auth' && /^(token|key|print-token)$/.test(word))
    return ['keys are never printed; check the key with: ', suggest(['auth', 'status'])]
  if (group === 'webhooks' && findVerb('rooms', word) === 'create')
    return 'a webhook is set when its room is created, with “rooms create --webhook-url URL”; an existing room cannot get one'
  if (group === 'message' && isVerb(word) && !findVerb('message', word))
    return 'the API has no operation to list, change or delete messages'
  const verb = group && findVerb(group, word)
  if (isPlaced && findVerb('members', word) && !lookUp(implied, word))
    return suggestVerb('members', word, rest)
  if (verb) return suggestVerb(group, word, rest)
  const pair = lookUp(elsewhere, `${word} ${rest[0]}`)
  if (group === undefined && pair) return suggestCommand(pair.split(' '), rest.slice(1))
  const moved = lookUp(elsewhere, group ? `${group} ${word}` : word)
  const takesNone = moved === 'serve' || moved === 'config path'
  if (takesNone && !(rest[0] ?? '-').startsWith('-')) return ['see: ', suggestHelp(group ?? moved)]
  // The word after an `auth` command may be a key.
  if (moved) return suggestCommand(moved.split(' '), moved.startsWith('auth') ? profileOf(group, rest) : rest)
  const near = findNearest(word, within)
  if (near) return suggestCommand(group ? [group, near] : [near], rest)
  const swapped = meanings.has(word.toLowerCase()) ? undefined : hintOnOrder(word, group, rest)
  if (swapped) return swapped
  if (group === undefined) return hintAtTop(word, rest)
  const [only, other] = within.commands
  const operands = [word, ...splitOperands(rest)[0]]
  // The only command of a group, whose arguments are all given.
  if (only && !other && !operands.some(mayBeKey) && takesExactly(only, operands.length))
    return suggestCommand([group, only.name()], [word, ...rest])
  return ['see: ', only && !other ? suggestHelp(group, only.name()) : suggestHelp(group)]
}

const takesExactly = ({ registeredArguments: all }: Command, count: number): boolean =>
  all.length === count && !all.some(({ variadic }) => variadic)

/**
 * Finds a similar command, except for words with a meaning of their own. A destructive command must be at
 * most one edit away.
 */
function findNearest(word: string, { commands }: Command): string | undefined {
  const named = (test: (effect: Effect) => boolean) =>
    commands
      .filter((child) => !child.name().startsWith('__'))
      .filter((child) => test((child instanceof MeetroomCommand && child.effect) || 'reads'))
      .map((child) => child.name())
  if (meanings.has(word.toLowerCase())) return undefined
  const harmless = named(isHarmless)
  const undestructive = [...harmless, ...named((effect) => mayWrite(effect) && !isDestructive(effect))]
  return findClosest(word, [...undestructive, ...named(isDestructive)], 1) ?? findClosest(word, undestructive)
}

/** Explains an item before its command, as in `users ada get` or `name:Maths rooms get`. */
function hintOnOrder(item: string, group: string | undefined, rest: readonly string[]): Hint | undefined {
  const [noun = '', verb = '', ...others] = group === undefined ? rest : [group, ...rest]
  const named = group ?? lookUp(nouns, noun.toLowerCase())
  return named !== undefined && !mayBeKey(item) && findVerb(named, verb)
    ? suggestVerb(named, verb, [item, ...others])
    : undefined
}

/** Suggests reopening only for a room that may be terminated. */
function explainUndo(word: string, group: string | undefined, rest: readonly string[]): Hint {
  const [room = '-', ...others] = rest
  const mayBeTerminated =
    group === 'rooms' && !room.startsWith('-') && !isDeletion(word.replace(/^un-?/i, ''))
  const reopen: Hint = [
    'a terminated room is reopened with: ',
    suggest(['rooms', 'reopen', fitRoom(room), ...others]),
    '; ',
  ]
  const restore: Hint = [
    'only records saved with --save can be restored, with “users import” or “rooms import”; see: ',
    suggest(['help', 'undo']),
  ]
  return mayBeTerminated ? [reopen, restore] : restore
}

/** Returns `--profile` for a short name only, because a longer word may be a key. */
function profileOf(group: string | undefined, [name = '-', url = '']: readonly string[]): readonly string[] {
  if (group !== 'profiles' || !/^\w{1,12}$/.test(name)) return []
  return [...(/^https?:/i.test(url) ? [url] : []), '--profile', name]
}

/** Suggests a command for a verb before its noun, or for a verb or noun alone. */
function hintAtTop(word: string, typed: readonly string[]): Hint {
  // `get room/ID` and `import people.csv users` name the group in other places.
  const [first = '', ...others] = typed
  const [, kind = '', id = ''] = /^([a-z]+)\/(.+)$/i.exec(first) ?? []
  if (lookUp(nouns, kind)) return hintAtTop(word, [kind, id, ...others])
  const [operands] = splitOperands(typed)
  const at = lookUp(nouns, first.toLowerCase()) ? 0 : operands.findIndex((each) => lookUp(nouns, each))
  const [noun = '', ...rest] = at > 0 ? [typed[at] ?? '', ...typed.toSpliced(at, 1)] : typed
  const group = lookUp(nouns, noun.toLowerCase())
  const verb = group && findVerb(group, word)
  if (group === 'members' && !verb && isDeletion(word)) return explainRemoval(rest)
  // `get rooms` means `rooms list`.
  if (verb === 'get' && noun.endsWith('s') && rest.length === 0)
    return suggestCommand([group ?? '', 'list'], [])
  if (group && verb) return suggestVerb(group, word, rest)
  const named = lookUp(nouns, word.toLowerCase())
  if (named) return suggestCommand([named], noun === '' ? [] : [noun, ...rest])
  const groups = ['users', 'rooms', 'members', 'sessions'].flatMap((name) => {
    const verb = findVerb(name, word)
    return verb ? [[name, verb]] : []
  })
  if (groups.length === 0) return ['list the commands with: ', suggestHelp()]
  const words = group || noun === '' ? [] : [noun, ...rest]
  // Lists and exports of members need rooms.
  const roomsOf = (group: string, verb: string) =>
    group === 'members' && words.length === 0 && /^(list|export)$/.test(verb) ? ['--all-rooms'] : []
  return [
    'choose one of: ',
    ...groups.flatMap(([group = '', verb = ''], i) => [
      i === 0 ? '' : ', ',
      suggest(fitWords([group, verb], [...addImplied(word, group, words), ...roomsOf(group, verb)])),
    ]),
  ]
}

/** Explains that no operation removes a member (API specification, “Endpoints”), and suggests blocking. */
function explainRemoval(rest: readonly string[]): Hint {
  const block = ['members', 'block']
  return [
    'members cannot be removed; in a private room, block them: ',
    rest.length > 1
      ? suggest(fitWords(block, rest))
      : rest.every(isReference) && rest.length > 0
        ? suggestExample([...block, 'ROOM', ...rest])
        : suggestHelp(...block),
  ]
}

function suggestVerb(group: string, word: string, rest: readonly string[]): Hint {
  if (group === 'users' && word === 'rename')
    return [
      'an ID cannot change; to change the name: ',
      suggest(['users', 'update', ...addImplied(word, group, rest)]),
    ]
  return suggestCommand([group, findVerb(group, word) ?? ''], addImplied(word, group, rest))
}

function suggestCommand(words: readonly string[], rest: readonly string[]): Hint {
  const [group = ''] = words
  if (words.length === 1 && rest.length === 0 && lookUp(verbs, group)) return ['see: ', suggestHelp(group)]
  // A flag without its value would take the next flag as its value.
  const lacksValue = /^--(user|as)$/.test(words.at(-1) ?? '') && (rest[0] ?? '-').startsWith('-')
  return lacksValue
    ? ['see: ', suggestHelp(...words.slice(0, 2))]
    : ['did you mean: ', suggest(fitWords(words, rest))]
}

const isDeletion = (word: string) => findVerb('rooms', word) === 'delete'

const isVerb = (word: string) =>
  Object.values(verbs).some((commands) => Object.values(commands).some((others) => others.includes(word)))

/** Returns the command of a group for a verb or its synonym. */
export function findVerb(group: string, word: string): string | undefined {
  const commands = lookUp(verbs, group) ?? {}
  return Object.keys(commands).find((verb) => verb === word || commands[verb]?.includes(word))
}
