import { type FieldValue, type Item, readField, views } from '../../output/views/views.ts'
import type { Kind } from '../../records/records.ts'
import { isSameValue } from '../../records/shown-values.ts'
import { canUpdate } from '../schema/fields.ts'
import type { FieldChange } from './plan.ts'

/** Derives `is_terminated` of a room from its status, because the field is deprecated in responses. */
export function readDeclared(kind: Kind, field: string, item: Item): FieldValue {
  if (kind !== 'room' || field !== 'is_terminated') return readField(views[kind], field, item)
  const status = readField(views.room, 'status', item)
  return status.known ? { known: true, value: status.value === 'terminated' } : status
}

export interface ItemComparison {
  changes: FieldChange[]
  /** Differences in fields that can be set only at creation. */
  fixed: FieldChange[]
  /** Names of declared fields whose value the item does not show. */
  notShown: string[]
}

export function compareFields(kind: Kind, declared: Item, item: Item): ItemComparison {
  const found: ItemComparison = { changes: [], fixed: [], notShown: [] }
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
