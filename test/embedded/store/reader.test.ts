import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasUnindexed, indexEmails } from '../../../src/embedded/store/emails.ts'
import { JsonQuery } from '../../../src/embedded/store/json-query.ts'
import { Reader } from '../../../src/embedded/store/reader.ts'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

// What takes long is read in another thread where the workspace is on disk, and in turns where it is in memory: the two
// answer the same.

const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)'

async function both(fill: (workspace: TestWorkspace) => Promise<unknown>): Promise<TestWorkspace[]> {
  const workspaces = [await openTestWorkspace(tempDir()), await openTestWorkspace()]
  for (const workspace of workspaces) await fill(workspace)
  return workspaces
}

async function sameAnswers(workspaces: TestWorkspace[], path: string) {
  const [onDisk, inMemory] = await Promise.all(workspaces.map(({ send }) => send('GET', path)))
  expect(onDisk).toEqual(inMemory)
  return onDisk?.body
}

test('a search among many users has the same result in another thread', async () => {
  const workspaces = await both(({ store }) =>
    store.write(() =>
      store.run(
        `${numbers} INSERT INTO users (id, user_id, default_member_type, email, access_token, created_at, updated_at)
         SELECT 'i' || i, 'u' || i, 'guest', 'User' || i || '@example.com', 't' || i, i, i FROM n`,
        60_000,
      ),
    ),
  )
  for (const indexed of [false, true]) {
    for (const [text, total] of [
      ['example.com', 60_000],
      ['om', 60_000],
      ['USER59999', 1],
      ['user5999', 11],
      ['nobody', 0],
    ] as const)
      for (const page of ['', '&limit=3&offset=7']) {
        const body = await sameAnswers(workspaces, `/users?email_search_query=${text}${page}`)
        expect([indexed, text, body?.paging.total]).toEqual([indexed, text, total])
      }
    for (const { store } of workspaces)
      while (hasUnindexed(store)) await store.write(() => indexEmails(store, 20_000))
  }
})

test('a page of members or sessions of a large room is the same from another thread', async () => {
  let id = ''
  const workspaces = await both(async ({ store, send }) => {
    await send('POST', '/rooms', { name: 'Crowded', type: 'open' })
    await store.write(() => {
      id = 'crowded'
      store.run('UPDATE rooms SET id = ?', id)
      store.run(
        `${numbers} INSERT INTO members (id, room_id, user_id, type, created_at, updated_at)
         SELECT 'm' || i, ?, 'u' || i, 'guest', 0, 0 FROM n`,
        21_000,
        id,
      )
      store.run(
        `${numbers} INSERT INTO sessions (id, room_id, member_id, user_id, connected_at, disconnected_at)
         SELECT 's' || i, ?, 'm' || i, 'u' || (i % 2), 0, CASE WHEN i > 100 THEN 1 END FROM n`,
        42_000,
        id,
      )
    })
  })
  for (const [path, total] of [
    ['members', 21_000],
    ['members?limit=1000&offset=20500', 21_000],
    ['sessions?limit=5&offset=41999', 42_000],
    ['sessions?limit=2&user_id=u1&offset=20999', 21_000],
    ['sessions?limit=2&is_connecting=true', 100],
  ] as const) {
    const body = await sameAnswers(workspaces, `/rooms/${id}/${path}`)
    expect([path, body?.paging.total]).toEqual([path, total])
  }
})

test('a finished write is visible in another thread', async () => {
  const { store } = await openTestWorkspace(tempDir())
  const names = () => store.elsewhere?.all('SELECT name FROM users')
  expect(await names()).toEqual([])
  await store.write(() => {
    store.run(
      `INSERT INTO users (id, user_id, name, default_member_type, access_token, created_at, updated_at)
       VALUES ('i', 'u', 'Ada', 'guest', 't', 0, 0)`,
    )
  })
  expect(await names()).toEqual([{ name: 'Ada' }])
})

test('an SQLite error in another thread keeps its code, and the next request succeeds', async () => {
  const { store } = await openTestWorkspace(tempDir())
  const reader = store.elsewhere
  const failed = reader?.all('SELECT * FROM nothing')
  const written = reader?.all('DELETE FROM users')
  const next = reader?.one('SELECT 1 AS one')
  await expect(failed).rejects.toMatchObject({ code: expect.stringMatching(/SQLITE_/) })
  await expect(written).rejects.toMatchObject({ code: expect.stringMatching(/SQLITE_/) })
  expect(await next).toEqual({ one: 1 })
})

test('a request to another thread is rejected if the workspace is closed', async () => {
  const { store, close } = await openTestWorkspace(tempDir())
  const waits = store.elsewhere?.all('SELECT 1')
  close()
  await expect(waits).rejects.toThrow('the workspace is closed')
})

test('a thread that cannot open the database rejects its requests, and the next request starts another thread', async () => {
  const dir = tempDir()
  const file = join(dir, 'missing', 'workspace.db')
  const reader = new Reader(file, (sql) => new JsonQuery(sql, ['count']))
  onTestFinished(() => reader.close())
  await expect(reader.all('SELECT 1')).rejects.toThrow()
  await openTestWorkspace(join(dir, 'missing'))
  expect(await reader.one('SELECT count(*) AS count FROM users')).toEqual({ count: 0 })
})
