import type { Client } from '../../api/client.ts'
import { type Clock, parseRetryAfter } from '../../api/retry.ts'
import { MeetroomError, ServiceError, UnknownOutcomeError } from '../../errors.ts'
import { asForeseen } from '../output/errors.ts'
import type { Gate } from './engine.ts'
import { type Body, holds, type Kind } from './kinds.ts'
import type { Result } from './results.ts'

/** How often a row is tried again that the service is too busy for. */
const patience = 10
/** The longest that everybody is held back at once, whatever the service asks for. */
const longestHoldMs = 300_000

export type Outcome = Pick<Result, 'status' | 'id' | 'error'>

interface SenderOptions {
  client: Client
  kind: Kind
  ifExists: 'overwrite' | 'skip' | 'fail'
  /** Says what would happen instead of doing it. */
  dryRun: boolean
  /** Held back by a service that is busy. */
  gate: Gate
  /** Aborted: nothing is tried again. */
  stop: AbortSignal
  clock: Clock
}

/** Does what one row asks for. Throws what the service, or the way to it, answers with instead. */
export class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /** A row that may have been sent before: looked up, never blindly sent again. */
  async settle(body: Body): Promise<Outcome> {
    const { kind, ifExists } = this.#options
    const found = await this.#patiently(() => kind.trace(this.#options.client, body))
    if (found === 'absent') return this.send(body)
    if (found && holds(found, body)) return { status: 'ok', id: String(found[kind.view.id ?? 'id']) }
    if (found && ifExists === 'overwrite')
      return { status: 'ok', id: await this.#write(() => kind.overwrite(this.#options.client, body, found)) }
    if (found && ifExists === 'skip') return { status: 'skipped' }
    return {
      status: 'unknown',
      error:
        'it was sent before the run was cut off; something like it is there, and whether it is this row cannot be told',
    }
  }

  /** A row that was never sent. */
  async send(body: Body): Promise<Outcome> {
    const { kind, ifExists, dryRun } = this.#options
    // What overrides by itself need not be looked up.
    const existing =
      ifExists === 'overwrite' && kind.overrides && !dryRun
        ? undefined
        : await this.#patiently(() => kind.find(this.#options.client, body))
    if (!existing) return dryRun ? { status: 'would_create' } : this.#create(body)
    const error = `there is ${kind.name === 'users' ? 'a' : 'such a'} ${kind.view.noun[0]} already`
    if (ifExists === 'fail') return { status: dryRun ? 'would_fail' : 'failed', error }
    if (ifExists === 'skip') return { status: dryRun ? 'would_skip' : 'skipped' }
    return dryRun
      ? { status: 'would_overwrite' }
      : { status: 'ok', id: await this.#write(() => kind.overwrite(this.#options.client, body, existing)) }
  }

  async #create(body: Body): Promise<Outcome> {
    const { kind } = this.#options
    const id = await this.#write(() => kind.create(this.#options.client, body))
    const { finish } = kind
    if (!finish) return { status: 'ok', id }
    try {
      await this.#write(() => finish(this.#options.client, body, id))
    } catch (cause) {
      // It is there: a row that failed would be sent again.
      const { message } = asForeseen(cause)
      return { status: 'unknown', id, error: `it was made, and then not given all its values: ${message}` }
    }
    return { status: 'ok', id }
  }

  /** Asks again, and holds everybody back, as long as the service says that it is busy. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const { gate, stop, clock } = this.#options
    for (let attempt = 0; ; attempt++)
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof MeetroomError) || !isBusy(error)) throw error
        if (attempt >= patience || stop.aborted) throw error
        const asked = parseRetryAfter(error.retryAfter, clock.now())
        gate.hold(Math.min(longestHoldMs, asked ?? 500 * 2 ** attempt))
        await gate.pass(stop)
      }
  }

  /**
   * Changes something.
   * @throws {UnknownOutcomeError} when it may have been changed and nobody says so
   */
  #write<T>(change: () => Promise<T>): Promise<T> {
    return this.#patiently(change).catch((error) => {
      throw error instanceof ServiceError && mayHaveActed(error)
        ? new UnknownOutcomeError(error.message, { cause: error })
        : error
    })
  }
}

/** A gateway that gave up, and an answer that cannot be read, leave open whether the service acted. */
function mayHaveActed({ status }: ServiceError): boolean {
  return status === undefined || status === 502 || status === 504
}

/** The service takes no more for now, and has done nothing. */
function isBusy(error: MeetroomError): boolean {
  return (error.status === 429 || error.status === 503) && !(error instanceof UnknownOutcomeError)
}
