import { Connection, type Driver } from '../../src/embedded/store/connection.ts'
import { loadDriver } from '../../src/embedded/store/sqlite.ts'
import { Store } from '../../src/embedded/store/store.ts'

type DriverStatement = ReturnType<Driver['prepare']>

/** In-memory database that can be reused with its prepared statements. */
interface Pooled {
  driver: Driver
  statements: Map<string, DriverStatement>
  /** Statements that empty all tables. */
  clear: readonly DriverStatement[]
}

/** Source of in-memory databases with the current schema. */
interface Pool {
  open: (path: string) => Driver
  schema: string
  tables: readonly string[]
  free: Pooled[]
}

let loading: Promise<Pool> | undefined

/**
 * Loads SQLite so that in-memory databases have the current schema. A new database takes 1 ms instead of 7 ms
 * for all migrations, and a reused database takes 0.1 ms.
 */
export const withSchema = withRows('')

/**
 * Returns a loader of SQLite whose in-memory databases contain the given rows.
 * @param rows statements from `rowsOf`
 */
export function withRows(rows: string): <T>(_load: () => Promise<T>) => Promise<T> {
  return async <T>() => {
    loading ??= createPool()
    const pool = await loading
    const open = (path: string) => (path === ':memory:' ? lease(pool, rows) : pool.open(path))
    return { DatabaseSync: new Proxy(class {}, { construct: (_, [path]) => open(path) }) } as T
  }
}

/** Returns the rows of a store as SQL, without `workspace`, because `lease` inserts that row. */
export function rowsOf(store: Store): string {
  const tables = store.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'workspace' ORDER BY rowid`,
  )
  return tables
    .flatMap(({ name }) => {
      const columns = store.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', name)
      const quoted = columns.map((column) => `quote("${column.name}")`).join(" || ',' || ")
      const rows = store.all<{ row: string }>(`SELECT ${quoted} AS row FROM "${name}"`)
      return rows.length === 0 ? [] : `INSERT INTO "${name}" VALUES ${rows.map(({ row }) => `(${row})`)}`
    })
    .join(';\n')
}

async function createPool(): Promise<Pool> {
  const open = await loadDriver((load) => load())
  const migrated = open(':memory:', false)
  new Store(new Connection(migrated))
  const read = <Row>(sql: string) => migrated.prepare(sql).all() as Row[]
  const statements = read<{ type: string; name: string; sql: string }>(
    `SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'sqlite_sequence' ORDER BY rowid`,
  )
  const [version] = read<{ user_version: number }>('PRAGMA user_version')
  migrated.close()
  return {
    open: (path) => open(path, false),
    schema: [
      ...['BEGIN', ...statements.map(({ sql }) => sql)],
      ...[`PRAGMA user_version = ${version?.user_version}`, 'COMMIT'],
    ].join(';\n'),
    tables: [...statements.flatMap(({ type, name }) => (type === 'table' ? name : [])), 'sqlite_sequence'],
    free: [],
  }
}

/** `exec` statements after which a database can be reused. */
const usual =
  /^(BEGIN|COMMIT|ROLLBACK|RELEASE|SAVEPOINT|PRAGMA (busy_timeout|cache_size|foreign_keys|synchronous|journal_mode)\b)/

function lease(pool: Pool, rows: string): Driver {
  const pooled = pool.free.pop() ?? create(pool)
  const { driver, statements } = pooled
  // A new database has one row, in `workspace`.
  driver.exec(
    `BEGIN; INSERT INTO workspace (application_id) VALUES (lower(hex(randomblob(12)))); ${rows}; COMMIT`,
  )
  let isOpen = true
  let isUsual = true
  const requireOpen = () => {
    if (!isOpen) throw new TypeError('The database connection is not open')
  }
  const prepare = (sql: string): DriverStatement => {
    requireOpen()
    let statement = statements.get(sql)
    if (!statement) {
      statement = driver.prepare(sql)
      statements.set(sql, statement)
    }
    const known = statement
    return {
      run: (...values) => {
        requireOpen()
        return known.run(...values)
      },
      get: (...values) => {
        requireOpen()
        return known.get(...values)
      },
      all: (...values) => {
        requireOpen()
        return known.all(...values)
      },
      // A statement permits only one iteration at a time.
      iterate: (...values) => driver.prepare(sql).iterate(...values),
      ...(known.columns && { columns: () => known.columns?.() ?? [] }),
    }
  }
  return {
    exec(sql) {
      requireOpen()
      isUsual &&= usual.test(sql)
      return driver.exec(sql)
    },
    prepare,
    close() {
      requireOpen()
      isOpen = false
      if (isUsual && clear(pooled)) pool.free.push(pooled)
      else driver.close()
    },
  }
}

function create({ open, schema, tables }: Pool): Pooled {
  const driver = open(':memory:')
  driver.exec(schema)
  return {
    driver,
    statements: new Map(),
    clear: tables.map((table) => driver.prepare(`DELETE FROM ${table}`)),
  }
}

/** Empties a database. Returns false after an error, or if a table had 5,000 rows or more. */
function clear({ driver, clear }: Pooled): boolean {
  try {
    driver.exec('ROLLBACK')
  } catch {
    // No transaction is open.
  }
  try {
    driver.exec('BEGIN')
    const changed = clear.map((statement) => Number(statement.run().changes))
    driver.exec('COMMIT')
    return Math.max(...changed) < 5000
  } catch {
    return false
  }
}
