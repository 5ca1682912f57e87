import { quoteForShell } from '../../api/quote-for-shell.ts'

/** @param given the condition with its flag, as the user wrote it */
export function formatAsteriskHint(given: string, field: string, text: string, flag = '--where'): string {
  const escaped = text.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  const pattern = `^${escaped.join('.*')}$`.replace(/^\^\.\*/, '').replace(/\.\*\$$/, '')
  return `${given}: “*” is an ordinary character; for a pattern: ${flag} ${quoteForShell(`${field}~${pattern}`)}`
}
