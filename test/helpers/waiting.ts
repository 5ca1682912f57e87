/** Default maximum wait; shorter than the default timeout of a test, so that the error names the event. */
const usualPatienceMs = 20_000

/**
 * Waits for an event that should happen soon.
 * @param what name of the event, as in “a line on standard error”
 * @param seen returns the current state, for the error
 * @throws {Error} that names the event, if it does not happen in time
 */
export async function soon<T>(
  what: string,
  awaited: Promise<T>,
  seen?: () => unknown,
  patienceMs = usualPatienceMs,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`waited ${patienceMs / 1000} s for ${what}${seen ? soFar(seen) : ''}`))
    }, patienceMs).unref()
  })
  return Promise.race([awaited, late]).finally(() => clearTimeout(timer))
}

const soFar = (seen: () => unknown) => `; so far: ${JSON.stringify(seen())}`

export function latch(): { open(): void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

export class Watched {
  readonly #seen: () => unknown
  readonly #looks = new Set<() => void>()
  #over: string | undefined

  /** @param seen returns the current state, for errors */
  constructor(seen: () => unknown) {
    this.#seen = seen
  }

  changed(): void {
    for (const look of this.#looks) look()
  }

  /** Reports that the state will not change any more. */
  end(why: string): void {
    this.#over = why
    this.changed()
  }

  /**
   * Waits until `holds` returns true.
   * @throws {Error} if this does not happen in time, or before `end`
   */
  until(what: string, holds: () => boolean): Promise<void> {
    let look = () => {}
    const held = new Promise<void>((resolve, reject) => {
      look = () => {
        if (holds()) resolve()
        else if (this.#over) reject(new Error(`${this.#over} before ${what}${soFar(this.#seen)}`))
      }
      this.#looks.add(look)
      look()
    })
    return soon(what, held, this.#seen).finally(() => this.#looks.delete(look))
  }
}
