/**
 * Maximum wait, in milliseconds: longer than any step on a busy machine, and shorter than the timeout of a
 * test, whose message would not name the step.
 */
const usualPatienceMs = 20_000

/**
 * Waits for an event that should happen soon.
 * @param what name of the event, as in “a line on standard error”
 * @param seen current state, for the error
 * @throws {Error} with the name of the event and the current state, when the event does not happen in time
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

/** Creates a promise, and the function that resolves it. */
export function latch(): { open(): void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** State that changes until it matches the expectation of a test. */
export class Watched {
  readonly #seen: () => unknown
  readonly #looks = new Set<() => void>()
  #over: string | undefined

  /** @param seen current state, for the error */
  constructor(seen: () => unknown) {
    this.#seen = seen
  }

  /** Reports that the state may have changed. */
  changed(): void {
    for (const look of this.#looks) look()
  }

  /** Reports that the state will not change any more. */
  end(why: string): void {
    this.#over = why
    this.changed()
  }

  /**
   * Waits until the state matches.
   * @throws {Error} when the state does not match in time, or cannot change any more
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
