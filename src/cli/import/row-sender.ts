import { endpoints } from '../../api/endpoints.ts'
import type { Client } from '../../client/client.ts'
import { UnknownUserError } from '../../client/missing-resource.ts'
import { type Outcome, toFailure } from '../../client/outcome.ts'
import { ApiError, ConflictError, NotFoundError, UnknownOutcomeError } from '../../errors.ts'
import type { Item } from '../output/views/views.ts'
import { lookUpFirst } from '../records/look-up.ts'
import { findRecord } from '../records/records.ts'
import type { ImportAdapter, RequestBody } from './adapter/adapter.ts'
import type { IfExists } from './read/import-flags.ts'
import type { Row } from './read/rows.ts'

export interface PendingRow {
  row: Row
  body: RequestBody
  /** True if the row's outcome in an earlier run is unknown. */
  mayHaveBeenSent: boolean
  /** ID of an item that an earlier run created for the row, although the row did not succeed. */
  createdId: string | undefined
}

/** Error for a row of an earlier run whose outcome no later run can determine. */
export class UndecidedRowError extends UnknownOutcomeError {}

interface SenderOptions {
  client: Client
  adapter: ImportAdapter
  ifExists: IfExists
  dryRun: boolean
  /** Returns true if rows that were only looked up must not be written. */
  isStopped: () => boolean
  notice: (text: string) => Promise<void>
}

export class RowSender {
  readonly #options: SenderOptions
  readonly #referencedUsers: ReferencedUsers
  /** Number of rows whose value the import does not apply to the existing item, by field. */
  readonly ignoredFields = new Map<string, number>()
  /** Number of members that stay blocked, and whose rows do not set `is_blocked`. */
  blocked = 0
  /** Subjects of printed remarks. One remark is printed for each subject. */
  readonly #remarks = new Set<string>()

  constructor(options: SenderOptions) {
    this.#options = options
    this.#referencedUsers = new ReferencedUsers(options)
  }

  async send(row: PendingRow): Promise<Outcome<string>> {
    const outcome = await this.#sendRow(row)
    if (outcome.status !== 'failed' || !('error' in outcome)) return outcome
    const { error: cause } = outcome
    // In a dry run, a missing response says nothing about the row.
    const isRefused = [ApiError, ConflictError, NotFoundError].some((kind) => cause instanceof kind)
    if (this.#options.dryRun) return isRefused ? { ...outcome, status: 'would_fail' } : outcome
    const users = this.#listUsers(row.body)
    // A refusal may name only one of several missing users.
    if (users.length < 2 || (cause.status !== 400 && !(cause instanceof UnknownUserError))) return outcome
    const [user, ...others] = await this.#referencedUsers.listMissing(users).catch(() => [])
    if (user === undefined) return outcome
    return { ...outcome, error: new UnknownUserError([user, ...others], { cause }) }
  }

  #listUsers(body: RequestBody): readonly string[] {
    return this.#options.adapter.listReferencedUsers?.(body) ?? []
  }

  async #sendRow({ body, mayHaveBeenSent, createdId }: PendingRow): Promise<Outcome<string>> {
    try {
      if (createdId === undefined && !mayHaveBeenSent) return await this.#createOrChange(body)
      const lostOutcome = await this.#settleLostRow(body, createdId).catch(toFailure)
      // After a failure, the outcome of the earlier run is still unknown.
      if (
        lostOutcome &&
        (lostOutcome.status === 'failed' || (lostOutcome.status === 'unsent' && 'error' in lostOutcome))
      )
        return { ...lostOutcome, status: 'unknown' }
      return lostOutcome ?? (await this.#createOrChange(body))
    } catch (cause) {
      return toFailure(cause)
    }
  }

  /** Settles a row whose outcome is unknown. Returns undefined if the item does not exist. */
  async #settleLostRow(body: RequestBody, createdId?: string): Promise<Outcome<string> | undefined> {
    const { adapter, ifExists, client } = this.#options
    const found = await adapter.findLostItem(client, body, createdId)
    if (found === 'absent') return undefined
    // Completing an item twice is harmless.
    if (found && (await this.#isCreated(body, found))) return this.#complete(body, readId(found, adapter))
    if (found && (ifExists === 'overwrite' || ifExists === 'update')) return this.#change(body, found)
    if (found && ifExists === 'skip') return { status: 'skipped', value: readId(found, adapter) }
    return {
      status: 'unknown',
      ...(createdId === undefined ? {} : { value: createdId }),
      error: new UndecidedRowError(
        createdId === undefined
          ? 'an earlier run sent this row; a similar item exists, but its origin is unknown'
          : `an earlier run created ${createdId}, but its values differ from the row`,
      ),
    }
  }

  async #isCreated(body: RequestBody, found: Item): Promise<boolean> {
    const { adapter, notice } = this.#options
    const { judgeRead } = await import('../../client/verdict.ts')
    const input = { body: adapter.createdFields?.(body) ?? body }
    const verdict = judgeRead(endpoints[adapter.createOperation], input, found, null)
    if (verdict.is !== 'done') return false
    for (const { about, text } of verdict.remarks)
      if (!this.#remarks.has(about)) {
        this.#remarks.add(about)
        await notice(`warning: ${text}`)
      }
    return true
  }

