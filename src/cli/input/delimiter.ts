import { UsageError } from '../../errors.ts'

export function parseDelimiter(text: string): string {
  const character = /^(tab|\\t)$/i.test(text) ? '\t' : text
  if (character === '\t' || /^[^\w"\p{C}\p{Zl}\p{Zp}]$/u.test(character)) return character
  throw new UsageError(`--delimiter must be one character or tab, not “${text}”`)
}
