import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../../src/embedded/http/server.ts'
import { soon } from '../../helpers/waiting.ts'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function createLargeRoom({ store, send }: TestWorkspace, count = 3000): Promise<string> {
  const { id } = (await send('POST', '/rooms', { name: 'Large', type: 'open' })).body.room
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)'
  await store.write(() => {
    store.run(
      `${numbers} INSERT INTO members (id, room_id, user_id, type, created_at, updated_at)
       SELECT 'm' || i, ?, 'u' || i, 'guest', 0, 0 FROM n`,
      count,
      id,
    )
    store.run(
      `${numbers} INSERT INTO sessions (id, room_id, member_id, user_id, connected_at)
       SELECT 's' || i, ?, 'm' || i, 'u' || i, 0 FROM n`,
      count,
      id,
    )
  })
  return id
}

/** Counts the stored members, the sessions, and the unfinished deletions. */
function countStored({ store }: TestWorkspace): number[] {
  return ['members', 'sessions', 'sweeps'].map((table) => store.all(`SELECT * FROM ${table}`).length)
}

async function waitForSweep(workspace: TestWorkspace): Promise<void> {
  while (countStored(workspace).some((count) => count > 0)) await turn()
}

test('a deleted room with many records is hidden before its records are deleted', async () => {
  const workspace = await openTestWorkspace(tempDir())
  const id = await createLargeRoom(workspace)
  expect((await workspace.send('DELETE', `/rooms/${id}`)).status).toBe(200)
  for (const path of ['', '/members', '/members/m1', '/sessions', '/sessions?limit=1'])
    expect((await workspace.send('GET', `/rooms/${id}${path}`)).body.error.code).toBe('not_found')
  expect((await workspace.send('GET', '/rooms')).body.paging.total).toBe(0)
  await soon('the sweep', waitForSweep(workspace))
})

test('an interrupted cascading deletion resumes when the workspace is reopened', async () => {
  const dir = tempDir()
  const first = await openTestWorkspace(dir)
  const id = await createLargeRoom(first)
  const stays = await first.send('POST', '/rooms', { name: 'Stays', type: 'open' })
  await first.send('DELETE', `/rooms/${id}`)
  expect(countStored(first)).toEqual([3000, 2500, 1])
  first.close()
  const second = await openTestWorkspace(dir)
  await soon('the sweep', waitForSweep(second))
  expect((await second.send('GET', '/rooms')).body.rooms).toEqual([stays.body.room])
})

describe('a user with many memberships', () => {
  async function createBusyUser({ store, send }: TestWorkspace): Promise<string> {
    await send('POST', '/users', { user_id: 'ada' })
    const { id } = (await send('POST', '/rooms', { name: 'Last', type: 'open' })).body.room
    await store.write(() =>
      store.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO members (id, room_id, user_id, type, created_at, updated_at)
         SELECT 'm' || i, CASE i WHEN 3000 THEN ? ELSE 'r' || i END, 'ada', 'guest', 0, 0 FROM n`,
        id,
      ),
    )
    return id
  }

  test('a deleted user with many memberships is hidden before the memberships are deleted', async () => {
    const workspace = await openTestWorkspace(tempDir())
    const { send } = workspace
    const room = await createBusyUser(workspace)
    await send('POST', '/users', { user_id: 'grace' })
    const { member } = (await send('POST', `/rooms/${room}/members`, { user_id: 'grace' })).body
    await send('DELETE', '/users/ada')
    expect(countStored(workspace)).toEqual([2501, 0, 1])
    expect((await send('GET', `/rooms/${room}/members`)).body).toEqual({
      members: [member],
      paging: { limit: 30, offset: 0, total: 1 },
    })
    expect((await send('GET', `/rooms/${room}/members/m3000`)).body.error.code).toBe('not_found')
    await send('DELETE', `/rooms/${room}`)
    await soon('the sweep', waitForSweep(workspace))
  })

  test('a user who is deleted and created again has no earlier memberships', async () => {
    const workspace = await openTestWorkspace(tempDir())
    const { send } = workspace
    const room = await createBusyUser(workspace)
    await Promise.all([send('DELETE', '/users/ada'), send('POST', '/users', { user_id: 'ada' })])
    expect(countStored(workspace)).toEqual([0, 0, 0])
    expect((await send('POST', `/rooms/${room}/members`, { user_id: 'ada', type: 'host' })).status).toBe(200)
    expect((await send('GET', `/rooms/${room}/members`)).body.paging.total).toBe(1)
  })
})

test('a rolled-back deletion keeps the dependent records', async () => {
  const workspace = await openTestWorkspace(tempDir())
  const { store, cascadeDeleter } = workspace
  await createLargeRoom(workspace)
  const before = countStored(workspace)
  const failing = async () =>
    store.write(() => {
      const { id } = store.one<{ id: string }>('SELECT id FROM rooms') ?? { id: '' }
      store.run('DELETE FROM rooms')
      cascadeDeleter.sweep('room', id)
      throw new Error('no')
    })
  await expect(failing()).rejects.toThrow('no')
  await turn()
  await turn()
  expect(countStored(workspace)).toEqual(before)
})

test('GET /rooms/{id}/sessions returns the full list of 3,000 sessions over HTTP', async () => {
  const workspace = await openTestWorkspace(tempDir())
  const id = await createLargeRoom(workspace)
  const server = await serveHttp(workspace.service, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  const answer = await fetch(`${server.url}/v1/rooms/${id}/sessions`, { headers })
  const text = await answer.text()
  expect(Number(answer.headers.get('content-length'))).toBe(text.length)
  const ids = (sessions: { id: string }[]) => sessions.map(({ id }) => id)
  const { body } = await workspace.send('GET', `/rooms/${id}/sessions`)
  expect(ids(JSON.parse(text).sessions)).toEqual(ids(body.sessions))
})