  #createOrChange(body: RequestBody): Promise<Outcome<string>> {
    const { adapter, ifExists, dryRun } = this.#options
    return ifExists === 'overwrite' && adapter.createOverwrites && !dryRun
      ? this.#create(body)
      : this.#lookUpThenSend(body)
  }

  async #lookUpThenSend(body: RequestBody): Promise<Outcome<string>> {
    const { adapter, ifExists, dryRun, client, isStopped } = this.#options
    const existing = await lookUpFirst(adapter.find(client, body))
    const changes = ifExists === 'overwrite' || ifExists === 'update'
    const [noun] = adapter.view.noun
    if (!existing && changes && !adapter.canCreateMissing)
      throw new NotFoundError(`no such ${noun}: ${adapter.keyOf(body)} (pass --create-missing to create it)`)
    if (dryRun && (!existing || changes)) {
      const [user, ...others] = await this.#referencedUsers.listMissing(this.#listUsers(body))
      if (user !== undefined) throw new UnknownUserError([user, ...others])
    }
    if (!existing) {
      if (dryRun) return { status: 'would_create' }
      return isStopped() ? { status: 'unsent' } : await this.#create(body)
    }
    if (ifExists === 'fail') throw new ConflictError(`the ${noun} already exists`)
    // Concurrent rows change the count during the request.
    const blocked = (await adapter.countBlocked?.(client, body, existing)) ?? 0
    this.blocked += blocked
    if (ifExists === 'skip')
      return { status: dryRun ? 'would_skip' : 'skipped', value: readId(existing, adapter) }
    return this.#change(body, existing)
  }

  async #change(body: RequestBody, existing: Item): Promise<Outcome<string>> {
    const { adapter, ifExists, dryRun, client, isStopped } = this.#options
    const reason = adapter.explainUnchangeable?.(body, existing)
    if (reason !== undefined) throw new ApiError(reason)
    if (!dryRun && isStopped()) return { status: 'unsent' }
    const isUpdate = ifExists === 'update'
    const change = (isUpdate && adapter.update) || adapter.overwrite
    const changed: Outcome<string> = dryRun
      ? { status: `would_${adapter.accessChange?.(body, existing) ?? (isUpdate ? 'update' : 'overwrite')}` }
      : { status: isUpdate ? 'updated' : 'overwrote', value: await change(client, body, existing) }
    for (const field of adapter.listIgnoredFields?.(body, existing) ?? [])
      this.ignoredFields.set(field, (this.ignoredFields.get(field) ?? 0) + 1)
    return changed
  }

  #create(body: RequestBody): Promise<Outcome<string>> {
    const { adapter, client } = this.#options
    return adapter.create(client, body).then(
      (id) => this.#complete(body, id),
      (cause) => {
        const failure = toFailure(cause)
        const { createdId } = failure.error
        // With the ID, a resumed run looks up the created item before it creates another item.
        return createdId === undefined ? failure : { ...failure, value: createdId }
      },
    )
  }

  #complete(body: RequestBody, id: string): Outcome<string> | Promise<Outcome<string>> {
    const { adapter, client } = this.#options
    const completion = adapter.completeCreated?.(client, body, id)
    const outcome = { status: 'ok', value: id } as const
    return (
      completion?.then(
        () => outcome,
        (failure) => {
          const { error: cause } = toFailure(failure)
          const message = `the item was created, but not completed: ${cause.message}`
          // The outcome is unknown, because a retry could create the item again.
          return { status: 'unknown', value: id, error: new UnknownOutcomeError(message, { cause }) }
        },
      ) ?? outcome
    )
  }
}

function readId(item: Item, { view }: ImportAdapter): string {
  return String(item[view.id ?? 'id'])
}

const maxLookups = 1000

class ReferencedUsers {
  readonly #options: Pick<SenderOptions, 'client' | 'notice'>
  readonly #exists = new Map<string, Promise<boolean>>()
  #isFull = false

  constructor(options: Pick<SenderOptions, 'client' | 'notice'>) {
    this.#options = options
  }

  async listMissing(users: readonly string[]): Promise<string[]> {
    const missing = new Set<string>()
    for (const user of users) if (!(await this.#isExistingUser(user))) missing.add(user)
    return [...missing]
  }

  #isExistingUser(user_id: string): Promise<boolean> {
    const cached = this.#exists.get(user_id)
    if (cached) return cached
    const { client } = this.#options
    if (this.#exists.size >= maxLookups) return this.#noticeLimit()
    const lookup = findRecord(client, { kind: 'user', id: user_id }).then((user) => user !== undefined)
    this.#exists.set(user_id, lookup)
    // Removes a failed lookup, so that later rows retry the request.
    lookup.catch(() => this.#exists.delete(user_id))
    return lookup
  }

  async #noticeLimit(): Promise<true> {
    if (!this.#isFull) {
      this.#isFull = true
      await this.#options.notice(`only the first ${maxLookups} users are read`)
    }
    return true
  }
}
