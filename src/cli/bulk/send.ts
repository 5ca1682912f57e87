import type { Client } from '../../api/client.ts'
import { ServiceError, UnknownOutcomeError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { asForeseen } from '../output/error.ts'
import type { Item } from '../output/views.ts'
import type { Gate } from '../pool/gate.ts'
import { patiently } from '../pool/patience.ts'
import { type Body, holds, type Kind } from './kinds/kind.ts'
import type { Result } from './outcome/results.ts'

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
  clock: Pick<Host, 'now'>
}

/** Does what one row asks for. Throws what the service, or the way to it, answers with instead. */
export class Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /**
   * A row that may have been sent before: looked up, never blindly sent again.
   * @returns undefined when it is not there
   */
  async settle(body: Body): Promise<Outcome | undefined> {
    const { kind, ifExists, client } = this.#options
    const found = await this.#patiently(() => kind.trace(client, body))
    if (found === 'absent') return undefined
    // What creating does not do may be done twice.
    if (found && holds(found, kind.created?.(body) ?? body)) return this.finish(body, idOf(found, kind))
    if (found && ifExists === 'overwrite')
      return { status: 'ok', id: await this.#write(() => kind.overwrite(client, body, found)) }
    if (found && ifExists === 'skip') return { status: 'skipped', id: idOf(found, kind) }
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
    if (ifExists === 'skip') return { status: dryRun ? 'would_skip' : 'skipped', id: idOf(existing, kind) }
    return dryRun
      ? { status: 'would_overwrite' }
      : { status: 'ok', id: await this.#write(() => kind.overwrite(this.#options.client, body, existing)) }
  }

  async #create(body: Body): Promise<Outcome> {
    const { kind, client } = this.#options
    return this.finish(body, await this.#write(() => kind.create(client, body)))
  }

  /** A row that was made, and may not have all its values. */
  async finish(body: Body, id: string): Promise<Outcome> {
    const { kind, client } = this.#options
    const { finish } = kind
    if (!finish) return { status: 'ok', id }
    try {
      await this.#write(() => finish(client, body, id))
    } catch (cause) {
      // It is there: a row that failed would be sent again.
      const { message } = asForeseen(cause)
      return { status: 'unknown', id, error: `it was made, and then not given all its values: ${message}` }
    }
    return { status: 'ok', id }
  }

  #patiently<T>(ask: () => Promise<T>): Promise<T> {
    return patiently(ask, this.#options)
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

function idOf(item: Item, { view }: Kind): string {
  return String(item[view.id ?? 'id'])
}

/** A gateway that gave up, and an answer that cannot be read, leave open whether the service acted. */
function mayHaveActed({ status }: ServiceError): boolean {
  return status === undefined || status === 502 || status === 504
}
