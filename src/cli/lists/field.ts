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

/** A field that `--sort` or `--count-by` names: of an item, or in an object of it, as in `metadata.owner`. */
export interface NamedField {
  /** As it was given. */
  name: string
  path: readonly string[]
  /** What it is compared as; undefined for a field that services may send beyond the known ones. */
  type: FilterType | undefined
  /** Whether it is one of the fields that are known, or in one. */
  isKnown: boolean
  /** Whether an item tells of it, or of the object that would hold it. */
  isIn(item: Item): boolean
  of(item: Item): FieldValue
}

/**
 * Reads the name of a field. Services may send other fields than those that are known, so a name is refused here only if
 * it looks like a misspelt one; what no item carries is an error of `tellMissing`.
 * @throws {UsageError}
 */
export function parseField(flag: string, name: string, list: ListName, view: View): NamedField {
  const path = parsePath(name, flag)
  const [root = '', ...rest] = path
  const types = filterTypes(resources[endpoints[list].resource], view)
  const meant = types.has(root) ? undefined : findClosest(root, [...types.keys()])
  if (meant !== undefined)
    throw new UsageError(`${flag}: no ${view.noun[0]} has a field “${root}”; did you mean ${meant}?`)
  return {
    name,
    path,
    isKnown: types.has(root),
    type: rest.length === 0 ? types.get(root) : undefined,
    isIn: (item) => fieldOf(view, root, item).known,
    of: (item) => rest.reduce(inside, fieldOf(view, root, item)),
  }
}

/** What an object says of a field in it; what is no object says nothing. */
function inside(told: FieldValue, name: string): FieldValue {
  if (!told.known || !isObject(told.value) || !Object.hasOwn(told.value, name)) return { known: false }
  return { known: true, value: (told.value as Item)[name] }
}

/**
 * Says how many items do not carry a field, and what that means for them.
 * @throws {UsageError} when none of them does, and the field is not known to exist either
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

/** The items, with the full records of those that say nothing of a field; what no longer exists is left out. */
export async function completeField(
  fields: readonly NamedField[],
  items: readonly Item[],
  full: FullRecords | undefined,
  room: string,
): Promise<readonly Item[]> {
  const lacking = items.filter((item) => fields.some((field) => !field.isIn(item)))
  if (!full || lacking.length === 0) return items
  const records = await full.of(lacking, room)
  const recordOf = new Map(lacking.map((item, i) => [item, records[i]]))
  return items.flatMap((item) => {
    const told = recordOf.has(item) ? recordOf.get(item) : item
    return told ? [told] : []
  })
}
