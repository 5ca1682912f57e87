import { invalid } from './faults.ts'

/** ISO 8601 UTC with milliseconds (section 2), null for what has not happened. */
export function timestamp(ms: number): string
export function timestamp(ms: number | null): string | null
export function timestamp(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/**
 * Section 1: unencoded URLs may lead to errors. Here they do.
 * @param field where the URL was given, for the message
 */
export function requireEncodedUrl(field: string, url: string): void {
  if (!/^[\x21-\x7e]+$/.test(url) || /["<>\\^`{|}]|%(?![0-9a-f]{2})/i.test(url) || !URL.canParse(url))
    throw invalid(`${field}: expected a URL-encoded URL`)
}

/**
 * Refuses text that SQLite would not give back as it was: it ends at a NUL, and halves of surrogate pairs all become
 * the same character, so that two user ids could become one.
 */
export function requireStorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw invalid('text must not contain NUL or half a surrogate pair')
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      requireStorable(key)
      requireStorable(child)
    }
  }
}
