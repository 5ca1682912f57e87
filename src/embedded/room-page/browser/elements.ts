export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`no element ${id}`)
  return element
}

/** Inserts content from the service as text, never as markup. */
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

/** Sets an element's text only if it differs, because screen readers announce each change. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}
