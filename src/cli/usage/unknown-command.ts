import type { Command } from 'commander'
import { findClosest } from '../../api/closest.ts'
import { type Hint, suggest, suggestHelp, UsageError } from '../../errors.ts'
import { isDestructive } from '../kernel/effect.ts'
import { MeetroomCommand } from '../kernel/meetroom-command.ts'
import { elsewhere, isUndo, lookUp, meanings, nouns, verbs } from './meanings.ts'
import { fitWords, mayBeKey } from './typed.ts'

/**
 * @param within the command group, or the whole program
 * @param rest the words after the unknown word
 */
export function explainUnknownCommand(
  word: string,
  within: Command,
  group: string | undefined,
  rest: readonly string[],
): UsageError {
  const hint = hintFor(word, within, group, rest)
  return new UsageError(mayBeKey(word) ? 'unknown command' : `unknown command “${word}”`, { hint })
}

function hintFor(word: string, within: Command, group: string | undefined, rest: readonly string[]): Hint {
  if (isUndo(word)) return ['only records saved with --save come back; see: ', suggest(['help', 'undo'])]
  if (group === 'members' && isDeletion(word)) return explainRemoval(rest)
  if (group === 'pages' && word !== 'create' && isVerb(word) && !findVerb('pages', word))
    return 'the API has no operation to change or delete pages'
  const verb = group && findVerb(group, word)
  if (verb) return suggestCommand([group, verb], rest)
  const moved = lookUp(elsewhere, group ? `${group} ${word}` : word)
  // The word after a login command may be a key.
  if (moved) return suggestCommand(moved.split(' '), moved.startsWith('auth') ? [] : rest)
  const near = findNearest(word, within)
  if (near) return suggestCommand(group ? [group, near] : [near], rest)
  if (group === undefined) return hintAtTop(word, rest)
  if (group === 'message') return suggestCommand(['message', 'send'], [word, ...rest])
  return ['see: ', suggestHelp(group)]
}

/**
 * Finds the command that was probably mistyped. A command that takes something away must be one edit away, and a word
 * with a meaning of its own is no misspelling of it, such as `lock` of `block`. Of equally near commands, a harmless one
 * wins.
 */
function findNearest(word: string, { commands }: Command): string | undefined {
  const known = commands.filter((child) => !child.name().startsWith('__'))
  const takesAway = (child: Command) =>
    child instanceof MeetroomCommand && child.effect !== undefined && isDestructive(child.effect)
  const names = (found: readonly Command[]) => found.map((child) => child.name())
  const harmless = names(known.filter((child) => !takesAway(child)))
  const destructive = meanings.has(word.toLowerCase()) ? [] : names(known.filter(takesAway))
  return findClosest(word, [...harmless, ...destructive], 1) ?? findClosest(word, harmless)
}

/** Suggests a command for a verb before its noun, or for a verb or noun alone. */
function hintAtTop(word: string, [noun = '', ...rest]: readonly string[]): Hint {
  const group = lookUp(nouns, noun.toLowerCase())
  const verb = group && findVerb(group, word)
  if (group === 'members' && !verb && isDeletion(word)) return explainRemoval(rest)
  // `get rooms` means `rooms list`.
  if (verb === 'get' && noun.endsWith('s') && rest.length === 0)
    return suggestCommand([group ?? '', 'list'], [])
  if (verb) return suggestCommand([group, verb], rest)
  const named = lookUp(nouns, word.toLowerCase())
  if (named) return suggestCommand([named], noun === '' ? [] : [noun, ...rest])
  const groups = ['users', 'rooms', 'members', 'sessions'].flatMap((name) => {
    const verb = findVerb(name, word)
    return verb ? [[name, verb]] : []
  })
  if (groups.length === 0) return ['list the commands with: ', suggestHelp()]
  const words = group || noun === '' ? [] : [noun, ...rest]
  return ['name what: ', ...groups.flatMap((path, i) => [i === 0 ? '' : ', ', suggest([...path, ...words])])]
}

/** Explains that no operation removes a member (API specification, section 4), and suggests blocking. */
function explainRemoval(rest: readonly string[]): Hint {
  const block = suggest(fitWords(['members', 'block'], rest.length > 1 ? rest : ['ROOM', 'USER']))
  return ['members cannot be removed; in a private room, block them: ', block]
}

function suggestCommand(words: readonly string[], rest: readonly string[]): Hint {
  const [group = ''] = words
  if (words.length === 1 && rest.length === 0 && lookUp(verbs, group)) return ['see: ', suggestHelp(group)]
  // A flag without its value would take the next flag as its value.
  const lacksValue = words.at(-1)?.startsWith('--') && (rest[0] ?? '-').startsWith('-')
  return ['did you mean: ', suggest(fitWords(words, lacksValue ? ['USER', ...rest] : rest))]
}

const isDeletion = (word: string) => findVerb('rooms', word) === 'delete'

const isVerb = (word: string) =>
  Object.values(verbs).some((commands) => Object.values(commands).some((others) => others.includes(word)))

/** Returns the command of a group for a verb or its synonym. */
function findVerb(group: string, word: string): string | undefined {
  const commands = lookUp(verbs, group) ?? {}
  return Object.keys(commands).find((verb) => verb === word || commands[verb]?.includes(word))
}
