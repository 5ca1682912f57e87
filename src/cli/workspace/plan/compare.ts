import { hasValues } from '../../bulk/adapter/adapter.ts'
import { type FieldValue, type Item, readField, views } from '../../output/views/views.ts'
import { canUpdate, type Kind } from '../schema/fields.ts'
import type { FieldChange } from './plan.ts'

/** Reads a declared field. Derives `is_terminated` from the room's status, because responses deprecate it. */
export function readDeclared(kind: Kind, field: string, item: Item): FieldValue {
  if (kind !== 'room' || field !== 'is_terminated') return readField(views[kind], field, item)
  const status = readField(views.room, 'status', item)
  return status.known ? { known: true, value: status.value === 'terminated' } : status
}

/** Compares two values, independent of how a service writes booleans, numbers and enumerated values. */
export function isSameValue(shown: unknown, declared: unknown): boolean {
  return hasValues({ value: shown }, { value: declared })
}

export interface Comparison {
  changes: FieldChange[]
  /** Differences in fields that can be set only at creation. */
  fixed: FieldChange[]
  /** Declared fields that the response does not contain. */
  notShown: string[]
}

export function compareFields(kind: Kind, declared: Item, item: Item): Comparison {
  const found: Comparison = { changes: [], fixed: [], notShown: [] }
  for (const [field, after] of Object.entries(declared)) {
    const shown = readDeclared(kind, field, item)
    if (!shown.known) found.notShown.push(field)
    else if (!isSameValue(shown.value, after))
      (canUpdate(kind, field) ? found.changes : found.fixed).push({ field, before: shown.value, after })
  }
  return found
}

export function lacksDeclared(kind: Kind, declared: Item, item: Item): boolean {
  return Object.keys(declared).some((field) => !readDeclared(kind, field, item).known)
}
