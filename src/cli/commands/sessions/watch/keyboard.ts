import type { Input } from '../../../../host.ts'

/** Keys that end a watch: q, ^C and ^D. */
const quitKeys = ['q', 'Q', '\u0003', '\u0004']
const closeEvents = ['end', 'error'] as const

/** Listens for keys and disables their echo. Returns a function that restores the terminal. */
export function listenForKeys(keyboard: Input, leave: () => void): () => void {
  // An arrow key arrives as several characters that start with escape.
  const onData = (typed: Buffer | string) => {
    if (quitKeys.includes(String(typed).charAt(0))) leave()
  }
  keyboard.setRawMode?.(true)
  keyboard.on('data', onData)
  // A closed terminal sends a signal only to processes of its session, so the end of input also ends the watch.
  for (const end of closeEvents) keyboard.on(end, leave)
  return () => {
    keyboard.off('data', onData)
    for (const end of closeEvents) keyboard.off(end, leave)
    keyboard.setRawMode?.(false)
    keyboard.pause()
  }
}
