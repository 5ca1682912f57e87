import { endpoints, type OperationName } from '../../api/endpoints.ts'
import {
  type Field,
  type FieldType,
  listedFields,
  type Resource,
  unlistedFields,
} from '../../api/resource.ts'
import { resources } from '../../api/resources.ts'
import { readDuration } from '../../duration.ts'
import { UsageError } from '../../errors.ts'
import { findClosest } from '../input/closest.ts'
import { type FieldValue, fieldOf, type Item, type View } from '../output/views/views.ts'
import { formatAsteriskHint } from './asterisk-hint.ts'
import { type Comparison, compare, type FilterType, type Operator, operators, type Test } from './compare.ts'
import { idleSince, isMetric, metricTypes } from './metric-types.ts'

export interface Filter {
  flag: string
  fields: readonly string[]
  /** Room metrics in the conditions, which need further requests for each room. */
  metrics: readonly string[]
  /** Hints that `*` is a literal character, for filters that match nothing. */
  asterisks: readonly string[]
  /** Tests an item's fields; undefined when a deciding field is missing. */
  matches(item: Item): boolean | undefined
  /** Tests a room's metrics; undefined when a deciding metric is missing. */
  matchesMetrics(facts: Item): boolean | undefined
  /** Marks a value as unreadable when a condition on the field cannot parse it. */
  markUnreadable(field: string, value: FieldValue): FieldValue
}

interface Condition {
  field: string
  isMetric: boolean
  test: Test
  asterisk?: string | undefined
}

interface ParseOptions {
  flag: string
  view: View
  types: ReadonlyMap<string, FilterType>
  /** True when the list supports room metrics. */
  hasMetrics: boolean
  /** Milliseconds since 1970, from which durations such as `90d` count back. */
  now: number
}

/**
 * Parses `--where` conditions, which must all hold: `type=private`, `created_at<90d`, `name~^test`.
 * @param list the operation that lists the items
 * @param now milliseconds since 1970, from which durations such as `90d` count back
 * @param flag the flag of the conditions, for error messages
 * @throws {UsageError} for an unknown field or an invalid value
 */
export async function parseWhere(
  conditions: readonly string[],
  list: OperationName,
  view: View,
  now: number,
  flag = '--where',
): Promise<Filter> {
  const types = filterTypes(resources[endpoints[list].resource], view)
  const parsed = await Promise.all(
    conditions.map((condition) =>
      parseCondition(condition, { flag, view, types, hasMetrics: list === 'listRooms', now }),
    ),
  )
  const onFields = parsed.filter(({ isMetric }) => !isMetric)
  const onMetrics = parsed.filter(({ isMetric }) => isMetric)
  return {
    flag,
    fields: [...new Set(onFields.map(({ field }) => field))],
    metrics: [...new Set(onMetrics.map(({ field }) => field))],
    asterisks: parsed.flatMap(({ asterisk }) => asterisk ?? []),
    matches: (item) => evaluate(onFields, (field) => fieldOf(view, field, item)),
    matchesMetrics: (facts) => evaluate(onMetrics, (field) => metricOf(facts, field)),
    markUnreadable(field, value) {
      const isRead = (condition: Condition) =>
        condition.field !== field || !value.known || condition.test(value.value) !== undefined
      return parsed.every(isRead) ? value : { known: false, isUnreadable: true }
    },
  }
}

/** Evaluates all conditions; undefined when missing fields leave the result open. */
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

/** Reads a metric; an absent one is unknown. */
export function metricOf(facts: Item, field: string): FieldValue {
  const value = facts[field]
  return value === undefined ? { known: false } : { known: true, value }
}

