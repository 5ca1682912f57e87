import { type ErrorDetails, UsageError } from '../../errors.ts'
import { alternativesText, formatCondition, joinCondition, matchList } from './near-miss.ts'

const words: readonly (readonly [pattern: RegExp, operator: string])[] = [
  [/^(contains|like|includes|matches)$/, '~'],
  [/^(is|equals|eq)$/, '='],
  [/^(is not|isnt|ne)$/, '!='],
  [/^(gt|over|above)$/, '>'],
  [/^(lt|under|below)$/, '<'],
  [/^(ge|gte)$/, '>='],
  [/^(le|lte)$/, '<='],
]

/**
 * Translates a condition of another query language, such as `type in (a,b)`.
 * @returns undefined for other text
 */
function findNearCondition(text: string, types: ReadonlyMap<string, string>): string | undefined {
  const [, negation, flag = ''] = /^\s*(!|not\s)?\s*([\w.]+)\s*$/i.exec(text) ?? []
  if (types.get(flag) === 'boolean') return `${flag}=${negation === undefined}`
  const [, field = '', not, list] = /^\s*([\w.]+)\s+(not\s+)?in\s*\(?([^()]+)\)?\s*$/i.exec(text) ?? []
  if (types.has(field) && list !== undefined) {
    const values = list
      .split(',')
      .map((value) => removeQuotes(value.trim()).replace(/[\\^$.|?+()[\]{}*]/g, '\\$&'))
    return `${field}${not ? '!~' : '~'}^(${values.join('|')})$`
  }
  const [, key = '', keyed = ''] = /^\s*([\w.]+)\s*:\s*(.+?)\s*$/.exec(text) ?? []
  if (types.has(key)) return `${key}=${removeQuotes(keyed)}`
  const [, name = '', verb = '', value = ''] = /^\s*([\w.]+)\s+(is not|\w+)\s+(.+?)\s*$/i.exec(text) ?? []
  const operator = words.find(([pattern]) => pattern.test(verb.toLowerCase()))?.[1]
  if (!types.has(name) || operator === undefined) return undefined
  return `${name}${operator}${/^(null|none|empty)$/i.test(value) ? '' : convertPattern(removeQuotes(value))}`
}

/** Converts an SQL pattern, in which `%` at the start or end means any text. */
function convertPattern(text: string): string {
  if (!/^%|%$/.test(text)) return text
  return `${text.startsWith('%') ? '' : '^'}${text.replace(/^%|%$/g, '')}${text.endsWith('%') ? '' : '$'}`
}

const removeQuotes = (text: string) => text.replace(/^(["'])(.*)\1$/, '$2')

/** Splits several conditions, as in `type=open,status=active`. Returns other text as one part. */
export function splitConditions(text: string, types: ReadonlyMap<string, string>): readonly string[] {
  const parts = text.split(/\s+(?:and|&&)\s+|\s*[,;&]\s*(?=[\w.]+\s*[=<>~!])/i)
  const isCondition = (part: string) => types.has(/^\s*([\w.]+)\s*[=<>~!]/.exec(part)?.[1] ?? '')
  return parts.every(isCondition) ? parts : [text]
}

export function invalidCondition(
  condition: string,
  flag: string,
  types: ReadonlyMap<string, string>,
): UsageError {
  const message = `${flag} must be a field, one of = != < <= > >= ~ !~, and a value, not “${condition}”`
  const bare = removeQuotes(condition)
  const near = bare === condition ? findNearCondition(condition, types) : bare
  if (near !== undefined) return new UsageError(message, { correction: [condition, near] })
  const example = types.has('age') ? 'age>90d' : 'type=host'
  const isField = /^\s*[\w.]+\s*$/.test(condition)
  return new UsageError(message, {
    hint: isField
      ? `quote the condition, because the shell reads < and > as redirections: ${flag} '${example}'`
      : `as in: ${flag} '${example}' or ${flag} 'name~^Ma'`,
  })
}

interface ParsedCondition {
  /** Text of the condition. */
  condition: string
  flag: string
  field: string
  operator: string
  value: string
}

/** Suggests a similar choice or, for `=`, a pattern for values that only some services send. */
export function correctChoice(
  { condition, flag, field, operator, value }: ParsedCondition,
  choices: readonly string[],
): ErrorDetails {
  const word = removeQuotes(value)
  return {
    ...(operator === '=' &&
      replaceCondition('if the service uses other values: ', flag, condition, [field, '~', value])),
    misspelling: {
      kind: 'choice',
      words: [word],
      known: choices,
      correct: (find) => [condition, joinCondition(field, operator, find(word))],
    },
  }
}

/** Suggests a pattern for a list such as `a,b`. */
export function correctList({ condition, flag, field, operator, value }: ParsedCondition): ErrorDetails {
  const isNegated = operator.startsWith('!')
  return replaceCondition(alternativesText, flag, condition, [
    field,
    isNegated ? '!~' : '~',
    matchList(value),
  ])
}

function replaceCondition(
  before: string,
  flag: string,
  condition: string,
  [field, operator, value]: readonly [string, string, string],
): ErrorDetails {
  return {
    hint: `${before}${formatCondition(flag, field, operator, value)}`,
    lineEdit: { before, replace: [flag, condition, [joinCondition(field, operator, value)]] },
  }
}
