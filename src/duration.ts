import { type ErrorDetails, UsageError } from './errors.ts'

const units = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

const pattern =
  /^(?=\d)(?:(?<w>\d{1,9})w)?(?:(?<d>\d{1,9})d)?(?:(?<h>\d{1,9})h)?(?:(?<m>\d{1,9})m)?(?:(?<s>\d{1,9}(?:\.\d{1,3})?)s)?(?:(?<ms>\d{1,9})ms)?$/

/** Parses a duration such as `90d`, `10m` or `1m30s` to milliseconds; undefined for other text. */
export function readDuration(text: string): number | undefined {
  const { groups } = pattern.exec(text) ?? {}
  if (!groups) return undefined
  const parts = Object.entries(units).map(([unit, ms]) => Number(groups[unit] ?? 0) * ms)
  // Rounding removes the floating-point error of fractions such as 1.001 s.
  return Math.round(parts.reduce((sum, part) => sum + part))
}

/** Inclusive range of a duration, in milliseconds. 0 is always out of range. */
export interface DurationRange {
  least?: number
  most?: number
}

/**
 * Parses seconds or a duration to milliseconds.
 * @throws {UsageError} for any other text or outside the range
 */
export function parseDuration(text: string, { least, most }: DurationRange, flag?: string): number {
  const ms = readDuration(/^[\d.]+$/.test(text) ? `${text}s` : text) ?? 0
  if (ms > 0 && ms >= (least ?? 0) && ms <= (most ?? Number.POSITIVE_INFINITY)) return ms
  const from = least === undefined ? 'above 0' : `at least ${formatDuration(least)}`
  const range = most === undefined ? from : `${from} and at most ${formatDuration(most)}`
  throw new UsageError(
    `${flag ?? 'the value'} must be a duration such as 30s or 1m30s, ${range}, not “${text}”`,
    correctDuration(text),
  )
}

export function correctDuration(text: string): Pick<ErrorDetails, 'hint' | 'correction'> {
  const near = findNearDuration(text)
  if (near !== undefined) return { correction: [text, near] }
  const isLong = /^\d+ *(mo|mon|months?|y|yrs?|years?)$/i.test(text)
  return isLong ? { hint: 'months and years have no fixed length; pass days, as in 90d' } : {}
}

/** Corrects text such as `2 hours`; undefined if the text is valid or not a duration. */
export function findNearDuration(text: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(
      /^(a|an|one|two|three|four|five|six|seven|eight|nine|ten)(?= [a-z])/,
      (word) => numbers[word] ?? word,
    )
    .replace(/(?<=\d),(?=\d)/g, '.')
    .replace(/^pt(?=\d)|,|\band\b/g, ' ')
  if (!/^\s*(\d+(\.\d+)?\s*[a-z]+\s*)+$/.test(words)) return undefined
  let ms = 0
  for (const [, count, word = ''] of words.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = unitWords.find(([pattern]) => pattern.test(word))?.[1]
    if (unit === undefined) return undefined
    ms += Number(count) * units[unit]
  }
  const short = words.replace(
    /\s*([a-z]+)\s*/g,
    (_, word) => unitWords.find(([pattern]) => pattern.test(word))?.[1] ?? '',
  )
  const near = readDuration(short) === ms ? short : formatDuration(ms)
  return near === text || !(ms > 0) || readDuration(near) !== ms ? undefined : near
}

const numbers: Readonly<Record<string, string>> = {
  ...{ a: '1', an: '1', one: '1', two: '2', three: '3', four: '4', five: '5', six: '6', seven: '7' },
  ...{ eight: '8', nine: '9', ten: '10' },
}

/** Words for units, without months and years, which have no fixed length. */
const unitWords: readonly (readonly [RegExp, keyof typeof units])[] = [
  [/^(w|wks?|weeks?)$/, 'w'],
  [/^(d|days?)$/, 'd'],
  [/^(h|hrs?|hours?|std)$/, 'h'],
  [/^(m|mins?|minutes?)$/, 'm'],
  [/^(s|secs?|seconds?)$/, 's'],
  [/^(ms|msecs?|millis|milliseconds?)$/, 'ms'],
]

/** Formats milliseconds as hours, minutes and seconds, such as `10m`, `1m30s` or `0.5s`. */
export function formatDuration(ms: number): string {
  let rest = ms
  let text = ''
  for (const unit of ['h', 'm'] as const) {
    const count = Math.floor(rest / units[unit])
    rest -= count * units[unit]
    if (count > 0) text += `${count}${unit}`
  }
  return rest > 0 || text === '' ? `${text}${rest / 1000}s` : text
}

/** Formats milliseconds in whole days, hours, minutes or seconds, such as `90d`. Rounds down. */
export function formatAge(ms: number): string {
  const unit = (['d', 'h', 'm'] as const).find((unit) => ms >= units[unit]) ?? 's'
  return `${Math.max(0, Math.floor(ms / units[unit]))}${unit}`
}
