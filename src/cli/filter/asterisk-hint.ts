import { shellQuote } from '../../client/request.ts'

/**
 * Formats a hint that `*` is a literal character, for a condition that matched nothing.
 * @param given the condition with its flag, as the user wrote it
 * @param flag the flag to suggest
 */
export function formatAsteriskHint(given: string, field: string, text: string, flag = '--where'): string {
  const escaped = text.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  const pattern = `^${escaped.join('.*')}$`.replace(/^\^\.\*/, '').replace(/\.\*\$$/, '')
  return `${given}: “*” is an ordinary character; for a pattern: ${flag} ${shellQuote(`${field}~${pattern}`)}`
}
