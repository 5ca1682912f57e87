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
import { type Comparison, compare, type FilterType, type Operator, operators, type Test } from './compare.ts'
import { aboutAsterisk } from './globs.ts'
import { idleSince, isMetric, metricTypes } from './metrics.ts'

/** Conditions that must all hold. */
export interface Filter {
  /** The flag that gives them, for errors. */
  flag: string
  /** The fields that they are about. */
  fields: readonly string[]
  /** What has to be asked for each room, since no item carries it. */
  facts: readonly string[]
  /** What to say when nothing matches: that `*` is an ordinary character. */
  asterisks: readonly string[]
  /** Whether the fields of an item match; undefined when it does not carry one that decides it. */
  matches(item: Item): boolean | undefined
  /** Whether what was asked about a room matches, in the same way. */
  admits(facts: Item): boolean | undefined
  /** What an item or the facts about a room say of a field, where every condition about it can read that. */
  readable(field: string, told: FieldValue): FieldValue
}

/** What `age` is reckoned from. */
export const createdAt = 'created_at'

/** One condition. */
interface Condition {
  field: string
  /** Whether it is about what happens in a room. */
  isFact: boolean
  test: Test
  asterisk?: string | undefined
}

/** What a condition is read for. */
interface Reading {
  flag: string
  view: View
  types: ReadonlyMap<string, FilterType>
  /** Whether the service can be asked about each item. */
  hasFacts: boolean
  /** Milliseconds since 1970, from which `90d` counts back. */
  now: number
}

/**
 * Reads `--where` conditions, which must all hold: `type=private`, `created_at<90d`, `name~^test`.
 * @param list the operation that lists the things
 * @param now milliseconds since 1970, from which `90d` counts back
 * @param flag the flag that gives them
 * @throws {UsageError} for a field that does not exist, or a value that it cannot have
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
      parseCondition(condition, { flag, view, types, hasFacts: list === 'listRooms', now }),
    ),
  )
  const own = parsed.filter(({ isFact }) => !isFact)
  const asked = parsed.filter(({ isFact }) => isFact)
  return {
    flag,
    fields: [...new Set(own.map(({ field }) => field))],
    facts: [...new Set(asked.map(({ field }) => field))],
    asterisks: parsed.flatMap(({ asterisk }) => asterisk ?? []),
    matches: (item) => decide(own, (field) => fieldOf(view, field, item)),
    admits: (facts) => decide(asked, (field) => metricOf(facts, field)),
    readable(field, told) {
      const isRead = (condition: Condition) =>
        condition.field !== field || !told.known || condition.test(told.value) !== undefined
      return parsed.every(isRead) ? told : { known: false, isUnreadable: true }
    },
  }
}

/** Whether all conditions hold; undefined when what is told leaves it open. */
function decide(conditions: readonly Condition[], tell: (field: string) => FieldValue): boolean | undefined {
  let isUndecided = false
  for (const { field, test } of conditions) {
    const told = tell(field)
    const matches = told.known ? test(told.value) : undefined
    if (matches === false) return false
    isUndecided ||= matches === undefined
  }
  return isUndecided ? undefined : true
}

/** What is known of a fact: one that could not be found out is absent. */
export function metricOf(facts: Item, field: string): FieldValue {
  const value = facts[field]
  return value === undefined ? { known: false } : { known: true, value }
}

