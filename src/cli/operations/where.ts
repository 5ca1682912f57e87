import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { type Field, type FieldType, listed, type Resource, unlisted } from '../../api/resource.ts'
import { resources } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import { cellOf, type Item, type View } from '../output/views.ts'

/** Whether an item is wanted. */
export type Filter = (item: Item) => boolean

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | '!~'
type FilterType = 'text' | 'number' | 'boolean' | 'time'

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/**
 * Reads `--where` conditions, all of which are to hold: `type=private`, `created_at<90d`, `name~^test`.
 * @param list the operation that lists the things
 * @param now milliseconds since 1970, from which `90d` counts back
 * @throws {UsageError} for a field that there is not, or a value that cannot be one of its
 */
export function parseWhere(
  conditions: readonly string[],
  list: OperationName,
  view: View,
  now: number,
): Filter {
  const types = filterTypes(resources[endpoints[list].resource], view)
  const filters = conditions.map((condition) => {
    const [, field = '', blank, operator, text = ''] =
      /^\s*([\w.]+)(\s*)(==|!=|<=|>=|!~|=|<|>|~)([\s\S]*)$/.exec(condition) ?? []
    if (operator === undefined)
      throw new UsageError(`--where takes FIELD, one of = != < <= > >= ~ !~, and a value, not “${condition}”`)
    const type = types.get(field)
    if (!type)
      throw new UsageError(`--where: no ${view.noun[0]} has a field “${field}”`, {
        hint: `fields are ${[...types.keys()].join(', ')}`,
      })
    const choices = view.choices?.[field]
    if (choices && /^(==?|!=)$/.test(operator) && !choices.includes(text.trim()) && text.trim() !== '')
      throw new UsageError(`--where ${condition}: ${field} is ${choices.join(', ')}`, {
        hint: `for another value: --where '${field}~${text.trim()}'`,
      })
    const test = compare(
      (operator === '==' ? '=' : operator) as Operator,
      type,
      // Blanks may be what a pattern looks for, but not where the operator stands between blanks.
      operator.endsWith('~') && blank === '' && text.trim() !== '' ? text : text.trim(),
      condition,
      now,
    )
    return (item: Item) => test(cellOf(view, field, item))
  })
  return (item) => filters.every((filter) => filter(item))
}

/**
 * The fields that can be asked for, with their types: what the document lists, what is derived, and what services send beyond the
 * document. A deprecated field carries nothing.
 */
export function filterTypes({ fields }: Resource, { columns }: View): ReadonlyMap<string, FilterType> {
  const typed = (entries: [string, Field][]) =>
    entries.map(([name, { type }]) => [name, filterType(type)] as const)
  const derived = columns.filter(({ field }) => !Object.hasOwn(fields, field))
  return new Map([
    ...typed(listed(fields)),
    ...derived.map(({ field }) => [field, 'text'] as const),
    ...typed(unlisted(fields)),
  ])
}

function filterType(type: FieldType): FilterType {
  if (type === 'integer' || type === 'seconds') return 'number'
  return type === 'number' || type === 'boolean' || type === 'time' ? type : 'text'
}

function compare(
  operator: Operator,
  type: FilterType,
  text: string,
  condition: string,
  now: number,
): (value: unknown) => boolean {
  const wrong = (expected: string) => new UsageError(`--where ${condition}: ${expected}`)
  if (text === '') {
    if (operator === '=') return (value) => value === null || value === ''
    if (operator === '!=') return (value) => value !== null && value !== ''
    throw wrong('a value is missing')
  }
  if (operator === '~' || operator === '!~') {
    const pattern = toPattern(text, wrong)
    return (value) => pattern.test(value === null ? '' : String(value)) === (operator === '~')
  }
  switch (type) {
    case 'number': {
      if (!/^-?\d+(\.\d+)?$/.test(text)) throw wrong('expected a number')
      // A number that a double cannot hold comes as an object of its own.
      return ordered(operator, Number(text), Number(text), (value) => Number(String(value)))
    }
    case 'boolean':
      if (!/^(true|false)$/.test(text)) throw wrong('expected true or false')
      if (operator !== '=' && operator !== '!=') throw wrong('true and false have no order')
      return (value) => (value === (text === 'true')) === (operator === '=')
    case 'time': {
      const [from, to] = toMoment(text, now, wrong)
      return ordered(operator, from, to, (value) => Date.parse(String(value)))
    }
    default:
      return ordered(operator, text, text, String)
  }
}

/**
 * Compares with a range that counts as one value, as a day does. What is not there is smaller and larger than nothing,
 * and different from everything.
 */
function ordered<T extends number | string>(operator: Operator, from: T, to: T, read: (value: unknown) => T) {
  const tests: Partial<Record<Operator, (value: T) => boolean>> = {
    '=': (value) => value >= from && value <= to,
    '!=': (value) => !(value >= from && value <= to),
    '<': (value) => value < from,
    '<=': (value) => value <= to,
    '>': (value) => value > to,
    '>=': (value) => value >= from,
  }
  const test = tests[operator] ?? (() => false)
  return (value: unknown) => (value === null ? operator === '!=' : test(read(value)))
}

function toPattern(text: string, wrong: (expected: string) => UsageError): RegExp {
  try {
    return new RegExp(text, 'iu')
  } catch {
    throw wrong('not a regular expression')
  }
}

/** First and last millisecond of a moment or day, or the moment so long ago. */
function toMoment(text: string, now: number, wrong: (expected: string) => UsageError): [number, number] {
  const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) {
    const moment = now - Number(count) * (units[unit] ?? 0)
    return [moment, moment]
  }
  const start = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? Date.parse(text.length > 10 && !/(Z|[+-]\d\d:\d\d)$/.test(text) ? `${text.replace(' ', 'T')}Z` : text)
    : Number.NaN
  // Date.parse takes the 30th of February for the 2nd of March.
  const day = text.slice(0, 10)
  if (Number.isNaN(start) || new Date(`${day}T00:00Z`).toISOString().slice(0, 10) !== day)
    throw wrong(
      'expected a date as in 2026-01-31, a time as in 2026-01-31T12:00Z, or how long ago as in 90d, 12h',
    )
  return text.length === 10 ? [start, start + 86_400_000 - 1] : [start, start]
}
