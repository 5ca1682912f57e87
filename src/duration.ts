import { UsageError } from './errors.ts'

/** In milliseconds, the longest first: this is the order in which they are written. */
const units = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

const pattern =
  /^(?=\d)(?:(?<w>\d{1,9})w)?(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m)?(?:(?<s>\d{1,9}(?:\.\d{1,3})?)s)?(?:(?<ms>\d{1,9})ms)?$/

/** A duration such as `90d`, `10m` or `1m30s`, in milliseconds; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const { groups } = pattern.exec(text) ?? {}
  if (!groups) return undefined
  const parts = Object.entries(units).map(([unit, ms]) => Number(groups[unit] ?? 0) * ms)
  // A second has no more than its milliseconds, whatever a double makes of 1.001.
  return Math.round(parts.reduce((sum, part) => sum + part))
}

/** What a duration may be, in milliseconds. */
export interface DurationRange {
  /** Above 0 when not given. */
  least?: number
  most?: number
}

/**
 * Seconds, as in `30` or `0.5`, or a duration; in milliseconds.
 * @param flag stands before what is wrong
 * @throws {UsageError}
 */
export function parseDuration(text: string, { least, most }: DurationRange, flag?: string): number {
  const ms = readDuration(/^[\d.]+$/.test(text) ? `${text}s` : text) ?? 0
  if (ms > 0 && ms >= (least ?? 0) && ms <= (most ?? Number.POSITIVE_INFINITY)) return ms
  const from = least === undefined ? 'above 0' : `from ${formatDuration(least)}`
  const range = most === undefined ? from : `${from} ${least ? 'to' : 'and up to'} ${formatDuration(most)}`
  throw new UsageError(
    `${flag ? `${flag}: ` : ''}“${text}” is not a duration ${range}, as in 30s, 10m or 1m30s`,
  )
}

/** Milliseconds as people write them: `10m`, `1m30s`, `0.5s`. */
export function formatDuration(ms: number): string {
  let rest = ms
  let text = ''
  // Days and weeks are for ages.
  for (const unit of ['h', 'm'] as const) {
    const count = Math.floor(rest / units[unit])
    rest -= count * units[unit]
    if (count > 0) text += `${count}${unit}`
  }
  return rest > 0 || text === '' ? `${text}${rest / 1000}s` : text
}
