import type { Input } from '../../../../host.ts'

/** Keys that end a watch: q, ^C and ^D. */
const quitKeys = ['q', 'Q', '\u0003', '\u0004']
const closeEvents = ['end', 'error'] as const

/** Listens for keys, without echo. Returns a function that restores the terminal. */
export function listenForKeys(keyboard: Input, leave: () => void): () => void {
  // Arrow keys arrive as several characters, starting with escape.
  const onData = (typed: Buffer | string) => {
    if (quitKeys.includes(String(typed).charAt(0))) leave()
  }
  keyboard.setRawMode?.(true)
  keyboard.on('data', onData)
  // Closing the terminal ends the watch; a signal arrives only in the session of the terminal.
  for (const end of closeEvents) keyboard.on(end, leave)
  return () => {
    keyboard.off('data', onData)
    for (const end of closeEvents) keyboard.off(end, leave)
    keyboard.setRawMode?.(false)
    keyboard.pause()
  }
}
