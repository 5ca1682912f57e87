import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../../src/embedded/store/sqlite.ts'
import { createWorld, type World } from '../../../helpers/world.ts'

async function worldWithRoom() {
  const world = await createWorld()
  await world.run(['--local', 'rooms', 'create', '--name', 'Kept', '--type', 'open'])
  await world.run('--local users create ada')
  return world
}

const backUp = (world: World, ...rest: string[]) => world.run(['local', 'backup', 'copy.db', ...rest])

async function namesIn(path: string): Promise<unknown[]> {
  const db = await openSqlite(path, (load) => load())
  try {
    return db
      .prepare('SELECT name FROM rooms')
      .all()
      .map((row) => (row as { name: string }).name)
  } finally {
    db.close()
  }
}

test('local backup writes an owner-only copy of the local workspace', async () => {
  const world = await worldWithRoom()
  const path = join(world.dir, 'copy.db')
  const run = await backUp(world)
  expect(run).toMatchObject({
    code: 0,
    stdout: [
      `workspace       ${join(world.dir, 'data')}`,
      `path            ${path}`,
      `bytes           ${statSync(path).size}`,
      `schema_version  ${migrations.length}`,
      'rooms           1',
      'users           1',
      'members         0',
      'sessions        0',
      'pages           0',
      '',
    ].join('\n'),
    stderr: '',
  })
  expect(await namesIn(path)).toEqual(['Kept'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(world.dir).filter((name) => name.startsWith('copy'))).toEqual(['copy.db'])
})

test('local backup creates no file in the data directory', async () => {
  const world = await worldWithRoom()
  const filesBefore = readdirSync(join(world.dir, 'data'))
  await backUp(world)
  expect(readdirSync(join(world.dir, 'data'))).toEqual(filesBefore)
  expect((await world.run('--local rooms list -o ids')).stdout).toMatch(/^\w{24}\n$/)
})

test('local backup overwrites an existing file only with --overwrite', async () => {
  const world = await worldWithRoom()
  const path = join(world.dir, 'copy.db')
  writeFileSync(path, 'precious')
  expect(await backUp(world)).toMatchObject({
    code: 2,
    stderr: `error: ${path} already exists\nhint: pass a new file, or --overwrite\n`,
  })
  expect(readFileSync(path, 'utf8')).toBe('precious')
  expect(await backUp(world, '--overwrite')).toMatchObject({ code: 0 })
  expect(await namesIn(path)).toEqual(['Kept'])
})

test('local backup --overwrite keeps the mode of the replaced file', async () => {
  const world = await worldWithRoom()
  const path = join(world.dir, 'copy.db')
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  expect(await backUp(world, '--overwrite')).toMatchObject({ code: 0 })
  expect(statSync(path).mode & 0o777).toBe(0o644)
})

test('local backup exits 2 if the target is a dangling symbolic link', async () => {
  const world = await worldWithRoom()
  symlinkSync(join(world.dir, 'elsewhere'), join(world.dir, 'copy.db'))
  expect(await backUp(world)).toMatchObject({ code: 2 })
  expect(existsSync(join(world.dir, 'elsewhere'))).toBe(false)
})

describe('errors of local backup', () => {
  test('local backup exits 2 if the local workspace does not exist', async () => {
    const world = await createWorld()
    const data = join(world.dir, 'data')
    expect(await backUp(world)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: there is no local workspace in ${data}\nhint: name the directory of a workspace with --data-dir or MEETROOM_DATA_DIR\n`,
    })
    expect(existsSync(data)).toBe(false)
  })

  test('local backup exits 74 for a file in a missing directory', async () => {
    const world = await worldWithRoom()
    expect(await world.run('local backup missing/copy.db')).toMatchObject({
      code: 74,
      stdout: '',
      stderr: `error: the backup ${join(world.dir, 'missing/copy.db')} cannot be written: no such directory\n`,
    })
  })

  test('local backup exits 74 for a damaged workspace', async () => {
    const world = await worldWithRoom()
    const database = join(world.dir, 'data/workspace.db')
    for (const file of [`${database}-wal`, `${database}-shm`]) rmSync(file, { force: true })
    writeFileSync(database, 'x'.repeat(8192))
    expect(await backUp(world)).toMatchObject({
      code: 74,
      stdout: '',
      stderr: `error: the backup ${join(world.dir, 'copy.db')} cannot be written: the workspace is damaged\n`,
    })
    expect(readdirSync(world.dir).filter((name) => name.startsWith('copy'))).toEqual([])
  })
})

test('local backup --overwrite refuses to overwrite the workspace database', async () => {
  const world = await worldWithRoom()
  const database = join(world.dir, 'data/workspace.db')
  expect(await world.run(['local', 'backup', database, '--overwrite'])).toMatchObject({
    code: 2,
    stderr: `error: ${database} is the database of the local workspace\nhint: pass another file\n`,
  })
})

test('local backup --data-dir saves the workspace in that directory, and exits 2 if there is none', async () => {
  const world = await worldWithRoom()
  const none = join(world.dir, 'none')
  const env = { MEETROOM_DATA_DIR: none }
  expect(await world.run('local backup copy.db --data-dir data', { env })).toMatchObject({ code: 0 })
  expect(await namesIn(join(world.dir, 'copy.db'))).toEqual(['Kept'])
  expect(await backUp(world, '--data-dir', 'none')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(`^error: there is no local workspace in ${none}\n`),
  })
})
