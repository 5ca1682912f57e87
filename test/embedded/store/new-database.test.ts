import { expect, test } from 'vitest'
import { openSqlite, type QuietLoader, type Sqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { rowsOf, withRows, withSchema } from '../../helpers/new-database.ts'

/** Returns the content of a database, without page numbers and the random ID. */
function readContents(db: Sqlite) {
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

test('withSchema opens a database that equals a migrated database', async () => {
  const openStore = async (quietly: QuietLoader) => {
    const db = await openSqlite(':memory:', quietly)
    return { store: new Store(db), contents: readContents(db), insert: () => db.prepare(insertion).run() }
  }
  const insertion = "INSERT INTO sweeps VALUES ('user', 'ada')"
  const migrated = await openStore((load) => load())
  const created = await openStore(withSchema)
  created.insert()
  created.store.close()
  expect(created.insert).toThrow('not open')
  const reused = await openStore(withSchema)
  expect(created.contents).toEqual(migrated.contents)
  expect(reused.contents).toEqual(migrated.contents)
  expect(reused.contents.rows).toContainEqual([
    'workspace',
    [expect.objectContaining({ application_id: 24 })],
  ])
  for (const { store } of [migrated, reused]) store.close()
})

test('withRows copies the users of another database', async () => {
  const one = new Store(await openSqlite(':memory:', withSchema))
  await one.write(() => {
    for (const user of ['ada', "it's"])
      one.run(
        `INSERT INTO users (user_id, id, access_token, name, default_member_type, created_at, updated_at)
          VALUES (?1, ?1, ?1, NULL, 'guest', 1, 2)`,
        user,
      )
  })
  const users = (store: Store) => store.all('SELECT * FROM users')
  const other = new Store(await openSqlite(':memory:', withRows(rowsOf(one))))
  expect(users(other)).toHaveLength(2)
  expect(users(other)).toEqual(users(one))
  for (const store of [one, other]) store.close()
})
