import { formatChoices } from '../../api/either.ts'
import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { quoteForShell } from '../../api/quote-for-shell.ts'
import {
  type Field,
  type FieldType,
  type Resource,
  selectListedFields,
  selectUnlistedFields,
} from '../../api/resource-types.ts'
import { resources } from '../../api/resources.ts'
import { correctDuration, readDuration } from '../../duration.ts'
import { UsageError } from '../../errors.ts'
import { parseMoment } from '../calendar/moment.ts'
import type { RowKind } from '../output/views/define-row.ts'
import { toUnknownFieldError } from '../output/views/unknown-field.ts'
import { type FieldValue, type Item, readField, selectView, type View } from '../output/views/views.ts'
import {
  type Comparison,
  compare,
  type FilterType,
  type Operator,
  operators,
  type Test,
  type WhereClock,
} from './compare.ts'
import { computedTypes, idleSince, isMetric } from './metric-types.ts'
import { correctChoice, correctList, invalidCondition, splitConditions } from './near-condition.ts'
import { joinCondition, NearMisses } from './near-miss.ts'

export interface Filter {
  flag: string
  fields: readonly string[]
  /** Room metrics in the conditions, which need additional requests for each room. */
  metrics: readonly string[]
  explainNoMatch(): readonly string[]
  /** Time conditions with absolute instants and their zone, for notices and prompts. */
  instants: readonly string[]
  /** Returns undefined if the result depends on a missing or malformed field. */
  matches(item: Item): boolean | undefined
  /** Returns undefined if the result depends on a missing or malformed metric. */
  matchesMetrics(facts: Item): boolean | undefined
  markUnreadable(field: string, value: FieldValue): FieldValue
}

interface Condition {
  field: string
  isMetric: boolean
  test: Test
  misses?: NearMisses | undefined
  instants?: string | undefined
}

export interface KnownFields {
  view: View
  types: ReadonlyMap<string, FilterType | 'age'>
}

/**
 * Requires all conditions to match.
 * @throws {UsageError} for an invalid condition
 */
export async function parseWhere(
  conditions: readonly string[],
  { view, types }: KnownFields,
  { now, zone }: WhereClock,
  flag = '--where',
): Promise<Filter> {
  const parsed = await Promise.all(
    conditions.map((condition) => parseCondition(condition, { flag, view, types, now, zone })),
  )
  const onFields = parsed.filter(({ isMetric }) => !isMetric)
  const onMetrics = parsed.filter(({ isMetric }) => isMetric)
  return {
    flag,
    fields: [...new Set(onFields.map(({ field }) => field))],
    metrics: [...new Set(onMetrics.map(({ field }) => field))],
    explainNoMatch: () => parsed.flatMap(({ misses }) => misses?.explain() ?? []),
    instants: parsed.flatMap(({ instants }) => instants ?? []),
    matches: (item) => {
      for (const { misses } of onFields) misses?.see(item)
      return evaluate(onFields, (field) => readField(view, field, item))
    },
    matchesMetrics: (facts) => evaluate(onMetrics, (field) => findMetric(facts, field)),
    markUnreadable(field, value) {
      const isRead = (condition: Condition) =>
        condition.field !== field || !value.known || condition.test(value.value) !== undefined
      return parsed.every(isRead) ? value : { known: false, isUnreadable: true }
    },
  }
}

function evaluate(
  conditions: readonly Condition[],
  readField: (field: string) => FieldValue,
): boolean | undefined {
  let isUndecided = false
  for (const { field, test } of conditions) {
    const value = readField(field)
    const matches = value.known ? test(value.value) : undefined
    if (matches === false) return false
    isUndecided ||= matches === undefined
  }
  return isUndecided ? undefined : true
}

export function findMetric(facts: Item, field: string): FieldValue {
  const value = facts[field]
  return value === undefined ? { known: false } : { known: true, value }
}

