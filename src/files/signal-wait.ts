import { InterruptedError } from '../errors.ts'
import type { Host } from '../host.ts'

/** Wait that a signal can end, for work that cannot be canceled. */
export class SignalWait {
  readonly release: () => void
  #interruption: InterruptedError | undefined
  #abandon = (_: InterruptedError) => {}

  constructor({ onSignal }: Pick<Host, 'onSignal'>) {
    this.release = onSignal((signal) => {
      this.#interruption = new InterruptedError(signal)
      this.#abandon(this.#interruption)
    })
  }

  /**
   * Waits for work until a signal arrives. The work may continue after the signal.
   * @throws {InterruptedError} after a signal, otherwise the error of `work`
   */
  until<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#abandon = reject
      if (this.#interruption) reject(this.#interruption)
      else work().then(resolve, reject)
    })
  }
}

/** @throws {InterruptedError} after a signal, otherwise the error of `input` */
export async function* untilSignal(
  input: AsyncGenerator<Buffer>,
  host: Pick<Host, 'onSignal'>,
): AsyncGenerator<Buffer> {
  const wait = new SignalWait(host)
  const next = () => wait.until(() => input.next())
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) yield chunk.value
  } finally {
    wait.release()
    // Closes the input, at the latest when an abandoned read ends.
    input.return(undefined).catch(() => {})
  }
}
