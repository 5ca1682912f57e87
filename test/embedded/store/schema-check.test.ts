import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { createEmpty, currentSchemaHash, readIdentity } from '../../../src/embedded/store/schema-check.ts'
import { loadSqlite, openSqlite, type Sqlite } from '../../../src/embedded/store/sqlite.ts'
import { createWorld } from '../../helpers/world.ts'

const quietly = <T>(load: () => Promise<T>) => load()

test('the recorded schema hash equals the hash of the migrated schema', async () => {
  const db = createEmpty(await loadSqlite(quietly), migrations.length)
  expect(readIdentity(db)).toEqual({ version: migrations.length, hash: currentSchemaHash })
  db.close()
})

describe('a workspace whose schema differs from the schema of the migrations', () => {
  async function change(work: (db: Sqlite) => void) {
    const world = await createWorld()
    await world.run('--local rooms create --name Plan --type open')
    const path = join(world.dir, 'data/workspace.db')
    const db = await openSqlite(path, quietly)
    work(db)
    db.close()
    return { world, path }
  }

  test.each<[string, string, string]>([
    [
      'a foreign trigger',
      `CREATE TRIGGER keep BEFORE DELETE ON rooms BEGIN SELECT raise(IGNORE); END`,
      'the trigger keep, which meetroom does not create',
    ],
    ['a foreign view', 'CREATE VIEW v AS SELECT 1', 'the view v, which meetroom does not create'],
    ['a foreign table', 'CREATE TABLE t (a)', 'the table t, which meetroom does not create'],
    [
      'a foreign index',
      'CREATE INDEX i ON rooms (upper(name))',
      'the index i, which meetroom does not create',
    ],
    [
      'a replaced view',
      'DROP VIEW present_members; CREATE VIEW present_members AS SELECT * FROM members',
      'a changed view present_members',
    ],
    ['a missing table', 'DROP TABLE pages', 'no table pages'],
    ['an additional column', 'ALTER TABLE rooms ADD COLUMN x TEXT', 'a changed table rooms'],
    [
      'a table sessions without the column type',
      'ALTER TABLE sessions DROP COLUMN type',
      'a changed table sessions',
    ],
    ['a negative schema version', 'PRAGMA user_version = -1', 'the schema version -1'],
    ['the schema version 3 and newer tables', 'PRAGMA user_version = 3', 'a changed table deliveries'],
    [
      'the schema version 0 and existing tables',
      'PRAGMA user_version = 0',
      'the table deliveries, which meetroom does not create',
    ],
  ])('rooms list and serve exit 2 for a local workspace with %s', async (_name, sql, fault) => {
    const { world, path } = await change((db) => db.exec(sql))
    const hint =
      'hint: restore a backup, or a copy of workspace.db, with: meetroom local restore FILE --data-dir ' +
      `${join(path, '..')}\n`
    expect(await world.run('--local rooms list')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: the local workspace in ${join(path, '..')} has ${fault}\n${hint}`,
    })
    expect(await world.run('serve --port 0')).toMatchObject({ code: 2, stdout: '' })
  })

  test('local backup and local restore keep the rows and drop a foreign trigger', async () => {
    const { world } = await change((db) =>
      db.exec('CREATE TRIGGER keep BEFORE DELETE ON rooms BEGIN SELECT raise(IGNORE); END'),
    )
    expect(await world.run('local backup copy.db')).toMatchObject({ code: 0 })
    expect(await world.run('local restore copy.db --yes')).toMatchObject({ code: 0 })
    const { stdout } = await world.run('--local rooms list -o ids')
    expect(await world.run(`--local rooms delete ${stdout.trim()} --yes`)).toMatchObject({ code: 0 })
    expect((await world.run('--local rooms list -o ids')).stdout).toBe('')
  })
})
