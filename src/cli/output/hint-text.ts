import { shellQuote } from '../../client/request.ts'
import { type Hint, Suggestion } from '../../errors.ts'
import type { Redact } from './redaction/redact.ts'
import { visible } from './terminal/visible.ts'

/**
 * A hint or notice as text: the one place that prints suggested commands.
 * @param target the flags that select the service of the run that failed
 */
export function hintText(hint: Hint, target: readonly string[], redact: Redact): string {
  if (typeof hint === 'string') return redact(hint)
  if (hint instanceof Suggestion) return commandText(hint, target, redact)
  return hint.map((part) => hintText(part, target, redact)).join('')
}

function commandText({ words, operands, hasTarget }: Suggestion, target: readonly string[], redact: Redact) {
  const flags = hasTarget ? target : []
  const hasDash = operands.some((word) => word.startsWith('-') && word !== '-')
  const line = hasDash ? [...words, ...flags, '--', ...operands] : [...words, ...operands, ...flags]
  // Quoting comes second: a secret with a quote in it would not be recognised afterwards.
  return ['meetroom', ...line].map((word) => quotedWord(redact(word))).join(' ')
}

/** A word that a POSIX shell reads back unchanged, written in visible characters only. */
export function quotedWord(word: string): string {
  if (visible(word) === word) return shellQuote(word)
  return `"$(printf '${Array.from(word, printfSpelling).join('')}')"`
}

/** A character as the format of printf(1) spells it, within single quotes. */
function printfSpelling(character: string, index: number): string {
  if (character === '%') return '%%'
  const isPlain = visible(character) === character && !["'", '\\'].includes(character)
  // A format that begins with a dash would be an option.
  if (isPlain && !(index === 0 && character === '-')) return character
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
  ).join('')
}
