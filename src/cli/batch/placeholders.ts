import { UsageError } from '../../errors.ts'

export type TextFor = (field: string) => string

/**
 * Replaces the placeholders in a text such as `{name} (2025)`. `{{` and `}}` are literal braces.
 * @throws {UsageError} for an unbalanced brace
 */
export function fillPlaceholders(text: string, textFor: TextFor): string {
  return text.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field?: string) => {
    if (field !== undefined) return textFor(field)
    if (found.length === 2) return found.charAt(0)
    throw new UsageError(`“${text}”: with --where, a brace is written {{ or }}`, {
      hint: 'a single one begins or ends a placeholder, as in {name}',
    })
  })
}
