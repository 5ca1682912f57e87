/** Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds from now. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Date.parse reads `1.5` and `-5` as dates; an HTTP date begins with the day of the week.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