async function parseCondition(
  condition: string,
  { flag, view, types, hasMetrics, now }: ParseOptions,
): Promise<Condition> {
  const [, field = '', blank, sign = '', given = ''] =
    /^\s*([\w.]+)(\s*)(==|!=|<=|>=|!~|=|<|>|~)([\s\S]*)$/.exec(condition) ?? []
  const operator = operators[sign]
  if (operator === undefined) throw invalidCondition(condition, flag, hasAge(types))
  const trimmed = given.trim()
  const flagAndCondition = `${flag} ${condition}`
  const isAged = hasAge(types)
  const ageComparison = { operator, text: trimmed, condition: flagAndCondition, now }
  if (field === 'age' && isAged)
    return { field: 'created_at', isMetric: false, test: await compareAge(field, ageComparison) }
  // A field of the API specification takes precedence over a metric of the same name.
  const metric = hasMetrics && !types.has(field) && isMetric(field) ? field : undefined
  if (metric === 'idle')
    return { field: idleSince, isMetric: true, test: await compareAge(field, ageComparison) }
  const type = metric ? metricTypes[metric] : types.get(field)
  if (!type) {
    const names = [
      ...types.keys(),
      ...(isAged ? ['age'] : []),
      ...(hasMetrics ? Object.keys(metricTypes) : []),
    ]
    const closest = findClosest(field, names)
    const meant = closest === undefined ? '' : `did you mean “${closest}”? `
    throw new UsageError(`${flag}: no ${view.noun[0]} has a field “${field}”`, {
      hint: `${meant}fields are ${names.join(', ')}`,
    })
  }
  if (/\s(and|or|&&|\|\|)\s+[\w.]+\s*[=<>~!]/i.test(given))
    throw new UsageError(`${flagAndCondition}: each condition needs its own ${flag}`, {
      hint: `all of them must hold: ${flag} 'type=private' ${flag} 'record=true'; a pattern can hold alternatives: ${flag} 'name~one|two'`,
    })
  const choices = view.choices?.[field]
  if (choices && (operator === '=' || operator === '!=') && trimmed !== '' && !choices.includes(trimmed))
    throw new UsageError(`${flagAndCondition}: ${field} is ${choices.join(', ')}`, {
      hint: `for another value: ${flag} '${field}~${trimmed}'`,
    })
  // A pattern may begin or end with a space, unless spaces surround the operator.
  const text = operator.endsWith('~') && blank === '' && trimmed !== '' ? given : trimmed
  return {
    field,
    asterisk:
      operator === '=' && text.includes('*')
        ? formatAsteriskHint(flagAndCondition, field, text, flag)
        : undefined,
    isMetric: metric !== undefined,
    test: withChoices(choices, await compare({ operator, type, text, condition: flagAndCondition, now })),
  }
}

/** Normalizes the case of enumerated values: some services send them in capitals. */
function withChoices(choices: readonly string[] | undefined, test: Test): Test {
  if (!choices) return test
  return (value) => {
    const normalized = typeof value === 'string' ? value.toLowerCase() : undefined
    return test(normalized !== undefined && choices.includes(normalized) ? normalized : value)
  }
}

/** Creates the error for a malformed condition. A shell reads an unquoted < or > as a redirection. */
function invalidCondition(condition: string, flag: string, isAged: boolean): UsageError {
  const message = `${flag} takes FIELD, one of = != < <= > >= ~ !~, and a value, not “${condition}”`
  const example = isAged ? 'age>90d' : 'type=host'
  const isField = /^\s*[\w.]+\s*$/.test(condition)
  return new UsageError(message, {
    hint: isField
      ? `quote the condition, or the shell takes < and > for redirections: ${flag} '${example}'`
      : `as in: ${flag} '${example}' or ${flag} 'name~^Ma'`,
  })
}

export const hasAge = (types: ReadonlyMap<string, FilterType>) => types.has('created_at')

/**
 * Compares an age such as `age>90d` or `idle>90d`. The comparison of times is reversed: older items have earlier
 * times.
 */
function compareAge(field: string, given: Omit<Comparison, 'type'>): Promise<Test> {
  const { operator, text, condition } = given
  const mirrored: Partial<Record<Operator, Operator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
  const reversed = mirrored[operator]
  if (reversed === undefined || readDuration(text) === undefined)
    throw new UsageError(`${condition}: ${field} takes one of < <= > >= and a duration, as in ${field}>90d`)
  return compare({ ...given, operator: reversed, type: 'time' })
}

/**
 * Lists the fields for conditions with their types: documented, derived and unlisted ones, without deprecated
 * fields.
 */
export function filterTypes({ fields }: Resource, { columns }: View): ReadonlyMap<string, FilterType> {
  const typed = (entries: [string, Field][]) =>
    entries.map(([name, { type }]) => [name, filterType(type)] as const)
  const derived = columns.filter(({ field }) => !Object.hasOwn(fields, field))
  return new Map([
    ...typed(listedFields(fields)),
    ...derived.map(({ field }) => [field, 'text'] as const),
    ...typed(unlistedFields(fields)),
  ])
}

function filterType(type: FieldType): FilterType {
  if (type === 'integer' || type === 'seconds') return 'number'
  return type === 'number' || type === 'boolean' || type === 'time' ? type : 'text'
}
