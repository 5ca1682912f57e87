import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockWorkspace } from '../../../../src/embedded/running-server.ts'
import { migrations } from '../../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../../src/embedded/store/sqlite.ts'
import { createWorld, type World } from '../../../helpers/world.ts'

const quietly = <T>(load: () => Promise<T>) => load()

async function createWorldWithBackup() {
  const world = await createWorld()
  files ??= makeFiles(world)
  mkdirSync(join(world.dir, 'data'), { recursive: true, mode: 0o700 })
  for (const [name, content] of await files) writeFileSync(join(world.dir, name), content, { mode: 0o600 })
  return world
}

/** Cached, because six commands create the files. */
let files: Promise<[name: string, content: Buffer][]> | undefined

async function makeFiles(world: World): Promise<[name: string, content: Buffer][]> {
  await create(world, 'Old')
  await world.run('--local users create ada --email ada@example.com')
  await world.run('local backup old.db')
  const { stdout } = await world.run('--local rooms list -o ids')
  await world.run(`--local rooms delete ${stdout.trim()} --yes`)
  await create(world, 'New')
  const names = readdirSync(join(world.dir, 'data')).map((name) => `data/${name}`)
  return ['old.db', ...names]
    .filter((name) => statSync(join(world.dir, name)).isFile())
    .map((name) => [name, readFileSync(join(world.dir, name))])
}

const create = (world: World, name: string) =>
  world.run(['--local', 'rooms', 'create', '--name', name, '--type', 'open'])

async function names(world: World): Promise<string[]> {
  return JSON.parse((await world.run('--local rooms list --json')).stdout).rooms.map(
    ({ name }: { name: string }) => name,
  )
}

const database = (world: World) => join(world.dir, 'data/workspace.db')
const saved = (world: World, name: string) => join(world.dir, 'data/backups', `${name}-2026-01-02T030405.db`)

