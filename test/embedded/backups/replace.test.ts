import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUp } from '../../../src/embedded/backups/back-up.ts'
import { reset } from '../../../src/embedded/backups/replace.ts'
import { restore } from '../../../src/embedded/backups/restore.ts'
import type { Driver } from '../../../src/embedded/store/connection.ts'
import { loadDriver, openSqlite, type QuietLoader } from '../../../src/embedded/store/sqlite.ts'
import { openWorkspace } from '../../../src/embedded/workspace.ts'
import { testNow } from '../../helpers/host.ts'
import { tempDir } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const quietly = <T>(load: () => Promise<T>) => load()
const agree = async () => {}
type Machine = { now(): number; quietly: QuietLoader }

async function createUser(dir: string, userId: string): Promise<void> {
  const workspace = await openWorkspace({ dir, host: { now: () => testNow, quietly } })
  const answer = await workspace.service({
    method: 'POST',
    url: '/v1/users',
    headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: userId }),
  })
  workspace.close()
  expect(answer.status).toBe(200)
}

async function readUsers(dir: string): Promise<unknown[]> {
  const db = await openSqlite(join(dir, 'workspace.db'), quietly)
  expect(db.prepare('PRAGMA integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }])
  const rows = db.prepare('SELECT user_id FROM users').all()
  db.close()
  return rows.map((row) => (row as { user_id: string }).user_id)
}

/** Simulates a full disk from the n-th `exec` or `prepare` on, except for ROLLBACK. */
async function failAt(nth: number) {
  const open = await loadDriver(quietly)
  let count = 0
  let failed = false
  const step = <T>(work: () => T): T => {
    if (++count < nth) return work()
    failed = true
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  const wrap = (sqlite: Driver): Driver => ({
    exec: (sql) => (sql === 'ROLLBACK' ? sqlite.exec(sql) : step(() => sqlite.exec(sql))),
    prepare: (sql) => step(() => sqlite.prepare(sql)),
    close: () => sqlite.close(),
  })
  const DatabaseSync = new Proxy(class {}, {
    construct: (_, [path, { readOnly }]) => wrap(open(path, readOnly)),
  })
  return {
    machine: { now: () => testNow, quietly: async <T>() => ({ DatabaseSync }) as T },
    failed: () => failed,
  }
}

async function prepare() {
  const dir = tempDir()
  const backup = join(dir, 'old.db')
  await createUser(dir, 'old')
  await backUp({ dir, path: backup, overwrite: false, machine: { quietly } })
  await reset({ dir, machine: { now: () => testNow, quietly } }, agree)
  await createUser(dir, 'new')
  return { dir, backup }
}

test.each<[string, (dir: string, backup: string, machine: Machine) => Promise<unknown>, string[]]>([
  ['restore', (dir, backup, machine) => restore({ dir, machine }, backup, agree), ['old']],
  ['reset', (dir, _backup, machine) => reset({ dir, machine }, agree), []],
])(
  'a %s that fails at an SQL statement does not change the local workspace',
  async (_name, replace, users) => {
    const { dir, backup } = await prepare()
    for (let nth = 1; ; nth += sized(19, 3)) {
      const disk = await failAt(nth)
      const isDone = await replace(dir, backup, disk.machine).then(
        () => true,
        () => false,
      )
      if (isDone && !disk.failed()) {
        expect(nth).toBeGreaterThan(30)
        break
      }
      expect(await readUsers(dir)).toEqual(['new'])
    }
    expect(await readUsers(dir)).toEqual(users)
  },
)
