import { parseBoolean } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import { memberTypes, roomTypes } from '../../api/vocabulary.ts'
import type { Item } from '../output/views/views.ts'

const enumValues: readonly unknown[] = [...roomTypes, ...memberTypes]

/** Returns true if no field of `record` differs from `values`. Missing fields do not differ. */
export function hasValues(record: Item, values: Item): boolean {
  return Object.entries(values).every(
    ([field, value]) => !Object.hasOwn(record, field) || isSameValue(record[field], value),
  )
}

/** Returns true if the service returned every field of `values` with the same value. */
export function showsValues(record: Item, values: Item): boolean {
  return Object.keys(values).every((field) => Object.hasOwn(record, field)) && hasValues(record, values)
}

/** Compares values. The service may return booleans as 1 and 0, and enumerated values in capitals. */
export function isSameValue(shown: unknown, wanted: unknown): boolean {
  if (toText(shown) === toText(wanted)) return true
  if (typeof wanted === 'boolean') return parseBoolean(shown) === wanted
  return enumValues.includes(wanted) && toText(shown).toLowerCase() === wanted
}
