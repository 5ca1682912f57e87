import { isDeepStrictEqual } from 'node:util'
import type { State } from './school.ts'
import type { Target } from './target.ts'

/** Relation of a stored value to the requested value. */
type Likeness = 'same' | 'equal' | 'similar' | 'longer' | 'old' | 'other'

/**
 * Outcome of an item.
 * - `done`: as requested
 * - `equal`: with an equal value, such as another Unicode normalization
 * - `similar`: with a value in another letter case, or truncated
 * - `longer`: with a suffix
 * - `partly`: with some of the requested fields
 * - `misnamed`: with another name, type or ID
 * - `other`: with another value
 * - `not`: unchanged or missing
 */
export type Truth = 'done' | 'equal' | 'similar' | 'longer' | 'partly' | 'misnamed' | 'other' | 'not'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }
/** Decodes HTML entities and percent encoding. */
const unescaped = (text: string) =>
  text
    .replace(/&(\w+|#\w+);/g, (entity, name) => entities[name] ?? entity)
    .replace(/(?:%[\da-f]{2})+/gi, (escapes) => decodeURIComponent(escapes))
const normal = (text: string) => unescaped(text).normalize('NFC').trim()

function likeness(asked: unknown, held: unknown, old: unknown): Likeness {
  if (isDeepStrictEqual(asked, held)) return 'same'
  if (isDeepStrictEqual(held, old)) return 'old'
  if (typeof held !== 'string' || typeof asked !== 'string') return 'other'
  const [wanted, given] = [normal(asked), normal(held)]
  if (wanted === given) return 'equal'
  if (given !== '' && wanted.toLowerCase().startsWith(given.toLowerCase())) return 'similar'
  return given.startsWith(wanted) ? 'longer' : 'other'
}

/** Returns the fields of an item that differ from the requested values. */
export function changedFields(target: Target, after: State): string[] {
  const [item = {}] = target.find(after)
  return Object.entries(target.asked)
    .filter(([field, value]) => !isDeepStrictEqual(value, item[field]))
    .map(([field]) => field)
}

/** Compares the stored item with the requested fields. */
export function truthOf(target: Target, before: State, after: State): Truth {
  const [old] = target.find(before)
  const [item] = target.find(after)
  if (target.kind === 'delete') return item ? 'not' : 'done'
  if (!item) return 'not'
  const fields = Object.entries(target.asked).flatMap(([field, value]) => {
    // A field that had the requested value before proves nothing.
    if (old && isDeepStrictEqual(value, old[field]) && isDeepStrictEqual(value, item[field])) return []
    // A user ID must match exactly; a similar ID names another user.
    const like =
      field === 'user_id' && item[field] !== value ? 'other' : likeness(value, item[field], old?.[field])
    return like === 'other' && ['name', 'type', 'user_id'].includes(field) ? 'misnamed' : like
  })
  if (old && fields.length > 0 && fields.every((field) => field === 'old')) return 'not'
  if (fields.includes('misnamed')) return 'misnamed'
  if (fields.includes('other')) return 'other'
  if (fields.includes('old')) return old ? 'partly' : 'other'
  return (['longer', 'similar', 'equal'] as const).find((like) => fields.includes(like)) ?? 'done'
}
