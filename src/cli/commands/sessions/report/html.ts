import type { Visible } from '../../../../host.ts'

/** HTML in which nothing from outside can be a tag, an attribute or an entity. Only this file makes it. */
export class Html {
  constructor(readonly text: string) {}
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Value = Visible | Html | number

/** Our own markup, as in markup`<td title="${text}">`. A text that has not been made visible does not compile. */
export function markup(words: TemplateStringsArray, ...values: readonly (Value | readonly Html[])[]): Html {
  return new Html(String.raw({ raw: words }, ...values.map(safe)))
}

function safe(value: Value | readonly Html[]): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'number') return String(value)
  if (typeof value === 'object') return value.map(safe).join('')
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
