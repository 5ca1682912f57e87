import { minKeyLength } from '../../../config/settings.ts'
import { maskedText } from './secrets.ts'

/** Removes secrets from a text. Redact before truncation, because part of a secret is not recognized. */
export type Redact = (text: string) => string

/** Returns a function that removes keys and access tokens. Tokens are recognized by their field name. */
export function redactor(secrets: readonly string[], instead?: string): Redact {
  const redactKeys = keyRedactor(secrets, instead)
  return (text) => maskedText(redactKeys(text))
}

/**
 * Finds keys in plain, percent-encoded, JSON, HTML and base64 form with one pattern, so that replacements are not
 * searched again. Keys below the minimum length are skipped: they occur in ordinary words.
 */
export function keyRedactor(secrets: readonly string[], instead = '[API key]'): Redact {
  const hidden = secrets.filter(({ length }) => length >= minKeyLength).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return (text) => text
  const signs = [...new Set(hidden.flatMap(signsOf))]
  let pattern: RegExp | undefined
  return (text) => {
    if (!signs.some((sign) => text.includes(sign))) return text
    pattern ??= new RegExp(hidden.flatMap(spellings).join('|'), 'g')
    return text.replace(pattern, instead)
  }
}

/** Returns texts of which one occurs in any encoding of the secret: the full pattern is slow to compile. */
function signsOf(secret: string): string[] {
  const unchanged = [secret, ...offsets.map((offset) => inBase64(secret, offset).inner)]
  return ['\\u', '%', '&', ...unchanged.map(longestWord)]
}

function longestWord(text: string): string {
  const words = text.match(/[a-z\d]+/gi) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

/** Returns patterns that match a secret, the longest match first. */
function spellings(secret: string): string[] {
  return [...offsets.map((offset) => patternInBase64(secret, offset)), escaped(secret)]
}

/** Maximum number of backslashes for one: three levels of nested JSON double them three times. */
const most = 8
/** Maximum number of nested percent encodings. */
const layers = 3
const backslash = `(?:\\\\|${inUrl('\\')})`

/** Spells each character in every way, longest first, so that no part of a trailing `%` or backslash remains. */
function escaped(secret: string): string {
  // A run of backslashes is one pattern, because splitting it takes exponential time.
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
    // Spelling between single quotes of a shell.
    ...(character === "'" ? [String.raw`'\\''`] : []),
    `${inJson}(?:${inUrl(character)}|${literal(character)})`,
  ]
}

function inUnicode(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
  return `(?:${units.map((unit) => `${backslash}{1,${most}}u${hex(unit, 4)}`).join('')})`
}

function inUrl(character: string): string {
  const bytes = Array.from(Buffer.from(character), (byte) => `%(?:25){0,${layers}}${hex(byte, 2)}`)
  return `(?:${bytes.join('')})`
}

const entities: Record<string, readonly string[]> = {
  '&': ['amp', '38'],
  '<': ['lt', '60'],
  '>': ['gt', '62'],
  '"': ['quot', '34', 'x22'],
  "'": ['apos', '39', '039', 'x27'],
}

function inHtml(character: string): string[] {
  const [start, number, end] = ['&', '#', ';'].map((sign) => `(?:${inUrl(sign)}|${sign})`)
  return (entities[character] ?? []).map(
    (name) => `${start}${/^[a-w]/.test(name) ? '' : number}${name}${end}`,
  )
}

/** Number of bytes before a secret within a base64 group of three. */
const offsets = [0, 1, 2] as const

/** Returns the base64 letters that depend only on the secret: edge letters hold bits of adjacent bytes. */
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

function hex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
