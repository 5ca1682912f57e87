export function dayOf(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export function clockOf(ms: number): string {
  const date = new Date(ms)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

export function secondOf(ms: number): string {
  return `${clockOf(ms)}:${two(new Date(ms).getSeconds())}`
}

/** Returns a formatter of times in a span: `08:05` within one day, else `2026-01-31 08:05`. */
export function timeFormatFor([start, end]: readonly [number, number]): (ms: number) => string {
  const isLimited = Number.isFinite(start) && Number.isFinite(end)
  // A span that ends at midnight is within one day.
  const isOneDay = isLimited && dayOf(start) === dayOf(Math.max(start, end - 1))
  return (ms) => (isOneDay ? clockOf(ms) : `${dayOf(ms)} ${clockOf(ms)}`)
}

export function zone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
