export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no element ${id}`)
  return element
}

/** Inserts `text` as plain text, never as markup. */
export function create(
  name: string,
  { text, className }: { text?: string; className?: string } = {},
  ...children: readonly Node[]
): HTMLElement {
  const element = document.createElement(name)
  if (text !== undefined) element.textContent = text
  if (className !== undefined) element.className = className
  element.append(...children)
  return element
}

/** Sets text only if it differs, because screen readers may announce even equal text. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}
