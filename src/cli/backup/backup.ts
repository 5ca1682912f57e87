import { resolve } from 'node:path'
import { omitUndefined } from '../../api/defined.ts'
import type { Outcome } from '../../client/outcome.ts'
import { NotFoundError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { FullRecords } from '../lists/full-records.ts'
import { MembershipSearch } from '../lists/memberships.ts'
import { eachInTurn } from '../pool/in-order.ts'
import { openPool } from '../pool/pool.ts'
import { Tally } from '../pool/tally.ts'
import type { Backup, DeletionTargets } from '../requests/backup.ts'
import { BackupFile, requireNewFile } from './backup-file.ts'
import { type BackupRecord, byUser, roomRecord, userRecord } from './records.ts'
import { summarizeBackup } from './summary.ts'

/** Where to save: a new file, or a new one for this run in a folder. */
type Place = { file: string } | { dir: string }

/** Keeps what a command deletes in a file of its own. */
export function createBackup(context: Context, place: Place): Backup {
  return new FileSaver(context, place)
}

class FileSaver implements Backup {
  readonly #context: Context
  readonly #place: Place
  #file: BackupFile | undefined
  /** What is saved, by kind and id; with the error for what did not exist. */
  readonly #known = new Map<string, NotFoundError | undefined>()
  /** One at a time: all write to the same file. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(context: Context, place: Place) {
    this.#context = context
    this.#place = place
  }

  async check(): Promise<void> {
    if ('file' in this.#place && !this.#file) await requireNewFile(this.#pathOf(this.#place.file))
  }

  save(doomed: DeletionTargets): Promise<void> {
    const turn = this.#turn.then(() => this.#save(doomed))
    this.#turn = turn.catch(() => {})
    return turn
  }

  async beforeDelete(path: string): Promise<void> {
    const [, kind, segment] = /^\/(rooms|users)\/([^/?#]+)$/.exec(path) ?? []
    const id = decoded(segment)
    if (id === undefined)
      throw new UsageError(`what DELETE ${path} deletes cannot be saved; nothing was sent`, {
        hint: '--no-save deletes without saving',
      })
    const doomed = { kind: kind as DeletionTargets['kind'], ids: [id], flags: { concurrency: 8 } }
    if (!this.#known.has(keyOf(doomed.kind, id))) await this.save(doomed)
    const missing = this.#known.get(keyOf(doomed.kind, id))
    if (missing) throw missing
  }

  async close(): Promise<void> {
    await this.#turn
    await this.#file?.close()
  }

  async #save(doomed: DeletionTargets): Promise<void> {
    const { kind } = doomed
    const ids = doomed.ids.filter((id) => !this.#known.has(keyOf(kind, id)))
    // Known once they are on disk.
    const known = new Map<string, NotFoundError | undefined>()
    let count = 0
    let hadTokens = false
    const { createImportCheck } = await import('./importable.ts')
    const problemOf = await createImportCheck(kind)
    try {
      for await (const [id, line] of this.#lines({ ...doomed, ids })) {
        if (line instanceof NotFoundError) {
          known.set(keyOf(kind, id), line)
          continue
        }
        const problem = problemOf(line.text)
        if (problem !== undefined) throw unimportable(kind, id, problem)
        this.#file ??= await this.#create()
        await this.#file.add(line.text)
        known.set(keyOf(kind, id), undefined)
        count++
        hadTokens ||= line.hadTokens
      }
      this.#context.interrupt.throwIfAborted()
      await this.#file?.sync()
    } catch (error) {
      if ((await this.#file?.takeBack()) === false) this.#file = undefined
      throw error
    }
    for (const [key, missing] of known) this.#known.set(key, missing)
    if (count > 0) await this.#tell(kind, count, hadTokens)
  }

  /** The records in the order of the ids, as they are read. What cannot be read ends it. */
  async *#lines({
    kind,
    ids,
    flags,
    memberships,
  }: DeletionTargets): AsyncGenerator<readonly [string, BackupRecord | NotFoundError]> {
    if (ids.length === 0) return
    const context = this.#context
    const { concurrency, rate } = flags
    // The first failure ends it: no flag counts them.
    const pool = await openPool(
      context,
      { concurrency, ...omitUndefined({ rate }) },
      new Tally(ids.length, () => ''),
    )
    const full = new FullRecords(context, 'listMembers', pool.client)
    const rooms = kind === 'users' ? byUser(memberships ?? (await this.#search(ids, flags))) : undefined
    const read = (id: string) =>
      rooms ? userRecord(context, pool.client, id, rooms.get(id)) : roomRecord(context, pool.client, id, full)
    for await (const [id, outcome] of eachInTurn(pool, ids, (id) => attempt(read(id)))) {
      if (outcome.status === 'ok') yield [id, outcome.value]
      else if (!('error' in outcome)) throw context.interrupt.reason
      else {
        await context.notice(`${kind.slice(0, -1)} ${id} cannot be saved; nothing was changed`)
        throw outcome.error
      }
    }
  }

  /** Where users are members: their memberships go with them. */
  async #search(ids: readonly string[], flags: DeletionTargets['flags']) {
    const context = this.#context
    const search = await MembershipSearch.open(context, flags, {
      users: new Set(ids),
      reports: true,
    })
    const memberships = []
    for await (const found of search.found()) memberships.push(...found)
    const error = await search.end()
    if (!error) return memberships
    await context.notice('the rooms of the users cannot be saved; nothing was changed')
    throw error
  }

  #pathOf(file: string): string {
    return resolve(this.#context.host.cwd, file)
  }

  #create(): Promise<BackupFile> {
    if ('file' in this.#place) return BackupFile.create(this.#pathOf(this.#place.file))
    const { host, command } = this.#context
    // Not every system has files with colons in their names.
    const time = new Date(host.now()).toISOString().replaceAll(':', '')
    return BackupFile.createIn(this.#place.dir, `${time}-${command.replaceAll(' ', '-')}`, '.ndjson')
  }

  async #tell(kind: DeletionTargets['kind'], count: number, hadTokens: boolean): Promise<void> {
    const path = 'file' in this.#place ? this.#place.file : (this.#file?.path ?? '')
    for (const line of summarizeBackup({ kind, count, hadTokens, path })) await this.#context.notice(line)
  }
}

function keyOf(kind: DeletionTargets['kind'], id: string): string {
  return `${kind}/${id}`
}

function unimportable(kind: DeletionTargets['kind'], id: string, problem: string): UsageError {
  return new UsageError(
    `${kind.slice(0, -1)} ${id} could not be imported again: ${problem}; nothing was changed`,
    { hint: '--no-save deletes without saving' },
  )
}

/** The id in a segment of a path; undefined when there is none. */
function decoded(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** What reading a record comes to: that there is none is a result. */
async function attempt(reading: Promise<BackupRecord>): Promise<Outcome<BackupRecord | NotFoundError>> {
  return reading.then(
    (value) => ({ status: 'ok', value }),
    (error) => {
      if (error instanceof NotFoundError) return { status: 'ok', value: error }
      throw error
    },
  )
}