/** Operators of other languages, with the equivalent operators of `--where`. */
const foreignOperators: Readonly<Record<string, string>> = { '<>': '!=', '=<': '<=', '=>': '>=', '=~': '~' }

async function parseCondition(
  condition: string,
  { flag, view, types, now, zone }: WhereClock & KnownFields & { flag: string },
): Promise<Condition> {
  const [, field = '', blank, sign = '', given = ''] =
    /^\s*([\w.]+)(\s*)(==|!=|<=|>=|!~|=|<|>|~)([\s\S]*)$/.exec(condition) ?? []
  const operator = operators[sign]
  if (operator === undefined) throw invalidCondition(condition, flag, types)
  const trimmed = given.trim()
  const instead = foreignOperators[`${sign}${given[0]}`]
  if (instead !== undefined)
    throw new UsageError(`${flag} ${condition}: the operator is ${instead}, not ${sign}${given[0]}`, {
      correction: [condition, joinCondition(field, instead, given.slice(1).trim())],
    })
  const flagAndCondition = `${flag} ${condition}`
  const type = types.get(field)
  if (type === 'age') {
    const compared = field === 'age' ? 'created_at' : idleSince
    const ageComparison = { operator, text: trimmed, condition: flagAndCondition, now, zone }
    return {
      field: compared,
      isMetric: isMetric(field),
      ...(await compareAge(field, compared, ageComparison)),
    }
  }
  const [chosen] = Object.entries(view.choices ?? {}).find(([, values]) => values.includes(field)) ?? []
  const isEquality = operator === '=' || operator === '!='
  if (!type && chosen !== undefined && isEquality && /^(true|yes|1|false|no|0)$/i.test(trimmed)) {
    const isWanted = /^[ty1]/i.test(trimmed) === (operator === '=')
    throw new UsageError(`${flag}: “${field}” is a value of the field “${chosen}”`, {
      correction: [condition, `${chosen}${isWanted ? '=' : '!='}${field}`],
    })
  }
  if (!type) throw toUnknownFieldError(`${flag}: `, view.noun[0], [field], condition, [...types.keys()])
  const parts = splitConditions(condition, types)
  if (parts.length > 1 || /\s(and|or|&&|\|\|)\s+[\w.]+\s*[=<>~!]/i.test(given))
    throw new UsageError(`${flagAndCondition}: each condition needs its own ${flag}`, {
      hint:
        parts.length > 1
          ? `type: ${parts.map((part) => `${flag} ${quoteForShell(part)}`).join(' ')}`
          : `all conditions must match: ${flag} 'type=private' ${flag} 'record=true'; for alternatives, use a pattern: ${flag} 'name~one|two'`,
      lineEdit: parts.length > 1 ? { before: 'type: ', replace: [flag, condition, parts] } : undefined,
    })
  const parsed = { condition, flag, field, operator, value: trimmed }
  const choices = view.choices?.[field]
  if (choices && isEquality && trimmed !== '' && !choices.includes(trimmed))
    throw new UsageError(
      `${flagAndCondition}: ${field} must be ${formatChoices(choices)}, not “${trimmed}”`,
      trimmed.includes(',') ? correctList(parsed) : correctChoice(parsed, choices),
    )
  if (choices && operator.endsWith('~') && /^\w+(, ?\w+)+$/.test(trimmed))
    throw new UsageError(`${flagAndCondition}: no ${field} contains a comma`, correctList(parsed))
  // Spaces around a pattern belong to the pattern unless a space precedes the operator.
  const text = operator.endsWith('~') && blank === '' && trimmed !== '' ? given : trimmed
  const comparison = { operator, type, text, condition: flagAndCondition, now, zone }
  const test = withChoices(choices, await compare(comparison))
  const isText = operator === '=' && type === 'text' && text !== ''
  const misses = isText
    ? new NearMisses({ flag, field, text, fields: types, given: flagAndCondition })
    : undefined
  return {
    field,
    instants: type === 'time' && !operator.endsWith('~') ? formatInstants(field, comparison) : undefined,
    misses,
    isMetric: isMetric(field),
    test: misses?.watch(test) ?? test,
  }
}

