import { parseMoment } from '../calendar/moment.ts'
import type { Comparison, Operator } from './compare.ts'

/** Formats a time condition with absolute instants: `created_at < 2026-01-01T00:00:00+01:00 (Europe/Berlin)`. */
export function formatInstants(
  field: string,
  { operator, text, now, zone }: Pick<Comparison, 'operator' | 'text' | 'now' | 'zone'>,
): string | undefined {
  const moment = parseMoment(text, now, zone)
  if (!moment) return undefined
  const start = zone.formatInstant(moment.start)
  const end = moment.end === undefined ? undefined : zone.formatInstant(moment.end)
  const inDay = end === undefined ? undefined : formatDayTest(field, operator, start, end)
  return `${inDay ?? `${field} ${operator} ${start}`} (${zone.name})`
}

/** Formats a comparison with a whole day, with the start of that day and the start of the next day. */
function formatDayTest(field: string, operator: Operator, start: string, end: string): string | undefined {
  const tests: Partial<Record<Operator, string>> = {
    '=': `${start} <= ${field} < ${end}`,
    '!=': `${field} < ${start} or >= ${end}`,
    '<=': `${field} < ${end}`,
    '>': `${field} >= ${end}`,
  }
  return tests[operator]
}
