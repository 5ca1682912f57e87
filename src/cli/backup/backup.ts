import { groupBy } from '../../api/group-by.ts'
import { writeJson } from '../../api/json.ts'
import { counted, plural } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import { type Hint, NotFoundError, type Suggestion, suggest, UsageError } from '../../errors.ts'
import { resolveOutput } from '../../files/file-kind.ts'
import { maxLength } from '../../files/read-lines.ts'
import { findFormatOf } from '../import/read/rows.ts'
import { originField } from '../import/read/saved-origin.ts'
import { describeUnrestoredByDeletion } from '../import/unrestored.ts'
import type { Context } from '../kernel/context.ts'
import { FullRecords } from '../lists/full-records.ts'
import { MembershipSearch } from '../lists/memberships.ts'
import { readList } from '../lists/read-list.ts'
import { holdsSecret, removeSecrets } from '../output/redaction/redaction.ts'
import type { Item } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import type { Backup, DeletionTargets } from '../requests/backup.ts'
import { describeTarget } from '../requests/find-service.ts'
import { openRun } from '../run/run.ts'
import { BackupFile, requireNewFile } from './backup-file.ts'

type Destination = { file: string } | { dir: string }

export class FileBackup implements Backup {
  readonly #context: Context
  readonly #destination: Destination
  /** Backup files by kind. The key of `--save FILE` is empty. */
  readonly #files = new Map<string, BackupFile>()
  /** Saved items by kind and ID. The value is the error of a missing item. */
  readonly #saved = new Map<string, NotFoundError | undefined>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(context: Context, destination: Destination) {
    this.#context = context
    this.#destination = destination
  }

  async check(): Promise<void> {
    if ('file' in this.#destination && this.#files.size === 0)
      await requireNewFile(this.#pathOf(this.#destination.file))
  }

  save(targets: DeletionTargets): Promise<void> {
    const saving = this.#queue.then(() => this.#save(targets))
    this.#queue = saving.catch(() => {})
    return saving
  }

  async beforeDelete(path: string): Promise<void> {
    const [, kind, segment] = /^\/(rooms|users)\/([^/?#]+)$/.exec(path) ?? []
    const id = decodeSegment(segment)
    if (id === undefined)
      throw new UsageError(
        `the records that DELETE ${path} deletes cannot be saved; nothing was sent`,
        withoutSaving,
      )
    const targets = { kind: kind as DeletionTargets['kind'], ids: [id], flags: { concurrency: 8 } }
    if (!this.#saved.has(targetKey(targets.kind, id))) await this.save(targets)
    const missing = this.#saved.get(targetKey(targets.kind, id))
    if (missing) throw missing
  }

  async close(): Promise<void> {
    await this.#queue
    for (const file of this.#files.values()) await file.close()
  }

  async #save(targets: DeletionTargets): Promise<void> {
    const { kind } = targets
    const ids = targets.ids.filter((id) => !this.#saved.has(targetKey(kind, id)))
    // Items count as saved only after the file is synced.
    const known = new Map<string, NotFoundError | undefined>()
    const slot = 'file' in this.#destination ? '' : kind
    let file = this.#files.get(slot)
    let count = 0
    let hadTokens = false
    const { createImportCheck } = await import('./importable.ts')
    const problemOf = await createImportCheck(kind)
    try {
      for await (const [id, line] of this.#readRecords({ ...targets, ids })) {
        if (line instanceof NotFoundError) {
          known.set(targetKey(kind, id), line)
          continue
        }
        const problem = problemOf(line.text)
        if (problem !== undefined)
          throw new UsageError(
            `${kind.slice(0, -1)} ${id} cannot be imported again: ${problem}; nothing was changed`,
            withoutSaving,
          )
        file ??= await this.#create()
        this.#files.set(slot, file)
        await file.add(line.text)
        known.set(targetKey(kind, id), undefined)
        count++
        hadTokens ||= line.hadTokens
      }
      this.#context.interrupt.throwIfAborted()
      await file?.sync()
    } catch (error) {
      if ((await file?.discardUnsynced()) === false) this.#files.delete(slot)
      throw error
    }
    for (const [key, missing] of known) this.#saved.set(key, missing)
    if (count === 0) return
    const path = 'file' in this.#destination ? this.#destination.file : (this.#files.get(kind)?.path ?? '')
    const summary: Hint[] = [
      `saved ${counted(count, kind.slice(0, -1))} in ${path}${hadTokens ? ', without access tokens' : ''}`,
      [`restore ${plural(count, 'it', 'them')} with: `, importCommand(kind, path)],
      `not restored: ${describeUnrestoredByDeletion(kind)}`,
    ]
    for (const line of summary) await this.#context.notice(line)
  }

  /** Yields the record or the not-found error of each ID. Throws other errors. */
  async *#readRecords(
    targets: DeletionTargets,
  ): AsyncGenerator<readonly [string, BackupRecord | NotFoundError]> {
    const { kind, ids, flags, memberships } = targets
    if (ids.length === 0) return
    const context = this.#context
    const { concurrency, rate } = flags
    const run = await openRun(context, { concurrency, rate }, { total: ids.length })
    const { client } = run
    const full = new FullRecords(context, 'listMembers', client)
    const rooms =
      kind === 'users'
        ? groupBy(memberships ?? (await this.#findMemberships(ids, flags)), ({ user_id }) => user_id)
        : undefined
    const read = (id: string) =>
      rooms
        ? createUserRecord(context, client, id, rooms.get(id))
        : createRoomRecord(context, client, id, full)
    for await (const [id, outcome] of run.each(ids, (id) => attempt(read(id)))) {
      if (outcome.status === 'ok') yield [id, outcome.value]
      else if (!('error' in outcome)) throw run.stopReason
      else {
        await context.notice(`${kind.slice(0, -1)} ${id} cannot be saved; nothing was changed`)
        throw outcome.error
      }
    }
  }

  async #findMemberships(ids: readonly string[], flags: DeletionTargets['flags']) {
    const search = await MembershipSearch.open(this.#context, flags, { users: new Set(ids), reports: true })
    const memberships = []
    for await (const found of search.found()) memberships.push(...found)
    const error = await search.end()
    if (!error) return memberships
    await this.#context.notice('the rooms of the users cannot be saved; nothing was changed')
    throw error
  }

  #pathOf(file: string): string {
    return resolveOutput(file, this.#context.host, 'saved.ndjson')
  }

  #create(): Promise<BackupFile> {
    if ('file' in this.#destination) return BackupFile.create(this.#pathOf(this.#destination.file))
    const { host, command } = this.#context
    // Windows does not allow colons in file names.
    const time = new Date(host.now()).toISOString().replaceAll(':', '')
    return BackupFile.createIn(this.#destination.dir, `${time}-${command.replaceAll(' ', '-')}`, '.ndjson')
  }
}

function targetKey(kind: DeletionTargets['kind'], id: string): string {
  return `${kind}/${id}`
}

const withoutSaving = { hint: 'pass --no-save to delete without saving' }

function decodeSegment(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

async function attempt(reading: Promise<BackupRecord>): Promise<Outcome<BackupRecord | NotFoundError>> {
  return reading.then(
    (value) => ({ status: 'ok', value }),
    (error) => {
      if (error instanceof NotFoundError) return { status: 'ok', value: error }
      throw error
    },
  )
}

function importCommand(kind: DeletionTargets['kind'], path: string): Suggestion {
  const flags = findFormatOf(path) === 'ndjson' ? [] : ['--input-format', 'ndjson']
  const operand = path.startsWith('-') ? `./${path}` : path
  return suggest([kind, 'import', operand, ...flags])
}

interface BackupRecord {
  text: string
  hadTokens: boolean
}

/** Omits anonymous participants, who cannot be invited. */
async function createRoomRecord(
  context: Context,
  client: Client,
  id: string,
  full: FullRecords,
): Promise<BackupRecord> {
  const room = await readRecord(client, { kind: 'room', id })
  const input = { params: { room_id: id } }
  const members: Item[] = []
  for await (const { items } of readList(context, 'listMembers', input, { all: true, client, full }))
    for (const member of items) if (member['user_id'] !== null) members.push(member)
  return toRecord(context, `room ${id}`, { ...room, members })
}

async function createUserRecord(
  context: Context,
  client: Client,
  user_id: string,
  memberships: DeletionTargets['memberships'] = [],
): Promise<BackupRecord> {
  const user = await readRecord(client, { kind: 'user', id: user_id })
  const rooms = memberships.map(({ room, member }) => ({
    ...member,
    room_id: room['id'],
    room_name: room['name'],
  }))
  return toRecord(context, `user ${user_id}`, rooms.length > 0 ? { ...user, memberships: rooms } : user)
}

async function toRecord(context: Context, label: string, record: Item): Promise<BackupRecord> {
  const origin = await describeTarget(context)
  // A response may contain the API key, which must not be written to the file.
  const text = context.redactKeys(writeJson({ ...removeSecrets(record), [originField]: origin }))
  if (text.length > maxLength)
    throw new UsageError(
      `${label} needs a line longer than 16 MB, which an import cannot read; nothing was changed`,
      withoutSaving,
    )
  return { text, hadTokens: holdsSecret(record) }
}
