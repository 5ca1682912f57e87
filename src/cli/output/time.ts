const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 minutes ago`, for people; undefined for text that is no timestamp. */
export function relativeTime(timestamp: string, now: number): string | undefined {
  const then = Date.parse(timestamp)
  if (Number.isNaN(then)) return undefined
  const seconds = (then - now) / 1000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.trunc(seconds / size), unit)
}