test('local restore replaces the local workspace and saves the former contents', async () => {
  const world = await createWorldWithBackup()
  expect(await world.run('local restore old.db --yes')).toMatchObject({
    code: 0,
    stdout: [
      `workspace       ${join(world.dir, 'data')}`,
      `backup          ${join(world.dir, 'old.db')}`,
      `saved           ${saved(world, 'before-restore')}`,
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
  expect(await names(world)).toEqual(['Old'])
  expect(statSync(saved(world, 'before-restore')).mode & 0o777).toBe(0o600)
  await world.run(['local', 'restore', saved(world, 'before-restore'), '--yes'])
  expect(await names(world)).toEqual(['New'])
})

test('local restore keeps the API key of the local workspace', async () => {
  const world = await createWorldWithBackup()
  const key = readFileSync(join(world.dir, 'data/api-key'), 'utf8')
  await world.run('local restore old.db --yes')
  await create(world, 'Later')
  expect(await names(world)).toEqual(['Later', 'Old'])
  expect((await world.run('--local users list --email example -o ids')).stdout).toBe('ada\n')
  expect(readFileSync(join(world.dir, 'data/api-key'), 'utf8')).toBe(key)
})

test('local restore creates a missing workspace without confirmation', async () => {
  const world = await createWorldWithBackup()
  rmSync(join(world.dir, 'data'), { recursive: true })
  const run = await world.run('local restore old.db --json')
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(run.stdout)).toMatchObject({ saved: null, rooms: 1 })
  expect(await names(world)).toEqual(['Old'])
})

test('local reset empties the workspace and saves the former contents', async () => {
  const world = await createWorldWithBackup()
  expect(await world.run('local reset --yes')).toMatchObject({
    code: 0,
    stdout: `workspace  ${join(world.dir, 'data')}\nsaved      ${saved(world, 'before-reset')}\n`,
    stderr: '',
  })
  expect(await names(world)).toEqual([])
  expect((await world.run('--local users list -o ids')).stdout).toBe('')
  await world.run(['local', 'restore', saved(world, 'before-reset'), '--yes'])
  expect(await names(world)).toEqual(['New'])
})

test('two runs of local reset in the same second save two files', async () => {
  const world = await createWorldWithBackup()
  await world.run('local reset --yes')
  await world.run('local reset --yes')
  expect(readdirSync(join(world.dir, 'data/backups'))).toEqual([
    'before-reset-2026-01-02T030405-2.db',
    'before-reset-2026-01-02T030405.db',
  ])
})

describe.each([
  [
    'local restore old.db',
    'restoring a backup',
    (world: World) =>
      `Replace the local workspace in ${join(world.dir, 'data')} with ${join(world.dir, 'old.db')} (1 room, 1 user, 0 sessions)?`,
  ],
  [
    'local reset',
    'emptying the local workspace',
    (world: World) =>
      `Delete everything in the local workspace in ${join(world.dir, 'data')} (1 room, 1 user, 0 sessions)?`,
  ],
])('%s', (line, activity, question) => {
  test(`${line} exits 10 without a terminal or --yes`, async () => {
    const world = await createWorldWithBackup()
    expect(await world.run(line)).toMatchObject({
      code: 10,
      stdout: '',
      stderr: `error: ${activity} needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n`,
    })
    expect(await names(world)).toEqual(['New'])
    expect(existsSync(join(world.dir, 'data/backups'))).toBe(false)
  })

  test(`${line} keeps the workspace if the confirmation is declined`, async () => {
    const world = await createWorldWithBackup()
    const { host, done } = world.start(line.split(' '), { tty: true, columns: 400 })
    setImmediate(() => host.type('n\n'))
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(stderr).toContain(question(world))
    expect(await names(world)).toEqual(['New'])
  })

  test(`${line} exits 2 while a service uses the workspace`, async () => {
    const world = await createWorldWithBackup()
    const lock = await lockWorkspace(join(world.dir, 'data'), { quietly })
    onTestFinished(() => lock.release())
    lock.publish({ pid: 42, base_url: 'http://127.0.0.1:4680/v1', api_key_file: 'none' })
    expect(await world.run(`${line} --yes`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: the data directory ${join(world.dir, 'data')} is already served at http://127.0.0.1:4680/v1 by process 42\nhint: stop the service, then retry\n`,
    })
  })

  test(`${line} changes a protected workspace only with --allow-write`, async () => {
    const world = await createWorldWithBackup()
    await world.run('profiles protect local')
    expect(await world.run(`${line} --yes`)).toMatchObject({
      code: 2,
      stderr:
        'error: the profile local is protected against changes\nhint: pass --allow-write to make the change anyway\n',
    })
    expect(await world.run(`${line} --yes --allow-write`)).toMatchObject({ code: 0 })
  })

  test.each([
    ['exits 2 for a profile with the protected data directory', 'data', ''],
    ['exits 2 for --data-dir with the protected data directory', 'other', ' --data-dir data'],
    ['exits 0 for a profile with an unprotected data directory', 'other', undefined],
  ])(`${line} %s`, async (_, dir, flag) => {
    const world = await createWorldWithBackup()
    const env = { MEETROOM_BASE_URL: undefined, MEETROOM_API_KEY: undefined }
    cpSync(join(world.dir, 'data'), join(world.dir, 'other'), { recursive: true })
    const origin = 'http://127.0.0.1:4680'
    const served = { base_url: `${origin}/v1`, api_key_origin: origin, data_dir: join(world.dir, dir) }
    mkdirSync(world.configDir, { recursive: true })
    writeFileSync(
      join(world.configDir, 'config.json'),
      JSON.stringify({ profiles: { local: { protected: true }, served } }),
      { mode: 0o600 },
    )
    const { code, stderr } = await world.run(`${line} --yes --profile served${flag ?? ''}`, { env })
    expect(stderr).toMatch(flag === undefined ? /^saved|^$/ : /^error: the profile local is protected/)
    expect({ code, rooms: await names(world) }).toEqual({
      code: flag === undefined ? 0 : 2,
      rooms: ['New'],
    })
  })

  test(`${line} exits 74 and keeps a damaged workspace`, async () => {
    const world = await createWorldWithBackup()
    for (const end of ['-wal', '-shm']) rmSync(`${database(world)}${end}`, { force: true })
    writeFileSync(database(world), 'x'.repeat(8192))
    const run = await world.run(`${line} --yes`)
    expect(run).toMatchObject({ code: 74, stdout: '' })
    expect(run.stderr).toContain('is unchanged: the workspace is damaged\nhint: move ')
    expect(readFileSync(database(world), 'utf8')).toBe('x'.repeat(8192))
  })
})

describe('errors of local restore', () => {
  test.each<[string, (path: string) => unknown, RegExp]>([
    ['a missing file', (path) => rmSync(path), /old\.db cannot be read: no such file\n$/],
    [
      'a directory',
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
      /old\.db cannot be read: it is a directory\n$/,
    ],
    ['an empty file', (path) => writeFileSync(path, ''), /old\.db is not a backup of a workspace\n/],
    ['a CSV file', (path) => writeFileSync(path, 'name,type\n'), /is not a backup of a workspace\n/],
    [
      'a database of another program',
      (path) => rewrite(path, (exec) => exec('DROP TABLE rooms')),
      /is not a backup of a workspace: it has no table rooms\n/,
    ],
    [
      'a backup of a newer version',
      (path) => rewrite(path, (exec) => exec(`PRAGMA user_version = ${migrations.length + 1}`)),
      /old\.db was written by a newer version of meetroom\nhint: update meetroom\n$/,
    ],
    [
      'a truncated backup',
      (path) => writeFileSync(path, readFileSync(path).subarray(0, 40_960)),
      /the backup .*old\.db is damaged\n$/,
    ],
    [
      'a damaged backup',
      (path) => writeFileSync(path, readFileSync(path).fill(0x55, 4096)),
      /the backup .*old\.db is damaged\n$/,
    ],
  ])('local restore exits 2 for %s', async (_name, spoil, message) => {
    const world = await createWorldWithBackup()
    await spoil(join(world.dir, 'old.db'))
    const run = await world.run('local restore old.db --yes')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(message)
    expect(await names(world)).toEqual(['New'])
  })

  test('local restore rejects the workspace database as a backup', async () => {
    const world = await createWorldWithBackup()
    expect(await world.run(['local', 'restore', database(world), '--yes'])).toMatchObject({
      code: 2,
      stderr: `error: ${database(world)} is the database of the local workspace\nhint: pass a backup\n`,
    })
  })
})

async function rewrite(path: string, work: (exec: (sql: string) => void) => void): Promise<void> {
  const db = await openSqlite(path, quietly)
  work((sql) => void db.exec(sql))
  db.close()
}
