import { quoteForShell } from '../../api/quote-for-shell.ts'
import { toText } from '../../api/to-text.ts'
import { isSimilar } from '../matching/match.ts'
import type { Item } from '../output/views/views.ts'
import type { Test } from './compare.ts'

interface TextCondition {
  flag: string
  field: string
  text: string
  fields: ReadonlyMap<string, unknown>
  /** Condition with its flag, as typed. */
  given: string
}

/** Maximum number of values, and of items, to examine for hints. */
const maxCompared = 10_000

const quoted = /^["'\u201c-\u201e\u2018-\u201a\xab]([\s\S]+)["'\u201c\u201d\u2018\u2019\xbb]$/

/** Collector of the values that a condition did not match, for hints on similar conditions. */
export class NearMisses {
  readonly #values = new Set<unknown>()
  #other: string | undefined
  #seen = 0
  readonly #condition: TextCondition

  constructor(condition: TextCondition) {
    this.#condition = condition
  }

  watch(test: Test): Test {
    return (value) => {
      const matches = test(value)
      if (matches === false && this.#values.size < maxCompared) this.#values.add(value)
      return matches
    }
  }

  /** Records another field that equals the text of the condition, such as `user_id` for `id=ada`. */
  see(item: Item): void {
    if (this.#other !== undefined || this.#seen++ >= maxCompared) return
    const { text, field, fields } = this.#condition
    const isOther = (name: string) => name !== field && fields.has(name)
    const [other] = Object.entries(item).find(([name, value]) => isOther(name) && value === text) ?? []
    this.#other = other
  }

  explain(): string | undefined {
    const { field, text, given, flag } = this.#condition
    const [, inside = decodePercent(text)] = quoted.exec(text) ?? []
    const values = [...this.#values].map(toText)
    const near = values.find((value) => value !== '' && isSimilar(value, inside ?? text))
    if (near !== undefined)
      return `${given}: the ${field} closest to this is “${near}”: ${formatCondition(flag, field, '=', near)}`
    if (this.#other !== undefined)
      return `${given}: “${text}” is the ${this.#other} of an item: ${formatCondition(flag, this.#other, '=', text)}`
    if (/^(null|none|nil|undefined)$/i.test(text))
      return `${given}: for no value: ${formatCondition(flag, field, '=', '')}`
    if (text === '*') return `${given}: for any value: ${formatCondition(flag, field, '!=', '')}`
    if (text.includes('*')) return formatAsteriskHint(given, field, text, flag)
    if (/^%|%$/.test(text)) return formatAsteriskHint(given, field, text, flag, '%')
    const [, pattern] = /^\/(.+)\/i?$/.exec(text) ?? []
    if (pattern !== undefined)
      return `${given}: “/” is an ordinary character; for a pattern: ${formatCondition(flag, field, '~', pattern)}`
    if (quoted.test(text))
      return `${given}: the quotes are part of the value; without them: ${formatCondition(flag, field, '=', inside ?? text)}`
    if (text.includes(',')) return `${given}: ${formatAlternatives(flag, field, text)}`
    const lower = text.toLowerCase()
    if (values.some((value) => value.toLowerCase().includes(lower)))
      return `${given}: “=” compares the whole ${field}; to match a part of the value: ${formatCondition(flag, field, '~', escapePattern(text))}`
    return undefined
  }
}

/** @param given text that begins the hint */
export function formatAsteriskHint(
  given: string,
  field: string,
  text: string,
  flag = '--where',
  wildcard = '*',
): string {
  const pattern = `^${text.split(wildcard).map(escapePattern).join('.*')}$`
    .replace(/^\^\.\*/, '')
    .replace(/\.\*\$$/, '')
  return `${given}: “${wildcard}” is an ordinary character; for a pattern: ${formatCondition(flag, field, '~', pattern)}`
}

/** Formats a hint for a list such as `a,b`, which conditions compare as one value. */
function formatAlternatives(flag: string, field: string, text: string): string {
  return `${alternativesText}${formatCondition(flag, field, '~', matchList(text))}`
}

export const alternativesText = '“,” is an ordinary character; for several values: '

/** Returns a pattern for the items of a list such as `a,b`. */
export const matchList = (text: string) => matchAny(text.split(',').map((part) => part.trim()))

export const matchAny = (texts: readonly string[]) => `^(${texts.map(escapePattern).join('|')})$`

/** Formats a flag with its condition. */
export function formatCondition(flag: string, field: string, operator: string, value: string): string {
  return `${flag} ${quoteForShell(joinCondition(field, operator, value))}`
}

/** Spaces separate an operator from a value such as `=x`. */
export function joinCondition(field: string, operator: string, value: string): string {
  const blank = /^[=<>~]/.test(value) ? ' ' : ''
  return `${field}${blank}${operator}${blank}${value}`
}

function decodePercent(text: string): string | undefined {
  if (!/%[0-9a-f]{2}/i.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const escapePattern = (text: string) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
