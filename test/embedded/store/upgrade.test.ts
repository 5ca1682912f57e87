import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { main } from '../../../src/main.ts'
import { testHost } from '../../helpers/host.ts'
import { tempDir } from '../../helpers/world.ts'

/** A workspace of the first version, of about this size. */
async function oldWorkspace(bytes: number): Promise<string> {
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

test('an upgrade of a large local workspace is announced once', async () => {
  const dir = await oldWorkspace(70_000_000)
  const announced = { code: 0, stderr: 'the local workspace is being upgraded, which takes a while\n' }
  expect(await list(dir)).toEqual(announced)
  expect(await list(dir)).toEqual({ code: 0, stderr: '' })
})

test('an upgrade of a small local workspace prints no message', async () => {
  expect(await list(await oldWorkspace(1000))).toEqual({ code: 0, stderr: '' })
})

test('a local workspace of a newer version is refused and stays unchanged', async () => {
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
      'error: this workspace was created by a newer version of meetroom\n' +
      'hint: update meetroom, or go back to a backup: meetroom help local\n',
  })
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('an upgrade first copies the local workspace, and local restore restores the copy', async () => {
  const dir = await oldWorkspace(1000)
  await list(dir)
  const copy = join(dir, 'backups/before-upgrade-from-schema-1.db')
  expect(await userVersion(copy)).toBe(1)
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  const host = testHost({ env: { MEETROOM_DATA_DIR: dir, MEETROOM_CONFIG_DIR: dir } })
  expect(await main(['local', 'restore', copy, '--yes'], host)).toBe(0)
  expect(await userVersion(join(dir, 'workspace.db'))).toBe(migrations.length)
})

test('a workspace that needs no upgrade is not copied', async () => {
  const dir = tempDir()
  await list(dir)
  await list(dir)
  expect(existsSync(join(dir, 'backups'))).toBe(false)
})

test('local restore replaces a workspace of a newer version', async () => {
  const dir = await oldWorkspace(1000)
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

test('an upgrade does not change the local workspace if the copy cannot be written', async () => {
  const dir = await oldWorkspace(1000)
  writeFileSync(join(dir, 'backups'), '')
  expect(await list(dir)).toMatchObject({ code: 74 })
  expect(await userVersion(join(dir, 'workspace.db'))).toBe(1)
})

async function userVersion(path: string): Promise<number> {
  const db = await openSqlite(path, (load) => load())
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  db.close()
  return user_version
}
