import type { Client } from '../../client/client.ts'
import { type Failure, type Outcome, toFailure } from '../../client/outcome.ts'
import {
  ApiError,
  type MeetroomError,
  NotAppliedError,
  NotFoundError,
  UnknownOutcomeError,
} from '../../errors.ts'
import type { Item } from '../output/views/views.ts'
import { type Body, hasValues, type ImportAdapter } from './adapter/adapter.ts'
import type { Job } from './pending-rows.ts'
import type { IfExists } from './read/import-flags.ts'
import { ReferencedUsers } from './referenced-users.ts'

interface SenderOptions {
  client: Client
  kind: ImportAdapter
  ifExists: IfExists
  dryRun: boolean
  notice: (text: string) => Promise<void>
}

export class RowSender {
  readonly #options: SenderOptions
  readonly #referred: ReferencedUsers
  readonly #kept = new Map<string, number>()
  #blocked = 0

  constructor(options: SenderOptions) {
    this.#options = options
    this.#referred = new ReferencedUsers(options.client, options.notice)
  }

  /** Number of items that kept a field despite a value in the row, by field. */
  get kept(): ReadonlyMap<string, number> {
    return this.#kept
  }

  /** Number of items that stay blocked without their rows requesting it. */
  get blocked(): number {
    return this.#blocked
  }

  async send({ body, lost, made }: Job): Promise<Outcome<string>> {
    try {
      if (made !== undefined) return await this.#finish(body, made)
      if (!lost) return await this.#make(body)
      const settled = await this.#settle(body).catch(toFailure)
      // The outcome stays unknown until a lookup succeeds.
      if (settled && (settled.status === 'failed' || (settled.status === 'unsent' && 'error' in settled)))
        return { ...settled, status: 'unknown' }
      return settled ?? (await this.#make(body))
    } catch (cause) {
      return toFailure(cause)
    }
  }

  /**
   * Looks up a row that an earlier run may have sent.
   * @returns undefined when the item does not exist
   */
  async #settle(body: Body): Promise<Outcome<string> | undefined> {
    const { kind, ifExists, client } = this.#options
    const found = await kind.trace(client, body)
    if (found === 'absent') return undefined
    // Steps after the creation may run twice.
    if (found && hasValues(found, kind.created?.(body) ?? body)) return this.#finish(body, idOf(found, kind))
    if (found && (ifExists === 'overwrite' || ifExists === 'update')) return this.#change(body, found)
    if (found && ifExists === 'skip') return { status: 'skipped', value: idOf(found, kind) }
    return {
      status: 'unknown',
      error: new UnknownOutcomeError(
        'it was sent before the run was interrupted; a similar item exists, and there is no way to tell whether it is this row',
      ),
    }
  }

  #make(body: Body): Promise<Outcome<string>> {
    const { kind, ifExists, dryRun } = this.#options
    // Without a lookup, as creating overwrites.
    return ifExists === 'overwrite' && kind.overrides && !dryRun
      ? this.#create(body)
      : this.#lookAndMake(body)
  }

  async #lookAndMake(body: Body): Promise<Outcome<string>> {
    const { kind, ifExists, dryRun, client } = this.#options
    const existing = await kind.find(client, body)
    const changes = ifExists === 'overwrite' || ifExists === 'update'
    if (!existing && changes && !kind.createsMissing)
      return this.#refused(
        new NotFoundError(`no such ${kind.view.noun[0]}: ${kind.key(body)} (--create-missing creates it)`),
      )
    if (dryRun && (!existing || ifExists === 'overwrite' || ifExists === 'update')) {
      const missing = await this.#referred.missing(kind.usersOf?.(body) ?? [])
      if (missing !== undefined) return this.#refused(new NotFoundError(`no such user: ${missing}`))
    }
    if (!existing) return dryRun ? { status: 'would_create' } : await this.#create(body)
    if (ifExists === 'fail')
      return this.#refused(
        new ApiError(`there is ${kind.name === 'users' ? 'a' : 'such a'} ${kind.view.noun[0]} already`),
      )
    if (kind.staysBlocked?.(body, existing)) this.#blocked++
    if (ifExists === 'skip') return { status: dryRun ? 'would_skip' : 'skipped', value: idOf(existing, kind) }
    return this.#change(body, existing)
  }

  #refused(error: MeetroomError): Outcome<string> {
    return { status: this.#options.dryRun ? 'would_fail' : 'failed', error }
  }

  async #change(body: Body, existing: Item): Promise<Outcome<string>> {
    const { kind, ifExists, dryRun, client } = this.#options
    const reason = kind.unchangeable?.(body, existing)
    if (reason !== undefined) return this.#refused(new ApiError(reason))
    const updates = ifExists === 'update'
    const change = (updates && kind.update) || kind.overwrite
    const changed: Outcome<string> = dryRun
      ? { status: `would_${kind.access?.(body, existing) ?? (updates ? 'update' : 'overwrite')}` }
      : { status: updates ? 'updated' : 'overwrote', value: await change(client, body, existing) }
    for (const field of kind.kept?.(body, existing) ?? [])
      this.#kept.set(field, (this.#kept.get(field) ?? 0) + 1)
    return changed
  }

  #create(body: Body): Promise<Outcome<string>> {
    const { kind, client } = this.#options
    return kind.create(client, body).then(
      (id) => this.#finish(body, id),
      (cause) => {
        if (!(cause instanceof NotAppliedError) || cause.createdId === undefined) throw cause
        return { status: 'failed', value: cause.createdId, error: cause }
      },
    )
  }

  #finish(body: Body, id: string): Outcome<string> | Promise<Outcome<string>> {
    const { kind, client } = this.#options
    const finishing = kind.finish?.(client, body, id)
    const finished = { status: 'ok', value: id } as const
    return (
      finishing?.then(
        () => finished,
        (cause) => uncompleted(id, toFailure(cause)),
      ) ?? finished
    )
  }
}

/** Returns an unknown outcome, because a failed row would be created again. */
function uncompleted(id: string, { error }: Failure): Outcome<string> {
  const message = `it was created, but not completed: ${error.message}`
  return { status: 'unknown', value: id, error: new UnknownOutcomeError(message, { cause: error }) }
}

function idOf(item: Item, { view }: ImportAdapter): string {
  return String(item[view.id ?? 'id'])
}
