import { UsageError } from '../../errors.ts'

export interface Sqlite {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): void
}

export type Value = string | number | null

export interface Statement {
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
  /** Missing in libsql. Without this setting, `node:sqlite` throws for large row IDs. */
  setReadBigInts?(enabled: boolean): void
}

/** Function that loads a module without Node's experimental warning. */
export type QuietLoader = <T>(load: () => Promise<T>) => Promise<T>

/**
 * Loads Node's own SQLite (Node 22.13 and later), else libsql.
 * @throws {UsageError} when this Node has no SQLite and libsql is not installed
 */
export async function loadSqlite(quietly: QuietLoader): Promise<(path: string) => Sqlite> {
  try {
    const { DatabaseSync } = await quietly(() => import('node:sqlite'))
    return (path) => new DatabaseSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
  }
  try {
    const { default: Database } = await import('libsql')
    return (path) => new Database(path) as unknown as Sqlite
  } catch (error) {
    if (!/MODULE_NOT_FOUND$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new UsageError('the embedded service needs Node 22.13 or newer, or the package libsql', {
      hint: 'install libsql where meetroom is: npm install libsql, or npm install --global libsql for a global meetroom',
    })
  }
}

export async function openSqlite(path: string, quietly: QuietLoader): Promise<Sqlite> {
  return (await loadSqlite(quietly))(path)
}
