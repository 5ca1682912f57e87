import { quoteForShell } from '../../api/quote-for-shell.ts'
import { type Hint, Suggestion } from '../../errors.ts'
import type { Redact } from './redaction/redaction.ts'
import { visible } from './terminal/visible.ts'

/** Formats a hint or notice. All suggested commands are formatted here. */
export function formatHintText(hint: Hint, target: readonly string[], redact: Redact): string {
  if (typeof hint === 'string') return redact(hint)
  if (hint instanceof Suggestion) return formatCommand(hint, target, redact)
  return hint.map((part) => formatHintText(part, target, redact)).join('')
}

function formatCommand(
  { words, operands, hasTarget }: Suggestion,
  target: readonly string[],
  redact: Redact,
) {
  const flags = hasTarget ? target : []
  const hasDash = operands.some((word) => word.startsWith('-') && word !== '-')
  const line = hasDash ? [...words, ...flags, '--', ...operands] : [...words, ...operands, ...flags]
  // Redaction precedes quoting, because a quoted secret would not be recognized.
  return ['meetroom', ...line].map((word) => quoteWord(redact(word))).join(' ')
}

/** Quotes a word for a POSIX shell, with visible characters only. */
export function quoteWord(word: string): string {
  if (visible(word) === word) return quoteForShell(word)
  return `"$(printf '${Array.from(word, escapeForPrintf).join('')}')"`
}

function escapeForPrintf(character: string, index: number): string {
  if (character === '%') return '%%'
  const isPlain = visible(character) === character && !["'", '\\'].includes(character)
  // printf(1) interprets a leading dash as a flag.
  if (isPlain && !(index === 0 && character === '-')) return character
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
  ).join('')
}
