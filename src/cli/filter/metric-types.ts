import type { FilterType } from './compare.ts'

/**
 * Types of the room metrics in `--where`. No API response contains them, so they take more requests per room. A
 * service's unlisted fields with these names are ignored.
 */
export const metricTypes = {
  online: 'number',
  sessions: 'number',
  members: 'number',
  /** Time of the last presence; now while somebody is connected, null if nobody ever was. */
  last_active: 'time',
  /** Time since the room was last used, or created. */
  idle: 'age',
} as const satisfies Record<string, FilterType | 'age'>

export const idleSince = 'idle_since'

export function isMetric(field: string): field is keyof typeof metricTypes {
  return Object.hasOwn(metricTypes, field)
}
