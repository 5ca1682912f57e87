import { minKeyLength } from '../../../config/settings.ts'
import { maskText } from './fields.ts'

/** Function that replaces secrets in a text, including the beginning of a key before an ellipsis. */
export type Redact = (text: string) => string

/** Creates a function that replaces keys, and access tokens after the name of their field. */
export function createRedactor(secrets: readonly string[], instead?: string): Redact {
  const redactKeys = createKeyRedactor(secrets, instead)
  return (text) => maskText(redactKeys(text))
}

export class KnownSecrets {
  readonly #secrets = new Set<string>()
  #redactKeys: Redact | undefined

  add(secret: string | undefined): void {
    if (!secret || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#redactKeys = undefined
  }

  readonly redact: Redact = (text) => maskText(this.redactKeys(text))

  /** Redacts only keys, because results may contain access tokens that the user requested. */
  readonly redactKeys: Redact = (text) => {
    this.#redactKeys ??= createKeyRedactor([...this.#secrets])
    return this.#redactKeys(text)
  }
}

/** Ignores keys below the minimum length, because such keys can occur in ordinary words. */
function createKeyRedactor(secrets: readonly string[], instead = '[API key]'): Redact {
  const longKeys = secrets.filter(({ length }) => length >= minKeyLength).sort((a, b) => b.length - a.length)
  if (longKeys.length === 0) return (text) => text
  const markers = ['…', ...new Set(longKeys.flatMap(listMarkers))]
  const join = (pick: (spelling: Spelling) => string) => longKeys.flatMap(listSpellings).map(pick).join('|')
  let start: RegExp | undefined
  let whole: RegExp | undefined
  let cut: RegExp | undefined
  return (text) => {
    if (!markers.some((sign) => text.includes(sign))) return text
    // The other patterns take up to 40 ms to compile.
    start ??= new RegExp(join(({ parts }) => parts.slice(0, minCutLength).join('')))
    if (!start.test(text)) return text
    whole ??= new RegExp(
      join(({ parts, end }) => parts.join('') + end),
      'g',
    )
    const redacted = text.replace(whole, instead)
    if (!redacted.includes('…')) return redacted
    cut ??= new RegExp(`(?:${join(({ parts }) => nest(parts))})[^\\s…]{0,12}(?=…)`, 'g')
    return redacted.replace(cut, instead)
  }
}

/** Minimum number of leading characters of a key, or of its base64, that are redacted before an ellipsis. */
const minCutLength = 6

/** Joins patterns into one pattern that matches at least the first `minCutLength` patterns. */
function nest(patterns: readonly string[]): string {
  const optional = patterns.slice(minCutLength).reduceRight((rest, pattern) => `(?:${pattern}${rest})?`, '')
  return patterns.slice(0, minCutLength).join('') + optional
}

function listMarkers(secret: string): string[] {
  const unchanged = [secret, ...offsets.map((offset) => encodeBase64(secret, offset).inner)]
  return ['\\u', '%', '&', ...unchanged.map(findLongestWord)]
}

function findLongestWord(text: string): string {
  const words = text.match(/[a-z\d]+/gi) ?? []
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')
}

interface Spelling {
  parts: readonly string[]
  /** Pattern of the last base64 letter and the padding; may be empty. */
  end: string
}

function listSpellings(secret: string): readonly Spelling[] {
  // The CSV pattern comes last, because in JSON the second of two quotes may end a text.
  const inCsv = secret.includes('"') ? [{ parts: spellCharacters(secret, `${inJson}""`), end: '' }] : []
  const inBase64 = offsets.map((offset) => spellInBase64(secret, offset))
  return [...inBase64, { parts: spellCharacters(secret), end: '' }, ...inCsv]
}

/** Maximum number of backslashes that encode one backslash in three levels of nested JSON. */
const maxBackslashes = 8
/** Maximum number of times that a percent encoding is percent-encoded again. */
const maxPercentLayers = 3
const backslash = `(?:\\\\|${spellInUrl('\\')})`
/** Backslashes that JSON adds before a quote or a slash. */
const inJson = `${backslash}{0,${maxBackslashes - 1}}`

/** Returns patterns of the characters. Longer encodings come first, so that no part remains. */
function spellCharacters(secret: string, quote?: string): string[] {
  // A run of backslashes is one pattern, because separate patterns would take exponential time.
  return (secret.match(/\\+|[^\\]/gu) ?? []).map((part) => `(?:${spellPart(part, quote).join('|')})`)
}

function spellPart(part: string, quote: string | undefined): string[] {
  if (part === '"' && quote !== undefined) return [quote]
  return part.startsWith('\\') ? spellBackslashes(part.length) : spellCharacter(part)
}

function spellBackslashes(count: number): string[] {
  return [`${spellInUnicode('\\')}{${count}}`, `${backslash}{${count},${maxBackslashes * count}}`]
}

function spellCharacter(character: string): string[] {
  return [
    spellInUnicode(character),
    ...spellInHtml(character),
    // Encoding of a single quote within a single-quoted shell word.
    ...(character === "'" ? [String.raw`'\\''`] : []),
    `${/["/]/.test(character) ? inJson : ''}(?:${spellInUrl(character)}|${escapePattern(character)})`,
  ]
}

function spellInUnicode(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
  return `(?:${units.map((unit) => `${backslash}{1,${maxBackslashes}}u${spellHex(unit, 4)}`).join('')})`
}

function spellInUrl(character: string): string {
  const bytes = Array.from(
    Buffer.from(character),
    (byte) => `%(?:25){0,${maxPercentLayers}}${spellHex(byte, 2)}`,
  )
  return `(?:${bytes.join('')})`
}

const entities: Record<string, readonly string[]> = {
  '&': ['amp', '38', 'x26'],
  '<': ['lt', '60', 'x3C', 'x3c'],
  '>': ['gt', '62', 'x3E', 'x3e'],
  '"': ['quot', '34', 'x22'],
  "'": ['apos', '39', '039', 'x27'],
  // Some template engines also escape these characters of base64.
  '/': ['sol', '47', 'x2F', 'x2f'],
  '+': ['plus', '43', 'x2B', 'x2b'],
  '=': ['equals', '61', 'x3D', 'x3d'],
}

function spellInHtml(character: string): string[] {
  const [start, number, end] = ['&', '#', ';'].map((sign) => `(?:${spellInUrl(sign)}|${sign})`)
  return (entities[character] ?? []).map(
    (name) => `${start}${/^[a-w]/.test(name) ? '' : number}${name}${end}`,
  )
}

/** Possible numbers of bytes before a secret within a base64 group of three bytes. */
const offsets = [0, 1, 2] as const
const base64Letter = '[\\w+/-]'

/** Returns the base64 letters that depend only on the secret. */
function encodeBase64(secret: string, offset: number): { inner: string; isWhole: boolean } {
  const bytes = Buffer.from('\0'.repeat(offset) + secret)
  const start = offset === 0 ? 0 : offset + 1
  const end = Math.floor((bytes.length * 8) / 6)
  return { inner: bytes.toString('base64').slice(start, end), isWhole: bytes.length % 3 === 0 }
}

function spellInBase64(secret: string, offset: number): Spelling {
  const { inner, isWhole } = encodeBase64(secret, offset)
  const [first = '', ...letters] = splitBase64(inner)
  return {
    parts: [offset === 0 ? first : base64Letter + first, ...letters],
    end: isWhole ? '' : `${base64Letter}?(?:=|${spellInUrl('=')})*`,
  }
}

function splitBase64(letters: string): string[] {
  return Array.from(letters, (letter) => {
    if (letter === '+') return `(?:[+-]|${spellInUrl(letter)})`
    return letter === '/' ? `(?:[/_]|${spellInUrl(letter)})` : letter
  })
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function spellHex(value: number, digits: number): string {
  return value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
