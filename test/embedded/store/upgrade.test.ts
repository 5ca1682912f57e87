import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { currentSchemaHash, readIdentity } from '../../../src/embedded/store/schema-check.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { main } from '../../../src/main.ts'
import { testHost } from '../../helpers/host.ts'
import { openTestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

/** Creates a workspace of schema version 1 with about `bytes` bytes. */
async function createOldWorkspace(bytes: number): Promise<string> {
  const dir = tempDir()
  const db = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  db.exec(migrations[0] ?? '')
  db.exec('PRAGMA user_version = 1')
  db.exec(
    `INSERT INTO users (id, user_id, name, default_member_type, access_token, created_at, updated_at)
     SELECT 1, 'ada', hex(zeroblob(${bytes / 2})), 'guest', 1, 0, 0`,
  )
  db.close()
  return dir
}

async function list(dir: string) {
  const host = testHost({ env: { MEETROOM_DATA_DIR: dir, MEETROOM_CONFIG_DIR: dir } })
  const code = await main(['--local', 'rooms', 'list', '-o', 'ids'], host)
  return { code, stderr: host.stderr.text }
}

test('the upgrade of a large local workspace prints one message', async () => {
  const dir = await createOldWorkspace(70_000_000)
  const announced = { code: 0, stderr: 'upgrading the local workspace; the upgrade takes a while\n' }
  expect(await list(dir)).toEqual(announced)
  expect(await list(dir)).toEqual({ code: 0, stderr: '' })
})

test('the upgrade of a small local workspace prints no message', async () => {
  expect(await list(await createOldWorkspace(1000))).toEqual({ code: 0, stderr: '' })
})

test('rooms list exits 2 for a local workspace of a newer version', async () => {
  const dir = tempDir()
  const path = join(dir, 'workspace.db')
  const db = await openSqlite(path, (load) => load())
  db.exec('CREATE TABLE later (thing)')
  db.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  db.close()
  const before = readFileSync(path)
  expect(await list(dir)).toEqual({
    code: 2,
    stderr:
      'error: the local workspace was created by a newer version of meetroom\n' +
      'hint: update meetroom, or restore a backup; see: meetroom help local\n',
  })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('an upgrade backs up the local workspace for local restore', async () => {
  const dir = await createOldWorkspace(1000)
  await list(dir)
  const copy = join(dir, 'backups/before-upgrade-from-schema-1.db')
  expect(await userVersion(copy)).toBe(1)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  const host = testHost({ env: { MEETROOM_DATA_DIR: dir, MEETROOM_CONFIG_DIR: dir } })
  expect(await main(['local', 'restore', copy, '--yes'], host)).toBe(0)
  expect(await userVersion(join(dir, 'workspace.db'))).toBe(migrations.length)
})

test('opening a local workspace of the current version creates no backup', async () => {
  const dir = tempDir()
  await list(dir)
  await list(dir)
  expect(existsSync(join(dir, 'backups'))).toBe(false)
})

test('local restore replaces a workspace of a newer version', async () => {
  const dir = await createOldWorkspace(1000)
  await list(dir)
  const path = join(dir, 'workspace.db')
  const db = await openSqlite(path, (load) => load())
  db.exec(`CREATE TABLE later (thing); PRAGMA user_version = ${migrations.length + 1}`)
  db.close()
  const host = testHost({ env: { MEETROOM_DATA_DIR: dir, MEETROOM_CONFIG_DIR: dir } })
  const copy = join(dir, 'backups/before-upgrade-from-schema-1.db')
  expect(await main(['local', 'restore', copy, '--yes'], host)).toBe(0)
  expect(await list(dir)).toEqual({ code: 0, stderr: '' })
})

test('an upgrade is aborted if the copy of the local workspace cannot be written', async () => {
  const dir = await createOldWorkspace(1000)
  writeFileSync(join(dir, 'backups'), '')
  expect(await list(dir)).toMatchObject({ code: 74 })
  expect(await userVersion(join(dir, 'workspace.db'))).toBe(1)
})

/** Creates a workspace of schema version 13 with on-demand indexes and a stored count. */
async function createIndexedWorkspace() {
  const dir = tempDir()
  const db = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  for (const step of migrations.slice(0, 13)) db.exec(step)
  db.exec(`PRAGMA user_version = 13;
    CREATE VIRTUAL TABLE user_emails USING fts5
  (email, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1);
    CREATE INDEX rooms_by_creation ON rooms (created_at, seq, layout, terminated_at);
    CREATE INDEX users_by_creation ON users (created_at);
    CREATE INDEX members_by_creation ON members (room_id, created_at);
    CREATE INDEX sessions_by_connection ON sessions (room_id, connected_at);
    CREATE INDEX pages_by_creation ON pages (room_id, created_at);
    INSERT INTO users (id, user_id, default_member_type, email, access_token, created_at, updated_at)
      VALUES ('1', 'ada', 'guest', 'ada@example.com', 't', 1, 1), ('2', 'eve', 'guest', NULL, 'u', 2, 2);
    INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
      VALUES ('1', 'open', 'First', 'default', 0, 1, 1);
    INSERT INTO user_emails (rowid, email) VALUES (1, 'ada@example.com');
    INSERT INTO user_counts VALUES (0, 1), (-1, 1);
    UPDATE workspace SET emails_indexed = 1, users_counted = 2;
    INSERT INTO stale_emails VALUES (1)`)
  return { dir, db }
}

async function expectUpgraded(dir: string) {
  expect(await list(dir)).toEqual({ code: 0, stderr: '' })
  const db = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  expect(readIdentity(db)).toEqual({ version: migrations.length, hash: currentSchemaHash })
  db.close()
  const { send } = await openTestWorkspace(dir)
  const users = (await send('GET', '/users')).body
  expect([users.users.map(({ user_id }) => user_id), users.paging.total]).toEqual([['eve', 'ada'], 2])
  expect((await send('GET', '/users?email_search_query=ADA@')).body.paging.total).toBe(1)
  expect((await send('GET', '/rooms')).body.rooms).toMatchObject([{ name: 'First' }])
}

test('an upgrade of a local workspace with on-demand indexes keeps all rows', async () => {
  const { dir, db } = await createIndexedWorkspace()
  db.close()
  await expectUpgraded(dir)
  const restored = tempDir()
  const host = testHost({ env: { MEETROOM_DATA_DIR: restored, MEETROOM_CONFIG_DIR: restored } })
  const copy = join(dir, 'backups/before-upgrade-from-schema-13.db')
  expect(await main(['local', 'restore', copy, '--yes'], host)).toBe(0)
  await expectUpgraded(restored)
})

test('an upgrade drops the full-text index of emails if SQLite lacks full-text search', async () => {
  const { dir, db } = await createIndexedWorkspace()
  db.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE user_emails USING missing (email)' WHERE name = 'user_emails';
    PRAGMA writable_schema = RESET`)
  db.close()
  const sqlite = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  new Store(sqlite).close()
  await expectUpgraded(dir)
})

async function userVersion(path: string): Promise<number> {
  const db = await openSqlite(path, (load) => load())
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  db.close()
  return user_version
}
