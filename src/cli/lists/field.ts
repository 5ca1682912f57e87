import { counted, plural } from '../../api/plural.ts'
import { UsageError } from '../../errors.ts'
import type { FilterType } from '../filter/compare.ts'
import type { KnownFields } from '../filter/where.ts'
import { isObject, parsePath } from '../input/assignments.ts'
import type { Context } from '../kernel/context.ts'
import { findNearField } from '../matching/near.ts'
import { toUnknownFieldError } from '../output/views/unknown-field.ts'
import { type FieldValue, type Item, readField, type View } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'

/** Field named in `--sort` or `--count-by`, which may be nested: `metadata.owner`. */
export interface NamedField {
  name: string
  path: readonly string[]
  /** Type for comparison; undefined for ages, nested fields and unknown fields. */
  type: FilterType | undefined
  /** True if the first name of the path is a known field. */
  isKnown: boolean
  isIn(item: Item): boolean
  of(item: Item): FieldValue
}

/**
 * Parses a field name. Unknown names are valid, because services may send additional fields.
 * @throws {UsageError} for a malformed or probably misspelled name
 */
export function parseField(
  flag: string,
  name: string,
  { view, types }: KnownFields,
  value = name,
): NamedField {
  const path = parsePath(name, flag)
  const [root = '', ...rest] = path
  const type = rest.length === 0 ? types.get(root) : undefined
  const fields = [...types.keys()]
  if (!types.has(root) && findNearField(root, fields) !== undefined)
    throw toUnknownFieldError(`${flag}: `, view.noun[0], [root], value, fields)
  return {
    name,
    path,
    isKnown: types.has(root),
    // Ages are numbers in `--sort`, and text in `--count-by`.
    type: type === 'age' ? undefined : type,
    isIn: (item) => readField(view, root, item).known,
    of: (item) => rest.reduce(readNested, readField(view, root, item)),
  }
}

function readNested(parent: FieldValue, name: string): FieldValue {
  if (!parent.known || !isObject(parent.value) || !Object.hasOwn(parent.value, name)) return { known: false }
  return { known: true, value: (parent.value as Item)[name] }
}

/** @throws {UsageError} for an unknown field that no item of a nonempty list has */
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
      hint: `omit ${flag} and add --json to show all fields`,
      lineEdit: {
        before: 'show all fields with: ',
        omit: [flag, '--columns', '--query', '--output', '--json'],
        add: ['--json'],
      },
    })
  await context.notice(`${counted(missing, ...view.noun)} without ${name} ${plural(missing, one, many)}`)
}

/** Replaces items that lack a field with full records. Drops incomplete items that no longer exist. */
export async function completeField(
  fields: readonly NamedField[],
  items: readonly Item[],
  full: FullRecords | undefined,
  room: string,
): Promise<readonly Item[]> {
  const isPartial = (item: Item) => fields.some((field) => !field.isIn(item))
  const records = (await full?.complete(items, isPartial, room)) ?? items
  return records.filter((record) => record !== undefined)
}
