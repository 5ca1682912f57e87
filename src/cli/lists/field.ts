import { endpoints } from '../../api/endpoints.ts'
import { resources } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import type { FilterType } from '../filter/compare.ts'
import { filterTypes } from '../filter/where.ts'
import { isObject, parsePath } from '../input/assignments.ts'
import { findClosest } from '../input/closest.ts'
import type { Context } from '../kernel/context.ts'
import { type FieldValue, fieldOf, type Item, type View } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'
import type { ListName } from './paging/list-name.ts'

/** A field in `--sort` or `--count-by`, which may be nested: `metadata.owner`. */
export interface NamedField {
  name: string
  path: readonly string[]
  /** Type for comparison; undefined for an unlisted field. */
  type: FilterType | undefined
  /** True when the root of the path is a listed field. */
  isKnown: boolean
  isIn(item: Item): boolean
  of(item: Item): FieldValue
}

/**
 * Parses a field name. Services may send unlisted fields, so only names that look misspelled are rejected.
 * @throws {UsageError} for a name that looks misspelled
 */
export function parseField(flag: string, name: string, list: ListName, view: View): NamedField {
  const path = parsePath(name, flag)
  const [root = '', ...rest] = path
  const types = filterTypes(resources[endpoints[list].resource], view)
  const closest = types.has(root) ? undefined : findClosest(root, [...types.keys()])
  if (closest !== undefined)
    throw new UsageError(`${flag}: no ${view.noun[0]} has a field “${root}”; did you mean ${closest}?`)
  return {
    name,
    path,
    isKnown: types.has(root),
    type: rest.length === 0 ? types.get(root) : undefined,
    isIn: (item) => fieldOf(view, root, item).known,
    of: (item) => rest.reduce(readNested, fieldOf(view, root, item)),
  }
}

function readNested(parent: FieldValue, name: string): FieldValue {
  if (!parent.known || !isObject(parent.value) || !Object.hasOwn(parent.value, name)) return { known: false }
  return { known: true, value: (parent.value as Item)[name] }
}

/**
 * Prints the number of items without a field.
 * @throws {UsageError} when no item carries an unlisted field
 */
export async function noticeMissingField(
  context: Context,
  field: NamedField,
  { missing, all, flag, view }: { missing: number; all: number; flag: string; view: View },
  [one, many]: readonly [string, string],
): Promise<void> {
  const { name, isKnown } = field
  if (missing === 0) return
  if (missing === all && !isKnown)
    throw new UsageError(`${flag}: no ${view.noun[0]} has a field “${name}”`, {
      hint: '--json shows what the service sends',
    })
  await context.notice(
    missing === 1
      ? `1 ${view.noun[0]} without ${name} ${one}`
      : `${missing} ${view.noun[1]} without ${name} ${many}`,
  )
}

/** Completes items that lack a field with their full records; drops items that no longer exist. */
export async function completeField(
  fields: readonly NamedField[],
  items: readonly Item[],
  full: FullRecords | undefined,
  room: string,
): Promise<readonly Item[]> {
  const incomplete = items.filter((item) => fields.some((field) => !field.isIn(item)))
  if (!full || incomplete.length === 0) return items
  const records = await full.of(incomplete, room)
  const recordOf = new Map(incomplete.map((item, i) => [item, records[i]]))
  return items.flatMap((item) => {
    const record = recordOf.has(item) ? recordOf.get(item) : item
    return record ? [record] : []
  })
}
