import { UsageError } from '../../errors.ts'

/** What node:sqlite and libsql have in common. */
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
  /** Only node:sqlite has it, and needs it: it refuses to say that the row it added last has a large number. */
  setReadBigInts?(enabled: boolean): void
}

/** Loads something without Node’s warning that it is experimental. */
export type Quietly = <T>(load: () => Promise<T>) => Promise<T>

/**
 * Loads SQLite: the runtime’s own where there is one (Node 22.13), else libsql, which has the same interface.
 * @param quietly for node:sqlite, which Node 22 calls experimental on standard error
 * @returns what opens a file, or `:memory:`
 * @throws {UsageError} when this Node has no SQLite and libsql is not installed
 */
export async function loadSqlite(quietly: Quietly): Promise<(path: string) => Sqlite> {
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

/** Opens SQLite once: see `loadSqlite`. */
export async function openSqlite(path: string, quietly: Quietly): Promise<Sqlite> {
  return (await loadSqlite(quietly))(path)
}
