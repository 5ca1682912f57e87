/**
 * How long to wait, in milliseconds: longer than anything takes on a busy machine, and shorter than the timeout of a
 * test, which could not say what it waited for.
 */
const usualPatienceMs = 20_000

/**
 * Waits for something that should happen now.
 * @param what what to wait for, as in “a line on standard error”
 * @param seen what there is so far, for the error
 * @throws when it does not happen: the error says what was waited for, and what there was instead
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

/** A moment that one side announces and the other waits for. */
export function latch(): { open(): void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

/** Something that changes until it is as a test expects. */
export class Watched {
  readonly #seen: () => unknown
  readonly #looks = new Set<() => void>()
  #over: string | undefined

  /** @param seen what there is, for the error */
  constructor(seen: () => unknown) {
    this.#seen = seen
  }

  /** Something may have changed. */
  changed(): void {
    for (const look of this.#looks) look()
  }

  /** Nothing changes any more: what has not happened by now never will. */
  end(why: string): void {
    this.#over = why
    this.changed()
  }

  /** @throws when what is waited for does not happen soon, or cannot happen any more */
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
