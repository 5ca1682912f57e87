import { idPattern } from '../../api/path.ts'
import { memberTypes } from '../../api/vocabulary.ts'
import { findNearUrl } from '../input/near-url.ts'
import { implied, lookUp } from '../matching/meanings.ts'
import { toRoomName } from '../matching/reference.ts'
import { linkWords } from '../names/arguments.ts'
import { convertTemplate } from './json-fields.ts'

/** Splits words into the operands before the first flag, and the rest. */
export function splitOperands(
  words: readonly string[],
): [operands: readonly string[], rest: readonly string[]] {
  const found = words.findIndex((word) => word.startsWith('-') && word !== '-')
  const end = found < 0 ? words.length : found
  return [words.slice(0, end), words.slice(end)]
}

/** Returns true for three operands such as `ada to Maths`. */
export const isSentence = (operands: readonly string[]): boolean =>
  operands.length === 3 && linkWords.has((operands[1] ?? '').toLowerCase())

/** Returns true for text that only an item can mean: an ID of the service, or a name or email with its prefix. */
export const isReference = (text: string): boolean => idPattern.test(text) || /^(name|id|email):/.test(text)

/** Formats an operand as a room argument: an ID unchanged, a name with `name:`. */
export function fitRoom(operand: string): string {
  return idPattern.test(operand) || operand.startsWith('id:') ? operand : toRoomName(operand)
}

/** Adds the other words of a mistyped command to a suggested command (`words`), adapted where needed. */
export function fitWords(words: readonly string[], rest: readonly string[]): string[] {
  const [first = '-', second = '-'] = rest
  const name = words.join(' ')
  const format = rest.indexOf('--format')
  const query = format < 0 ? undefined : convertTemplate(rest[format + 1] ?? '', words)
  if (query !== undefined) return fitWords(words, rest.toSpliced(format, 2, '--query', query))
  const forward = rest.indexOf('--forward-to') + 1
  const url = forward === 0 ? undefined : findNearUrl(rest[forward] ?? '')
  if (url !== undefined) return fitWords(words, rest.with(forward, url))
  // Other programs name a file with a flag.
  if (words[0] === 'workspace' && /^(-f|--file(name)?)$/.test(first)) return fitWords(words, rest.slice(1))
  const isOperand = !first.startsWith('-')
  const [operands, flags] = splitOperands(rest)
  const [item = '', , place = ''] = operands
  if (isSentence(operands))
    return fitWords(words, [...(words[0] === 'members' ? [fitRoom(place), item] : [item, place]), ...flags])
  const [, mailbox] = /^([^@\s]+)@[^@\s]+\.[^@\s]+$/.exec(first) ?? []
  if (name === 'users create' && mailbox !== undefined && !flags.includes('--email'))
    return [...words, mailbox, '--email', ...rest]
  if (/ list$/.test(name) && /^\d{1,4}$/.test(first)) return [...words, '--limit', ...rest]
  if (name === 'rooms create' && isOperand) return [...words, '--name', ...rest]
  if (/^(rooms|users) list$/.test(name) && isOperand)
    return [...words, '--where', `name~${first}`, ...rest.slice(1)]
  const isUser = !second.startsWith('-') && !idPattern.test(second)
  if (/^members (get|update|block|unblock)$/.test(name) && isOperand && isUser)
    return [...words, first, '--user', ...rest.slice(1)]
  return [...words, ...rest]
}

/** Adds the flag that a verb such as `rename` implies. */
export function addImplied(verb: string, group: string, rest: readonly string[]): readonly string[] {
  const { flag = '', value } = lookUp(implied, verb.toLowerCase()) ?? {}
  const [given, others] = splitOperands(rest)
  if (flag === '' || others.some((word) => word === flag || word.startsWith(`${flag}=`))) return rest
  const operands = given.filter((word, i) => i === 0 || !linkWords.has(word.toLowerCase()))
  const count = group === 'members' ? 2 : 1
  const [first = '', ...more] = operands.slice(0, Math.max(count, operands.length - (value ? 0 : 1)))
  if (first === '') return rest
  const items = [group === 'users' ? first : fitRoom(first), ...more]
  const text = operands.length > count ? operands.slice(count).join(' ') : value
  return text === undefined ? rest : [...items.slice(0, count), flag, text, ...others]
}

/** Items that an operand such as `name=Maths` probably names. */
interface Intended {
  reason: string
  /** IDs or references. */
  words: readonly string[]
  /** Parts of text such as `ada=host`. */
  user?: string
  role?: string
}

/** Reads an unsupported operand, such as `name=Maths` or the URL of an item. */
export function readIntended(text: string): Intended | undefined {
  const [, field = '', value = ''] =
    /^(name|email|e?mail|title|id|room_id|user_id|room|user)[=:](.+)$/is.exec(text) ?? []
  if (/^(name|email)$/.test(field) && text.startsWith(`${field}:`)) return readList(text)
  if (field !== '') {
    const known = { mail: 'email', title: 'name' }[field.toLowerCase()] ?? field.toLowerCase()
    return known === 'name' || known === 'email'
      ? { reason: 'type: ', words: [`${known}:${value}`] }
      : { reason: 'pass the ID alone: ', words: [value] }
  }
  const [, id = ''] =
    /^(?:https?:\/\/[^/]+)?\/(?:[^?#]*\/)?(?:rooms?|users?|join)\/([^/?#]+)/i.exec(text) ?? []
  if (id !== '') return { reason: 'pass the ID in the URL: ', words: [decode(id)] }
  const [, user = '', role = ''] = /^([^:]+?)[ :=/,;]+(\w+)$/.exec(text) ?? []
  if (memberTypes.some((type) => type === role))
    return { reason: 'a colon separates the role: ', words: [`${user}:${role}`], user, role }
  return readList(text)
}

function readList(text: string): Intended | undefined {
  const parts = text
    .split(',')
    .map((part) => part.replace(/^(["'])(.*)\1$/, '$2'))
    .filter((part) => part !== '')
  const isNamed = (part: string) => /^(name|email|id):/.test(part)
  const isList = !/\s/.test(text) && !isNamed(text)
  return text.includes(',') && (isList || parts.every(isNamed))
    ? { reason: 'separate IDs with spaces: ', words: parts }
    : undefined
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
