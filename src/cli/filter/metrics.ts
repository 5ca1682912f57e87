import type { FilterType } from './compare.ts'

/**
 * What `--where` can ask about what happens in a room. No answer of the API carries it: the service is asked for each room.
 * A field of one of these names that a service sends beyond the document means something of its own, and is not used.
 */
export const metricTypes = {
  /** Number of sessions that are connected. */
  online: 'number',
  /** Number of all sessions, past ones included. */
  sessions: 'number',
  /** Number of members. */
  members: 'number',
  /** When somebody was last in the room; now while anybody is, null when nobody ever was. */
  last_active: 'time',
  /** Time since the room was last used, or since it was created. */
  idle: 'age',
} as const satisfies Record<string, FilterType | 'age'>

/** What `idle` is reckoned from, as `age` is from `created_at`: the moment since which nobody has used a room. */
export const idleSince = 'idle_since'

export function isMetric(field: string): field is keyof typeof metricTypes {
  return Object.hasOwn(metricTypes, field)
}
