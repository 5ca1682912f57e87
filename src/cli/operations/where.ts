import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { type Field, type FieldType, listed, type Resource, unlisted } from '../../api/resource.ts'
import { resources } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import { fieldOf, type Item, type View } from '../output/views.ts'
import { compare, type FilterType, type Operator, operators, type Test } from './compare.ts'

/** Conditions that must all hold. */
export interface Filter {
  /** The fields that they are about. */
  fields: readonly string[]
  /** Whether an item matches; undefined when it does not carry a field that decides it. */
  matches(item: Item): boolean | undefined
}

/** One condition. */
interface Condition {
  field: string
  test: Test
}

/** What a condition is read for. */
interface Reading {
  view: View
  types: ReadonlyMap<string, FilterType>
  /** Milliseconds since 1970, from which `90d` counts back. */
  now: number
}

/**
 * Reads `--where` conditions, which must all hold: `type=private`, `created_at<90d`, `name~^test`.
 * @param list the operation that lists the things
 * @param now milliseconds since 1970, from which `90d` counts back
 * @throws {UsageError} for a field that does not exist, or a value that it cannot have
 */
export async function parseWhere(
  conditions: readonly string[],
  list: OperationName,
  view: View,
  now: number,
): Promise<Filter> {
  const types = filterTypes(resources[endpoints[list].resource], view)
  const parsed = await Promise.all(
    conditions.map((condition) => parseCondition(condition, { view, types, now })),
  )
  return {
    fields: [...new Set(parsed.map(({ field }) => field))],
    matches(item) {
      let isUndecided = false
      for (const { field, test } of parsed) {
        const told = fieldOf(view, field, item)
        if (!told.known) isUndecided = true
        else if (!test(told.value)) return false
      }
      return isUndecided ? undefined : true
    },
  }
}

async function parseCondition(condition: string, { view, types, now }: Reading): Promise<Condition> {
  const [, field = '', blank, sign = '', given = ''] =
    /^\s*([\w.]+)(\s*)(==|!=|<=|>=|!~|=|<|>|~)([\s\S]*)$/.exec(condition) ?? []
  const operator = operators[sign]
  if (operator === undefined)
    throw new UsageError(`--where takes FIELD, one of = != < <= > >= ~ !~, and a value, got “${condition}”`)
  const trimmed = given.trim()
  const hasAge = types.has('created_at')
  if (field === 'age' && hasAge)
    return { field: 'created_at', test: await compareAge(operator, trimmed, condition, now) }
  const type = types.get(field)
  if (!type)
    throw new UsageError(`--where: no ${view.noun[0]} has a field “${field}”`, {
      hint: `fields are ${[...types.keys(), ...(hasAge ? ['age'] : [])].join(', ')}`,
    })
  const choices = view.choices?.[field]
  if (choices && (operator === '=' || operator === '!=') && trimmed !== '' && !choices.includes(trimmed))
    throw new UsageError(`--where ${condition}: ${field} is ${choices.join(', ')}`, {
      hint: `for another value: --where '${field}~${trimmed}'`,
    })
  // A pattern may begin or end with a blank, unless the operator is between blanks.
  const text = operator.endsWith('~') && blank === '' && trimmed !== '' ? given : trimmed
  return { field, test: await compare({ operator, type, text, condition, now }) }
}

/** `age>90d`: created more than 90 days ago. The older a thing is, the earlier it was created. */
function compareAge(operator: Operator, text: string, condition: string, now: number): Promise<Test> {
  const mirrored: Partial<Record<Operator, Operator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
  const turned = mirrored[operator]
  if (turned === undefined || !/^\d{1,9}[smhdw]$/.test(text))
    throw new UsageError(`--where ${condition}: age takes one of < <= > >= and a duration, as in age>90d`)
  return compare({ operator: turned, type: 'time', text, condition, now })
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
