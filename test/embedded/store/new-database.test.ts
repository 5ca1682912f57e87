import { expect, test } from 'vitest'
import { openSqlite, type Sqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { withSchema } from '../../helpers/new-database.ts'

/** Everything in a database, without page numbers and without the value of the random ID. */
function contentsOf(db: Sqlite) {
  const all = (sql: string) => db.prepare(sql).all() as Record<string, unknown>[]
  const schema = all('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name')
  const tables = schema.filter(({ type }) => type === 'table').map(({ name }) => name)
  const rows = tables.map((name) => [name, all(`SELECT * FROM "${name}"`)])
  return JSON.parse(
    JSON.stringify({ schema, rows, version: all('PRAGMA user_version') }, (key, value) =>
      key === 'application_id' ? String(value).length : value,
    ),
  )
}

test('a database that tests create with the current schema equals a database that ran all migrations', async () => {
  const [migrated, created] = await Promise.all([
    openSqlite(':memory:', (load) => load()),
    openSqlite(':memory:', withSchema),
  ])
  const stores = [new Store(migrated), new Store(created)]
  expect(contentsOf(created)).toEqual(contentsOf(migrated))
  expect(contentsOf(created).rows).toContainEqual([
    'workspace',
    [expect.objectContaining({ application_id: 24 })],
  ])
  for (const store of stores) store.close()
})
