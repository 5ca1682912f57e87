import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { endpoints } from '../../api/endpoints.ts'
import { resources } from '../../api/resources.ts'
import { deleteDatabase } from '../../files/create-file.ts'
import { createHandlerContext, createService } from '../service/service.ts'
import { listColumns, listTables } from '../store/contents.ts'
import { runMigrations } from '../store/migrate.ts'
import type { OpenSqlite, Sqlite, Statement, Value } from '../store/sqlite.ts'
import { Store } from '../store/store.ts'
import { type Backup, createDamagedError, toBackupError } from './open-backup.ts'
import { maxText, optionalRows, storedValues } from './stored-values.ts'

/** Removes the drafts of killed restores. Call while the directory is locked. */
export function removeStaleDrafts(database: string): void {
  const start = `${basename(database)}.`
  for (const name of readdirSync(dirname(database)))
    if (name.startsWith(start) && /^[0-9a-f]{8}\.part/.test(name.slice(start.length)))
      rmSync(join(dirname(database), name), { force: true })
}

interface DraftOptions {
  open: OpenSqlite
  /** Path of the workspace's database. The draft is in the same directory. */
  database: string
  path: string
  now(): number
}

/**
 * Copies the rows of a backup into a new database. Never executes the backup's schema.
 * @returns `changedRows`: number of rows that were changed or omitted, because this version refuses some values
 * @throws {UsageError} if the backup is damaged
 */
export async function createDraft(backup: Backup, options: DraftOptions) {
  const path = `${options.database}.${randomBytes(4).toString('hex')}.part`
  const remove = () => deleteDatabase(path)
  try {
    const changedRows = fill(options.open(path), backup, options.path)
    await readOnce(options.open(path), options)
    return { path, changedRows, remove }
  } catch (error) {
    remove()
    throw error
  }
}

function fill(db: Sqlite, backup: Backup, path: string): number {
  try {
    // The draft need not survive a crash.
    db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
    runMigrations(db, 0, backup.version)
    let changed = 0
    for (const table of listTables(db)) changed += copyRows(db, backup.db, table, path)
    const { rows } = db.prepare('SELECT count(*) AS rows FROM workspace').get() as { rows: number }
    if (rows !== 1) throw createDamagedError(path, `the table workspace has ${rows} rows instead of 1`)
    runMigrations(db, backup.version)
    db.exec('COMMIT')
    return changed
  } finally {
    db.close()
  }
}

/** Maximum `seq` that a restore keeps. The greatest possible number would prevent new rows. */
const maxSeq = 2 ** 40

/** @returns number of changed or omitted rows */
function copyRows(db: Sqlite, from: Sqlite, table: string, path: string): number {
  const rules = Object.entries(storedValues[table] ?? {})
  const present = new Set(listColumns(db, table))
  const columns = rules.filter(([name]) => present.has(name))
  if (columns.length === 0) return 0
  const names = columns.map(([name]) => name)
  db.exec(`DELETE FROM ${table}`)
  const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`)
  let changed = 0
  let nth = 0
  let lastSeq = 0
  for (const row of readRows(from, table, names, path)) {
    nth++
    const values: Value[] = []
    let isChanged = false
    for (const [i, [name, convert]] of columns.entries()) {
      let value = convert(row[i])
      if (value === undefined) {
        if (optionalRows.has(table)) break
        throw createDamagedError(path, `row ${nth} of the table ${table} has an invalid ${name}`)
      }
      if (name === 'seq') {
        if (Number(value) > maxSeq) value = lastSeq + 1
        lastSeq = Number(value)
      }
      if (value !== row[i]) isChanged = true
      values.push(value)
    }
    if (values.length === columns.length) run(insert, values, path)
    if (isChanged || values.length < columns.length) changed++
  }
  return changed
}

function* readRows(db: Sqlite, table: string, columns: readonly string[], path: string) {
  try {
    // Every rule refuses undefined, which replaces values that cannot be read.
    yield* db.rows(table, columns, maxText)
  } catch (error) {
    throw toBackupError(error, path)
  }
}

function run(insert: Statement, values: readonly Value[], path: string): void {
  try {
    insert.run(...values)
  } catch (error) {
    const { message } = error as Error
    throw /constraint failed/.test(message) ? createDamagedError(path, message) : error
  }
}

/** Reads the draft with the GET operations of the service. */
async function readOnce(db: Sqlite, { path, now }: DraftOptions): Promise<void> {
  const store = new Store(db)
  try {
    const service = createService(createHandlerContext({ store, now }), 'draft')
    for (const { method, path: pattern, resource } of Object.values(endpoints)) {
      if (method !== 'GET') continue
      const row = store.one<Record<string, string>>(`SELECT * FROM ${resources[resource].plural} LIMIT 1`)
      if (!row && pattern.includes('{')) continue
      const url = `/v1${pattern.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(row?.[name] ?? row?.['id'] ?? ''))}`
      const { status } = await service({ method, url, headers: { authorization: 'Bearer draft' } })
      // The room of a row may have been deleted, so a 400 is valid.
      if (status !== 200 && status !== 400)
        throw createDamagedError(path, `its ${resource} list cannot be read`)
    }
  } finally {
    store.close()
  }
}
