import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getDatabasePath } from '../../../src/embedded/database-path.ts'
import { createHandlerContext, createService } from '../../../src/embedded/service/service.ts'
import { loadSqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { runBuilt } from '../../helpers/built.ts'
import { homes, joinRoom, runServe } from '../../helpers/run-serve.ts'
import { startServe } from '../../helpers/serving.ts'
import { fillDisk, mountDisk } from '../../helpers/small-disk.ts'
import { decodeBody, localUrl, wireRequest } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

const diskFull = { error: { code: 'storage', message: 'the disk is full' } }
const pageBytes = 4096
const large = { name: 'x'.repeat(1_000_000), type: 'open' }

// Beyond the size that `limitPages` sets, SQLite behaves as on a full disk.
async function openServiceOnFile(path = join(tempDir(), 'workspace.db')) {
  const open = await loadSqlite((load) => load())
  const db = open(path)
  const store = new Store(db, { path, open: () => open(path) })
  onTestFinished(() => store.close())
  const service = createService(createHandlerContext({ store, now: Date.now }), 'key')
  const send = async (method: string, url: string, body?: object) => {
    const answer = await service(wireRequest(localUrl, 'key', { method, path: url, body }))
    return { status: answer.status, body: decodeBody(answer) }
  }
  return {
    path,
    send,
    names: async () => (await send('GET', '/rooms')).body.rooms.map(({ name }) => name),
    checkpoint: () => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    limitPages: (count: number) => db.exec(`PRAGMA max_page_count = ${count}`),
  }
}

describe('a full disk', () => {
  test('a full disk causes 503 responses only to writes', async () => {
    const { limitPages, send, names } = await openServiceOnFile()
    await send('POST', '/rooms', { name: 'before', type: 'open' })
    limitPages(50)
    expect(await send('POST', '/rooms', large)).toEqual({ status: 503, body: diskFull })
    expect(await send('POST', '/rooms', large)).toEqual({ status: 503, body: diskFull })
    expect(await names()).toEqual(['before'])
    limitPages(5000)
    expect((await send('POST', '/rooms', { name: 'after', type: 'open' })).status).toBe(200)
    expect(await names()).toEqual(['after', 'before'])
  })

  test('a full disk causes 503 responses to all writes of the rolled-back commit', async () => {
    const { limitPages, send, names } = await openServiceOnFile()
    const { id } = (await send('POST', '/rooms', { name: 'before', type: 'open' })).body.room
    limitPages(50)
    const image = { type: 'Image', src: `https://example.com/${large.name}` }
    const answers = await Promise.all([
      send('POST', '/rooms', { name: 'a', type: 'open' }),
      send('POST', `/rooms/${id}/pages/create_many`, [{ entities: [image] }]),
      send('POST', '/rooms', { name: 'b', type: 'open' }),
    ])
    expect(answers.slice(0, 2)).toEqual(Array(2).fill({ status: 503, body: diskFull }))
    // The third write has its own commit.
    expect(answers[2]?.status).toBe(200)
    expect(await names()).toEqual(['b', 'before'])
  })
})

test('a damaged database page causes 503 responses to reads and writes', async () => {
  const { path, checkpoint, send } = await openServiceOnFile()
  const room = { name: 'x'.repeat(1000), type: 'open' }
  await Promise.all(Array.from({ length: 300 }, () => send('POST', '/rooms', room)))
  checkpoint()
  const file = openSync(path, 'r+')
  const pages = fstatSync(file).size / pageBytes
  // SQLite needs the first pages to open the file.
  for (let page = Math.floor(pages / 2); page < pages; page++)
    writeSync(file, Buffer.alloc(pageBytes, 7), 0, pageBytes, page * pageBytes)
  closeSync(file)

  const damaged = await openServiceOnFile(path)
  const refused = {
    status: 503,
    body: { error: { code: 'storage', message: 'the workspace is damaged' } },
  }
  expect(await damaged.send('GET', '/rooms')).toEqual(refused)
  const writes = await Promise.all([1, 2, 3].map(() => damaged.send('POST', '/rooms', room)))
  expect(writes).toEqual(Array(3).fill(refused))
})

const removals: Readonly<Record<string, (path: string) => void>> = {
  'is deleted': (path) => rmSync(path),
  'is renamed': (path) => renameSync(path, `${path}.old`),
  'is replaced by a copy': (path) => {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  },
  'loses its write-ahead log': (path) => rmSync(`${path}-wal`),
  'has an emptied write-ahead log': (path) => truncateSync(`${path}-wal`),
}

test.each(Object.entries(removals))(
  'serve responds 503 to writes if its database file %s',
  async (_, remove) => {
    const env = homes()
    const { ready, call } = await runServe(['--quiet'], env)
    const create = () => call('POST', '/rooms', { name: 'R', type: 'open' })
    const readiness = async () => (await fetch(new URL('/readyz', ready.base_url))).status
    expect((await create()).status).toBe(200)
    expect(await readiness()).toBe(200)
    remove(getDatabasePath(env.MEETROOM_DATA_DIR))
    expect(await readiness()).toBe(503)
    expect(await create()).toEqual({
      status: 503,
      body: {
        error: {
          code: 'storage',
          message:
            'the database file of the workspace was deleted, replaced or truncated while it was in use',
        },
      },
    })
  },
)

test.each([
  ['a small', { name: 'R', type: 'open' }],
  ['a large', large],
])('%s write after a truncation of the write-ahead log is refused with 503', async (_, room) => {
  const { path, send } = await openServiceOnFile()
  for (let i = 0; i < 3; i++)
    expect((await send('POST', '/rooms', { name: 'R', type: 'open' })).status).toBe(200)
  truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - pageBytes)
  for (let i = 0; i < 2; i++) expect((await send('POST', '/rooms', room)).status).toBe(503)
})

test('serve responds 503 to writes only while the disk is full', async ({ skip }) => {
  const env = homes()
  if (!mountDisk(env.MEETROOM_DATA_DIR)) return skip('mounting a small disk takes more rights')
  const ballast = join(env.MEETROOM_DATA_DIR, 'ballast')
  const { ready, call, child, ended } = await startServe([], env)
  const ask = (method: string, body?: object) => call(method, '/rooms', body)
  const room = { name: 'x'.repeat(20_000), type: 'open' }
  const { id } = (await ask('POST', room)).body.room
  const webSocket = await joinRoom(ready, id)
  fillDisk(ballast)
  expect(await ask('POST', room)).toEqual({ status: 503, body: diskFull })
  expect((await ask('GET')).body.rooms).toHaveLength(1)
  rmSync(ballast)
  expect((await ask('POST', room)).status).toBe(200)
  expect(webSocket.readyState).toBe(webSocket.OPEN)
  child.kill('SIGTERM')
  expect(await ended()).toEqual({ code: 0, signal: null })

  fillDisk(ballast)
  for (const argv of [
    ['--local', 'rooms', 'create', '--name', 'R', '--type', 'open'],
    ['serve', '--port', '0'],
  ]) {
    const { code, stdout, stderr } = await runBuilt(argv, env)
    expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
    expect(stderr).toMatch(/^error: the local workspace in .* cannot be opened: .*\nhint: .*\n$/)
  }
})
