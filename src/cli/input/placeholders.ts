import { UsageError } from '../../errors.ts'

const placeholder = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g

export function listPlaceholders(text: string): string[] {
  return Array.from(text.matchAll(placeholder), ([, name]) => name).filter((name) => name !== undefined)
}

/**
 * Replaces the placeholders in a text such as `{name} (2025)`. `{{` and `}}` are literal braces.
 * @param context place of the brace, such as `in --map`
 * @throws {UsageError} for an unbalanced brace
 */
export function fillPlaceholders(text: string, textFor: (name: string) => string, context: string): string {
  return text.replace(placeholder, (found, name?: string) => {
    if (name !== undefined) return textFor(name)
    if (found.length === 2) return found.charAt(0)
    throw new UsageError(`“${text}”: ${context}, write {{ or }} for a brace`, {
      hint: 'a single brace begins or ends a placeholder, such as {name}',
    })
  })
}
