import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../src/embedded/store/schema.ts'
import { openSqlite } from '../../src/embedded/store/sqlite.ts'
import { launcher, node, runBuilt } from '../helpers/built.ts'
import { environment } from '../helpers/command.ts'
import { homes, startServe } from '../helpers/serving.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

const count = counted('crash (replaced workspaces)')
const quietly = <T>(load: () => Promise<T>) => load()
const users = sized(5000, 20_000)

/** Creates a workspace of the first schema version, with many users of the given name. */
async function writeWorkspace(path: string, name: string): Promise<void> {
  const db = await openSqlite(path, quietly)
  db.exec(migrations[0] ?? '')
  db.exec('PRAGMA user_version = 1; PRAGMA journal_mode = WAL')
  db.exec(
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT ${users})
     INSERT INTO users (id, user_id, name, default_member_type, access_token, created_at, updated_at)
     SELECT n, n, '${name}', 'guest', n, 0, 0 FROM n`,
  )
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

async function read(path: string) {
  const db = await openSqlite(path, quietly)
  expect(db.prepare('PRAGMA integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
  const names = db.prepare('SELECT name, count(*) AS count FROM users GROUP BY name').all()
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  db.close()
  return { names: names.map((row) => ({ ...(row as object) })), version: user_version }
}

const all = (name: string) => [{ name, count: users }]

const template = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
afterAll(() => rmSync(template, { recursive: true }))
beforeAll(async () => {
  await writeWorkspace(join(template, 'workspace.db'), 'present')
  await writeWorkspace(join(template, 'old.db'), 'old')
})

/** Yields a fixed sequence of fractions between 0 and 1. */
function* fractions(): Generator<number> {
  for (let seed = 1; ; seed = (seed * 16807) % 2147483647) yield seed / 2147483647
}

/**
 * Runs a command on a copy of the template, and kills it after `afterMs`, if given. Returns the duration in
 * milliseconds.
 */
async function runAndKill(dir: string, argv: readonly string[], afterMs?: number): Promise<number> {
  cpSync(template, dir, { recursive: true })
  const env = environment({ MEETROOM_DATA_DIR: dir, MEETROOM_CONFIG_DIR: dir, HOME: dir })
  const startedAt = performance.now()
  const child = spawn(node, [launcher, ...argv], { env, stdio: 'ignore' })
  const timer = afterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), afterMs)
  await once(child, 'close')
  clearTimeout(timer)
  return performance.now() - startedAt
}

test.each([
  ['restore', ['local', 'restore', 'BACKUP', '--yes'], all('old'), migrations.length],
  ['reset', ['local', 'reset', '--yes'], [], migrations.length],
  ['upgrade', ['--local', 'rooms', 'list'], all('present'), migrations.length],
])(
  'a %s of the local workspace is atomic if its process is killed',
  {
    timeout: 600_000,
  },
  async (_name, words, names, version) => {
    const argv = (dir: string) => words.map((word) => (word === 'BACKUP' ? join(dir, 'old.db') : word))
    const whole = tempDir()
    const duration = await runAndKill(whole, argv(whole))
    expect(await read(join(whole, 'workspace.db'))).toEqual({ names, version })
    const random = fractions()
    for (let kills = 0; kills < sized(2, 100); kills++) {
      const dir = tempDir()
      await runAndKill(dir, argv(dir), duration * (random.next().value ?? 0))
      const found = await read(join(dir, 'workspace.db'))
      const isNew = found.version === version && JSON.stringify(found.names) === JSON.stringify(names)
      if (!isNew) expect(found).toEqual({ names: all('present'), version: 1 })
      const copies = existsSync(join(dir, 'backups')) ? readdirSync(join(dir, 'backups')) : []
      const complete = copies.filter((name) => name.endsWith('.db'))
      if (isNew) expect(complete).toHaveLength(1)
      for (const name of complete)
        expect(await read(join(dir, 'backups', name))).toEqual({ names: all('present'), version: 1 })
      count.add('kills')
      count.add(isNew ? 'new workspaces' : 'old workspaces')
    }
  },
)

test('local backup of a served workspace contains every write acknowledged before the backup', async () => {
  const env = homes()
  const { call } = await startServe([], env)
  let acknowledged = 0
  let isDone = false
  const write = async () => {
    while (!isDone) {
      expect((await call('POST', '/users', { user_id: `user-${acknowledged}` })).status).toBe(200)
      acknowledged++
    }
  }
  const writing = write()
  for (let nth = 0; nth < sized(2, 50); nth++) {
    const before = acknowledged
    const path = join(env.HOME, `${nth}.db`)
    expect(await runBuilt(['local', 'backup', path], env)).toMatchObject({ code: 0 })
    const ids = await readUserIds(path)
    expect(ids.length).toBeGreaterThanOrEqual(before)
    expect(ids).toEqual(ids.map((_, i) => `user-${i}`))
    count.add('backups')
  }
  isDone = true
  await writing
})

async function readUserIds(path: string): Promise<string[]> {
  const db = await openSqlite(path, quietly)
  const rows = db.prepare('SELECT user_id FROM users ORDER BY seq').all()
  db.close()
  return rows.map((row) => (row as { user_id: string }).user_id)
}
