import { RE2JS } from 're2js'
import { UsageError } from '../../errors.ts'
import { composeText } from '../matching/match.ts'

/** Case-insensitive regular expression that may match anywhere in a text. */
interface Pattern {
  test(text: string): boolean
}

/**
 * Uses RE2, because JavaScript's engine can take exponential time.
 * @param condition condition with its flag, for error messages
 * @throws {UsageError} for an invalid or unsupported regular expression
 */
export function parsePattern(text: string, condition: string): Pattern {
  const pattern = compilePattern(composeText(text), condition, true)
  return { test: (value) => pattern.test(composeText(value)) }
}

/** @throws {UsageError} for an invalid or unsupported regular expression */
export function compilePattern(text: string, condition: string, ignoresCase: boolean): RE2JS {
  try {
    new RegExp(text, 'iu')
  } catch {
    const [, open] = /^[^()[\]\\]*([([])[^()[\]\\]*$/.exec(text) ?? []
    if (open !== undefined)
      throw new UsageError(
        `${condition}: the value is not a valid regular expression: “${open}” is not closed`,
        {
          correction: [text, text.replace(open, `\\${open}`)],
        },
      )
    throw new UsageError(`${condition}: the value is not a valid regular expression`, {
      ...(/^\*\w/.test(text) && { correction: [text, text.slice(1)] as const }),
    })
  }
  if ([...text.matchAll(tokens)].some(([token]) => /^(\(\?<?[=!]|\\[1-9]|\\k)/.test(token)))
    throw new UsageError(`${condition}: lookaround and backreferences are not supported`, {
      hint: 'to exclude a pattern, add a condition with !~',
    })
  try {
    return RE2JS.compile(translate(text), ignoresCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch (error) {
    const isLarge = error instanceof Error && /too large|repeat/.test(error.message)
    const problem = isLarge ? 'its repetitions are too large' : 'it uses syntax that is not supported'
    throw new UsageError(`${condition}: the regular expression cannot be used: ${problem}`)
  }
}

/** Pattern of escape sequences, with named groups for parts of translated sequences. */
const escapes = String.raw`\\u\{(?<long>\w+)\}|\\u(?<high>d[89ab]\w\w)\\u(?<low>d[c-f]\w\w)|\\u(?<short>\w{4})|\\c(?<control>\w)|\\(?<p>p)\{\w+=(?<value>\w+)\}|\\[^]`
const classTokens = new RegExp(String.raw`${escapes}|\[`, 'giu')
const tokens = new RegExp(
  String.raw`${escapes}|\[(?<not>\^?)(?<inside>(?:\\[^]|[^\\\]])*)\]|\(\?<?[=!]|\(\?<[^>]*>|\.`,
  'giu',
)

type Groups = Readonly<Record<string, string | undefined>>

/** Members of RE2 character classes that match JavaScript's `\s` and `\S`. */
const whitespace = String.raw`\t-\r\x{feff}\p{Z}`
const nonWhitespace = String.raw`\x00-\x08\x0e-\x1f\x21-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
const anyCharacter = String.raw`\x00-\x{10ffff}`

function translate(text: string): string {
  return text.replace(tokens, (token, ...rest) => {
    const groups: Groups = rest.at(-1)
    const { not: negation, inside } = groups
    if (inside === '') return `[${negation ? '' : '^'}${anyCharacter}]`
    if (inside !== undefined) return `[${negation}${translateClass(inside)}]`
    if (token === '.') return String.raw`[^\n\r\x{2028}\x{2029}]`
    if (token.startsWith('(?<')) return '('
    const character = translateEscape(token, groups)
    return /^\\s$/i.test(token) ? `[${character}]` : character
  })
}

function translateClass(text: string): string {
  return text.replace(classTokens, (token, ...rest) => {
    if (token === '[') return '\\['
    return token === '\\b' ? '\\x08' : translateEscape(token, rest.at(-1))
  })
}

function translateEscape(token: string, { long, high, low, short, control, p, value }: Groups): string {
  if (token === '\\s') return whitespace
  if (token === '\\S') return nonWhitespace
  if (value) return `\\${p}{${value}}`
  if (control) return hex(control.charCodeAt(0) % 32)
  if (high && low)
    return hex(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0))
  const digits = long ?? short
  return digits === undefined ? token : hex(Number.parseInt(digits, 16))
}

const hex = (codePoint = 0): string => `\\x{${codePoint.toString(16)}}`
