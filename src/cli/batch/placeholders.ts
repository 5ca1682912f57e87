import { UsageError } from '../../errors.ts'

/** Gives the text that stands for a field. */
export type TextFor = (field: string) => string

/**
 * A text with the values of its placeholders: `{name} (2025)`. `{{` is a brace, and so is `}}`.
 * @throws {UsageError} for a brace that is neither
 */
export function fill(text: string, textFor: TextFor): string {
  return text.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field?: string) => {
    if (field !== undefined) return textFor(field)
    if (found.length === 2) return found.charAt(0)
    throw new UsageError(`“${text}”: with --where, a brace is written {{ or }}`, {
      hint: 'a single one begins or ends a placeholder, as in {name}',
    })
  })
}