async function parseCondition(
  condition: string,
  { flag, view, types, hasFacts, now }: Reading,
): Promise<Condition> {
  const [, field = '', blank, sign = '', given = ''] =
    /^\s*([\w.]+)(\s*)(==|!=|<=|>=|!~|=|<|>|~)([\s\S]*)$/.exec(condition) ?? []
  const operator = operators[sign]
  if (operator === undefined) throw notACondition(condition, flag, usesAge(types))
  const trimmed = given.trim()
  const spelled = `${flag} ${condition}`
  const isAged = usesAge(types)
  const aged = { operator, text: trimmed, condition: spelled, now }
  if (field === 'age' && isAged)
    return { field: createdAt, isFact: false, test: await compareAge(field, aged) }
  // What the document lists comes first, if it ever lists a field of such a name.
  const fact = hasFacts && !types.has(field) && isMetric(field) ? field : undefined
  if (fact === 'idle') return { field: idleSince, isFact: true, test: await compareAge(field, aged) }
  const type = fact ? metricTypes[fact] : types.get(field)
  if (!type) {
    const names = [...types.keys(), ...(isAged ? ['age'] : []), ...(hasFacts ? Object.keys(metricTypes) : [])]
    const near = findClosest(field, names)
    const meant = near === undefined ? '' : `did you mean “${near}”? `
    throw new UsageError(`${flag}: no ${view.noun[0]} has a field “${field}”`, {
      hint: `${meant}fields are ${names.join(', ')}`,
    })
  }
  if (/\s(and|or|&&|\|\|)\s+[\w.]+\s*[=<>~!]/i.test(given))
    throw new UsageError(`${spelled}: each condition needs its own ${flag}`, {
      hint: `all of them must hold: ${flag} 'type=private' ${flag} 'record=true'; a pattern can hold alternatives: ${flag} 'name~one|two'`,
    })
  const choices = view.choices?.[field]
  if (choices && (operator === '=' || operator === '!=') && trimmed !== '' && !choices.includes(trimmed))
    throw new UsageError(`${spelled}: ${field} is ${choices.join(', ')}`, {
      hint: `for another value: ${flag} '${field}~${trimmed}'`,
    })
  // A pattern may begin or end with a blank, unless the operator is between blanks.
  const text = operator.endsWith('~') && blank === '' && trimmed !== '' ? given : trimmed
  return {
    field,
    asterisk: operator === '=' && text.includes('*') ? aboutAsterisk(spelled, field, text, flag) : undefined,
    isFact: fact !== undefined,
    test: withChoices(choices, await compare({ operator, type, text, condition: spelled, now })),
  }
}

/** Some services send the few values of a field in capitals. */
function withChoices(choices: readonly string[] | undefined, test: Test): Test {
  if (!choices) return test
  return (value) => {
    const known = typeof value === 'string' ? value.toLowerCase() : undefined
    return test(known !== undefined && choices.includes(known) ? known : value)
  }
}

/** Says how a condition is written. A shell takes what stands behind an unquoted < or > for a file. */
function notACondition(condition: string, flag: string, isAged: boolean): UsageError {
  const message = `${flag} takes FIELD, one of = != < <= > >= ~ !~, and a value, not “${condition}”`
  const example = isAged ? 'age>90d' : 'type=host'
  const isField = /^\s*[\w.]+\s*$/.test(condition)
  return new UsageError(message, {
    hint: isField
      ? `quote the condition, or the shell takes < and > for redirections: ${flag} '${example}'`
      : `as in: ${flag} '${example}' or ${flag} 'name~^Ma'`,
  })
}

/** Whether things with these fields can be chosen by their age. */
export const usesAge = (types: ReadonlyMap<string, FilterType>) => types.has(createdAt)

/** `age>90d`: created more than 90 days ago. The older a thing is, the earlier it was created; the same is true of idle rooms. */
function compareAge(field: string, given: Omit<Comparison, 'type'>): Promise<Test> {
  const { operator, text, condition } = given
  const mirrored: Partial<Record<Operator, Operator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
  const turned = mirrored[operator]
  if (turned === undefined || readDuration(text) === undefined)
    throw new UsageError(`${condition}: ${field} takes one of < <= > >= and a duration, as in ${field}>90d`)
  return compare({ ...given, operator: turned, type: 'time' })
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
    ...typed(listedFields(fields)),
    ...derived.map(({ field }) => [field, 'text'] as const),
    ...typed(unlistedFields(fields)),
  ])
}

function filterType(type: FieldType): FilterType {
  if (type === 'integer' || type === 'seconds') return 'number'
  return type === 'number' || type === 'boolean' || type === 'time' ? type : 'text'
}