function withChoices(choices: readonly string[] | undefined, test: Test): Test {
  if (!choices) return test
  return (value) => {
    const normalized = typeof value === 'string' ? value.toLowerCase() : undefined
    return test(normalized !== undefined && choices.includes(normalized) ? normalized : value)
  }
}

/** Reverses the operator, because a greater age means an earlier time. */
async function compareAge(
  field: string,
  compared: string,
  given: Omit<Comparison, 'type'>,
): Promise<Pick<Condition, 'test' | 'instants'>> {
  const { operator, text, condition } = given
  const mirrored: Partial<Record<Operator, Operator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
  const reversed = mirrored[operator]
  if (reversed === undefined)
    throw new UsageError(`${condition}: ${field} needs one of < <= > >= and a duration, such as ${field}>90d`)
  if (readDuration(text) === undefined)
    throw new UsageError(
      `${condition}: ${field} must be a duration such as 90d, not “${text}”`,
      correctDuration(text),
    )
  const comparison = { ...given, operator: reversed }
  return {
    test: await compare({ ...comparison, type: 'time' }),
    instants: formatInstants(compared, comparison),
  }
}

export function fieldsOfList(list: OperationName, view = selectView(endpoints[list])): KnownFields {
  return { view, types: conditionTypes(resources[endpoints[list].resource], view) }
}

export function fieldsOfRows(view: RowKind): KnownFields {
  const types = Object.entries(view.shape).map(([name, [type]]) => {
    const scalar = /^(time|boolean|integer|number)/.exec(String(type))?.[0] ?? 'text'
    return [name, scalar === 'integer' ? 'number' : (scalar as FilterType)] as const
  })
  return { view, types: new Map(types) }
}

export function conditionTypes(resource: Resource, view: View): ReadonlyMap<string, FilterType | 'age'> {
  return new Map([...filterTypes(resource, view), ...computedTypes(resource)])
}

/** Returns the types of listed, derived and unlisted fields, without deprecated and request-only fields. */
export function filterTypes({ fields }: Resource, { columns }: View): ReadonlyMap<string, FilterType> {
  const typed = (entries: [string, Field][]) =>
    entries.map(([name, { type }]) => [name, filterType(type)] as const)
  const derived = columns.filter(({ field }) => !Object.hasOwn(fields, field))
  return new Map([
    ...typed(selectListedFields(fields)),
    ...derived.map(({ field }) => [field, 'text'] as const),
    ...typed(selectUnlistedFields(fields)),
  ])
}

function filterType(type: FieldType): FilterType {
  if (type === 'integer' || type === 'seconds') return 'number'
  return type === 'number' || type === 'boolean' || type === 'time' ? type : 'text'
}

/** Formats a time condition with instants: `created_at < 2026-01-01T00:00:00+01:00 (Europe/Berlin)`. */
function formatInstants(
  field: string,
  { operator, text, now, zone }: Pick<Comparison, 'operator' | 'text' | 'now' | 'zone'>,
): string | undefined {
  const moment = parseMoment(text, now, zone)
  if (!moment) return undefined
  const start = zone.formatInstant(moment.start)
  const end = moment.end === undefined ? undefined : zone.formatInstant(moment.end)
  const inDay = end === undefined ? undefined : formatDayTest(field, operator, start, end)
  return `${inDay ?? `${field} ${operator} ${start}`} (${zone.name})`
}

/** Formats a comparison with a day if the operator needs `end`, the start of the next day. */
function formatDayTest(field: string, operator: Operator, start: string, end: string): string | undefined {
  const tests: Partial<Record<Operator, string>> = {
    '=': `${start} <= ${field} < ${end}`,
    '!=': `${field} < ${start} or >= ${end}`,
    '<=': `${field} < ${end}`,
    '>': `${field} >= ${end}`,
  }
  return tests[operator]
}
