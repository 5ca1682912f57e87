import type { Visible } from '../../host.ts'

/** HTML in which untrusted text forms no tags, attributes or entities. Only this file creates instances. */
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

/** Builds markup, as in markup`<td title="${text}">`. Plain string values do not compile. */
export function markup(words: TemplateStringsArray, ...values: readonly (Value | readonly Html[])[]): Html {
  return new Html(String.raw({ raw: words }, ...values.map(escapeValue)))
}

function escapeValue(value: Value | readonly Html[]): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'number') return String(value)
  if (typeof value === 'object') return value.map(escapeValue).join('')
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
