import type { Resource } from '../../api/resource-types.ts'
import type { FilterType } from './compare.ts'

/** Types of room metrics. A metric takes precedence over a field of the same name. */
export const metricTypes = {
  online: 'number',
  sessions: 'number',
  members: 'number',
  /** End of the last session; the current time while a participant is connected. */
  last_active: 'time',
  /** Time since `last_active`, or since creation for a room that was never used. */
  idle: 'age',
} as const satisfies Record<string, FilterType | 'age'>

export const idleSince = 'idle_since'

export const readAs = (metric: string) => (metric === 'idle' ? idleSince : metric)

export function computedTypes({ name, fields }: Resource): ReadonlyMap<string, FilterType | 'age'> {
  return new Map<string, FilterType | 'age'>([
    ...(Object.hasOwn(fields, 'created_at') ? ([['age', 'age']] as const) : []),
    ...(name === 'room' ? Object.entries(metricTypes) : []),
  ])
}

export function isMetric(field: string): field is keyof typeof metricTypes {
  return Object.hasOwn(metricTypes, field)
}
