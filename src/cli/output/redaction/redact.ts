import { shortestKey } from '../../../config/settings.ts'
import { maskedText } from './secrets.ts'

/** Takes secrets out of a text. Before anything is cut off: part of a secret would no longer be found. */
export type Redact = (text: string) => string

/** Takes out keys and access tokens: the latter are found by the name of their field. */
export function redactor(secrets: readonly string[], instead?: string): Redact {
  const redactKeys = keyRedactor(secrets, instead)
  return (text) => maskedText(redactKeys(text))
}

/**
 * Finds secrets however a service spells them: as they are, percent-encoded, escaped in JSON or in JSON within JSON, in
 * HTML, and in base64. All at once, so that what takes the place of a secret is not searched itself. Shorter keys than
 * there should be are left alone: they are in ordinary words, too.
 * @param instead stands for a secret
 */
export function keyRedactor(secrets: readonly string[], instead = '[API key]'): Redact {
  const hidden = secrets.filter(({ length }) => length >= shortestKey).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return (text) => text
  const signs = [...new Set(hidden.flatMap(signsOf))]
  let pattern: RegExp | undefined
  return (text) => {
    if (!signs.some((sign) => text.includes(sign))) return text
    pattern ??= new RegExp(hidden.flatMap(spellings).join('|'), 'g')
    return text.replace(pattern, instead)
  }
}

/** Texts of which one is in whatever holds the secret. Most text has none, and the pattern takes long to compile. */
function signsOf(secret: string): string[] {
  const unchanged = [secret, ...offsets.map((offset) => inBase64(secret, offset).inner)]
  return ['\\u', '%', '&', ...unchanged.map(longestWord)]
}

/** Letters and digits are spelled in one way only, but for whole escapes. */
function longestWord(text: string): string {
  const words = text.match(/[a-z\d]+/gi) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

/** Patterns that find a secret. Where several do, the first is the one that finds most. */
function spellings(secret: string): string[] {
  return [...offsets.map((offset) => patternInBase64(secret, offset)), escaped(secret)]
}

/** Most backslashes for one: JSON within JSON within JSON doubles them three times. */
const most = 8
/** Most percent signs encoded one within the other. */
const layers = 3
/** A backslash, which may be encoded for a URL. */
const backslash = `(?:\\\\|${inUrl('\\')})`

/**
 * The secret with each character in any spelling, the longest first: of a percent sign or a backslash at its end, which
 * other spellings begin with, nothing may stay.
 */
function escaped(secret: string): string {
  // One pattern for backslashes in a row: there are countless ways to share out a long run of them.
  return (secret.match(/\\+|[^\\]/gu) ?? [])
    .map((part) => `(?:${(part.startsWith('\\') ? waysOfRun(part.length) : waysToWrite(part)).join('|')})`)
    .join('')
}

function waysOfRun(count: number): string[] {
  return [`${inUnicode('\\')}{${count}}`, `${backslash}{${count},${most * count}}`]
}

function waysToWrite(character: string): string[] {
  const inJson = /["/]/.test(character) ? `${backslash}{0,${most - 1}}` : ''
  return [
    inUnicode(character),
    ...inHtml(character),
    // As it stands between the quotes of a shell.
    ...(character === "'" ? [String.raw`'\\''`] : []),
    `${inJson}(?:${inUrl(character)}|${literal(character)})`,
  ]
}

/** `\u0022`, at any depth of JSON within JSON. */
function inUnicode(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
  return `(?:${units.map((unit) => `${backslash}{1,${most}}u${hex(unit, 4)}`).join('')})`
}

/** `%22`; the percent sign may be encoded in turn. */
function inUrl(character: string): string {
  const bytes = Array.from(Buffer.from(character), (byte) => `%(?:25){0,${layers}}${hex(byte, 2)}`)
  return `(?:${bytes.join('')})`
}

/** What HTML writes for the characters that it must not hold as they are. */
const entities: Record<string, readonly string[]> = {
  '&': ['amp', '38'],
  '<': ['lt', '60'],
  '>': ['gt', '62'],
  '"': ['quot', '34', 'x22'],
  "'": ['apos', '39', '039', 'x27'],
}

/** `&quot;` and `&#34;`, which may be encoded for a URL. */
function inHtml(character: string): string[] {
  const [start, number, end] = ['&', '#', ';'].map((sign) => `(?:${inUrl(sign)}|${sign})`)
  return (entities[character] ?? []).map(
    (name) => `${start}${/^[a-w]/.test(name) ? '' : number}${name}${end}`,
  )
}

/** How many bytes of a group of three stand before a secret: in base64 it looks different by that. */
const offsets = [0, 1, 2] as const

/** The letters that depend on nothing but the secret: the first and the last may hold bits of what is around. */
function inBase64(secret: string, offset: number): { inner: string; isWhole: boolean } {
  const bytes = Buffer.from('\0'.repeat(offset) + secret)
  const start = offset === 0 ? 0 : offset + 1
  const end = Math.floor((bytes.length * 8) / 6)
  return { inner: bytes.toString('base64').slice(start, end), isWhole: bytes.length % 3 === 0 }
}

function patternInBase64(secret: string, offset: number): string {
  const { inner, isWhole } = inBase64(secret, offset)
  const first = offset === 0 ? '' : '[\\w+/-]'
  const last = isWhole ? '' : `[\\w+/-]?(?:=|${inUrl('=')})*`
  return (
    first + inner.replace(/[+/]/g, (sign) => `(?:${sign === '+' ? '[+-]' : '[/_]'}|${inUrl(sign)})`) + last
  )
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Hexadecimal digits in either case. */
function hex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
