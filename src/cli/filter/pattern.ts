import { RE2JS } from 're2js'
import { UsageError } from '../../errors.ts'

/** A regular expression that may match anywhere in a text, ignoring case. */
export interface Pattern {
  test(text: string): boolean
}

/**
 * Reads a regular expression of JavaScript for an engine whose time grows no faster than the text: over some texts, which
 * anybody can give as a name, JavaScript’s own engine takes years.
 * @param condition the whole condition behind its flag, for errors
 * @throws {UsageError} for what is no regular expression, and for what such an engine cannot do
 */
export function parsePattern(text: string, condition: string): Pattern {
  try {
    new RegExp(text, 'iu')
  } catch {
    throw new UsageError(`${condition}: not a regular expression`)
  }
  if ([...text.matchAll(pieces)].some(([piece]) => /^(\(\?<?[=!]|\\[1-9]|\\k)/.test(piece)))
    throw new UsageError(`${condition}: lookaround and backreferences are not supported`, {
      hint: 'for what must not match, add a condition with !~',
    })
  try {
    return RE2JS.compile(translate(text), RE2JS.CASE_INSENSITIVE)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : error
    throw new UsageError(`${condition}: this regular expression is not supported: ${reason}`)
  }
}

/** Escapes that RE2 writes differently, and all others. */
const escapes = String.raw`\\u\{(?<long>\w+)\}|\\u(?<high>d[89ab]\w\w)\\u(?<low>d[c-f]\w\w)|\\u(?<short>\w{4})|\\c(?<control>\w)|\\(?<p>p)\{\w+=(?<value>\w+)\}|\\[^]`
/** What means something in a class of characters. */
const members = new RegExp(String.raw`${escapes}|\[`, 'giu')
/** What means something elsewhere. */
const pieces = new RegExp(
  String.raw`${escapes}|\[(?<not>\^?)(?<inside>(?:\\[^]|[^\\\]])*)\]|\(\?<?[=!]|\(\?<[^>]*>|\.`,
  'giu',
)

type Groups = Readonly<Record<string, string | undefined>>

/** What JavaScript calls a blank, and what it does not. */
const blank = String.raw`\t-\r\x{feff}\p{Z}`
const notBlank = String.raw`\x00-\x08\x0e-\x1f\x21-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
const anything = String.raw`\x00-\x{10ffff}`

/** The same regular expression in the syntax of RE2. */
function translate(text: string): string {
  return text.replace(pieces, (piece, ...rest) => {
    const groups: Groups = rest.at(-1)
    const { not, inside } = groups
    if (inside === '') return `[${not ? '' : '^'}${anything}]`
    if (inside !== undefined) return `[${not}${translateClass(inside)}]`
    if (piece === '.') return String.raw`[^\n\r\x{2028}\x{2029}]`
    if (piece.startsWith('(?<')) return '('
    const character = translateEscape(piece, groups)
    return /^\\s$/i.test(piece) ? `[${character}]` : character
  })
}

/** What stands between the brackets of a class. */
function translateClass(text: string): string {
  return text.replace(members, (piece, ...rest) => {
    if (piece === '[') return '\\['
    return piece === '\\b' ? '\\x08' : translateEscape(piece, rest.at(-1))
  })
}

function translateEscape(piece: string, { long, high, low, short, control, p, value }: Groups): string {
  if (piece === '\\s') return blank
  if (piece === '\\S') return notBlank
  if (value) return `\\${p}{${value}}`
  if (control) return hex(control.charCodeAt(0) % 32)
  if (high && low)
    return hex(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0))
  const digits = long ?? short
  return digits === undefined ? piece : hex(Number.parseInt(digits, 16))
}

function hex(codePoint = 0): string {
  return `\\x{${codePoint.toString(16)}}`
}
