export function formatDay(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`
}

export function formatClock(ms: number): string {
  const date = new Date(ms)
  return `${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`
}

export function formatSeconds(ms: number): string {
  return `${formatClock(ms)}:${padTwo(new Date(ms).getSeconds())}`
}

/** Returns a formatter of times in a span: `08:05` within one day, else `2026-01-31 08:05`. */
export function createTimeFormat([start, end]: readonly [number, number]): (ms: number) => string {
  const isLimited = Number.isFinite(start) && Number.isFinite(end)
  // A span that ends at midnight belongs to the day before.
  const isOneDay = isLimited && formatDay(start) === formatDay(Math.max(start, end - 1))
  return (ms) => (isOneDay ? formatClock(ms) : `${formatDay(ms)} ${formatClock(ms)}`)
}

export function readTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0')
}
