import type { Driver } from '../../src/embedded/store/connection.ts'
import { loadDriver } from '../../src/embedded/store/sqlite.ts'

/** Simulates a disk for SQLite that a test can fill. A failure rolls back the transaction. */
export async function testDisk() {
  const open = await loadDriver((load) => load())
  let full: 'commit' | 'change' | undefined

  function overflow(sqlite: Driver): never {
    sqlite.exec('ROLLBACK')
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }

  function onDisk(sqlite: Driver): Driver {
    return {
      exec: (sql) => (full === 'commit' && sql === 'COMMIT' ? overflow(sqlite) : sqlite.exec(sql)),
      prepare(sql) {
        const statement = sqlite.prepare(sql)
        return {
          run: (...values) => (full === 'change' ? overflow(sqlite) : statement.run(...values)),
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
          iterate: (...values) => statement.iterate(...values),
          ...(statement.columns && { columns: () => statement.columns?.() ?? [] }),
        }
      },
      close: () => sqlite.close(),
    }
  }

  const DatabaseSync = new Proxy(class {}, {
    construct: (_, [path, { readOnly }]) => onDisk(open(path, readOnly)),
  })
  return {
    /** Replaces the function that loads node:sqlite. */
    quietly: async <T>(_load: () => Promise<T>) => ({ DatabaseSync }) as T,
    fill(at: 'commit' | 'change'): void {
      full = at
    },
    makeRoom(): void {
      full = undefined
    },
  }
}
