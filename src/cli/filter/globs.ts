import { shellQuote } from '../../client/request.ts'

/**
 * Says that `*` is an ordinary character, for a value that matched nothing.
 * @param given what holds the value, as it was written
 * @param flag the flag that takes conditions
 */
export function aboutAsterisk(given: string, field: string, text: string, flag = '--where'): string {
  const escaped = text.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  const pattern = `^${escaped.join('.*')}$`.replace(/^\^\.\*/, '').replace(/\.\*\$$/, '')
  return `${given}: “*” is an ordinary character; for a pattern: ${flag} ${shellQuote(`${field}~${pattern}`)}`
}
