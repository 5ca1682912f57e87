import type { Input } from '../../../../host.ts'

/** What ends a watch: q, ^C and ^D. */
const parting = ['q', 'Q', '\u0003', '\u0004']
/** How a keyboard goes away. */
const ends = ['end', 'error'] as const

/**
 * Listens to the keyboard: nothing that is typed shows up in the view.
 * @returns gives the keyboard back to the terminal
 */
export function listenForKeys(keyboard: Input, leave: () => void): () => void {
  // Arrows and their like arrive as several characters, the first of which is escape.
  const onData = (typed: Buffer | string) => {
    if (parting.includes(String(typed).charAt(0))) leave()
  }
  keyboard.setRawMode?.(true)
  keyboard.on('data', onData)
  // Whoever closes the terminal has left, though no signal says so where it is not that of the session.
  for (const end of ends) keyboard.on(end, leave)
  return () => {
    keyboard.off('data', onData)
    for (const end of ends) keyboard.off(end, leave)
    keyboard.setRawMode?.(false)
    keyboard.pause()
  }
}
