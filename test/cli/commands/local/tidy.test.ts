import {
  chmodSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSqlite } from '../../../../src/embedded/store/sqlite.ts'
import { createWorld, type World } from '../../../helpers/world.ts'

async function worldWithCopies() {
  const world = await createWorld()
  await world.run('--local rooms create --name Plan --type open')
  for (let i = 0; i < 3; i++) expect(await world.run('local reset --yes')).toMatchObject({ code: 0 })
  writeFileSync(join(world.dir, 'data/backups/mine.db'), 'x')
  return world
}

const copies = (world: World) => readdirSync(join(world.dir, 'data/backups')).sort()

describe('local tidy', () => {
  test('local tidy deletes all saved copies except the newest', async () => {
    const world = await worldWithCopies()
    const run = await world.run('local tidy --yes --json')
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(run.stdout)).toMatchObject({ workspace: join(world.dir, 'data'), deleted: 2 })
    expect(copies(world)).toEqual(['before-reset-2026-01-02T030405-3.db', 'mine.db'])
    expect(JSON.parse((await world.run('local tidy --keep 0 --yes --json')).stdout).deleted).toBe(1)
    expect(copies(world)).toEqual(['mine.db'])
  })

  test('local tidy keeps all saved copies without confirmation', async () => {
    const world = await worldWithCopies()
    expect(await world.run('local tidy')).toMatchObject({ code: 10, stdout: '' })
    const { host, done } = world.start(['local', 'tidy'], { tty: true, columns: 400 })
    setImmediate(() => host.type('n\n'))
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(stderr).toMatch(/Delete 2 saved copies \(\d+ KB\) of the local workspace in .*data\?/)
    expect(copies(world)).toHaveLength(4)
  })

  test('local tidy exits 0 without confirmation if no saved copy exists', async () => {
    const world = await createWorld()
    expect(await world.run('local tidy --json')).toMatchObject({ code: 0 })
    expect(existsSync(join(world.dir, 'data'))).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('doctor --local', () => {
  async function examine(world: World) {
    const { code, stdout } = await world.run('doctor --local --json')
    const { checks } = JSON.parse(stdout) as {
      checks: { check: string; status: string; message: string; hint: string | null }[]
    }
    return { code, of: (name: string) => checks.find(({ check }) => check === name) }
  }
  const data = (world: World, name: string) => join(world.dir, 'data', name)

  test('doctor --local suggests local tidy if the workspace has saved copies', async () => {
    const world = await worldWithCopies()
    const { of } = await examine(world)
    for (const name of ['directory', 'key', 'database', 'space', 'workspace'])
      expect(of(name), name).toMatchObject({ status: 'ok', hint: null })
    expect(of('backups')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^3 saved copies, \d+ KB$/),
      hint: expect.stringMatching(/^delete old ones with: meetroom local tidy --data-dir \S+$/),
    })
  })

  test.each<[string, string, (world: World) => unknown, string | RegExp, string | RegExp]>([
    [
      'a world-writable directory',
      'directory',
      (w) => chmodSync(data(w, ''), 0o777),
      /can write to .* \(mode 0777\)$/,
      /^run: chmod go-w \S+$/,
    ],
    [
      'a world-readable key',
      'key',
      (w) => chmodSync(data(w, 'api-key'), 0o644),
      /have access to .* \(mode 0644\)$/,
      /^run: chmod go= \S*api-key$/,
    ],
    [
      'an empty key file',
      'key',
      (w) => truncateSync(data(w, 'api-key')),
      /is empty$/,
      'create a new key with: meetroom rooms list --local',
    ],
    [
      'a missing key',
      'key',
      (w) => rmSync(data(w, 'api-key')),
      /does not exist$/,
      'create the key with: meetroom rooms list --local',
    ],
    [
      'a symbolic link in place of the key',
      'key',
      (w) => {
        rmSync(data(w, 'api-key'))
        symlinkSync('/dev/zero', data(w, 'api-key'))
      },
      /is not a regular file$/,
      /^run: mv \S*api-key \S*api-key\.old$/,
    ],
    [
      'a group-readable database',
      'database',
      (w) => chmodSync(data(w, 'workspace.db'), 0o640),
      /have access to/,
      /^run: chmod go= \S*workspace\.db$/,
    ],
    [
      'a damaged database',
      'database',
      (w) => {
        for (const end of ['-wal', '-shm']) rmSync(data(w, `workspace.db${end}`), { force: true })
        writeFileSync(data(w, 'workspace.db'), 'x'.repeat(8192), { mode: 0o600 })
      },
      'the workspace is damaged',
      /^restore a backup with: meetroom local restore .*before-reset-2026-01-02T030405-3\.db --data-dir \S+$/,
    ],
  ])('doctor --local reports %s', async (_name, check, spoil, message, hint) => {
    const world = await worldWithCopies()
    await spoil(world)
    const before = readdirSync(join(world.dir, 'data'))
    const { code, of } = await examine(world)
    expect(code).toBe(1)
    const found = of(check)
    expect(found?.status).toBe('failed')
    expect(found?.message).toMatch(message)
    expect(found?.hint).toMatch(hint)
    expect(readdirSync(join(world.dir, 'data')).filter((name) => !/-(shm|wal)$/.test(name))).toEqual(
      before.filter((name) => !/-(shm|wal)$/.test(name)),
    )
  })

  test('doctor --local reports a changed schema and suggests local restore', async () => {
    const world = await worldWithCopies()
    const db = await openSqlite(data(world, 'workspace.db'), (load) => load())
    db.exec('CREATE VIEW v AS SELECT 1')
    db.close()
    const { of } = await examine(world)
    expect(of('database')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('has the view v, which meetroom does not create'),
      hint: expect.stringContaining('meetroom local restore'),
    })
    expect(statSync(data(world, 'workspace.db')).size).toBeGreaterThan(0)
  })
})

test('local tidy exits 2 if the data directory is a file', async () => {
  const world = await createWorld()
  writeFileSync(join(world.dir, 'file.csv'), '')
  expect(await world.run('local tidy --data-dir file.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('backups cannot be read: a part of the path is not a directory\n'),
  })
})
