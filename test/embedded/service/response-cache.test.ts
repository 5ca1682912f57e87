import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { serveWorkspace } from '../../helpers/live.ts'
import { localUrl, openTestWorkspace, wireRequest } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

async function workspaceWithRoom(dir = tempDir()) {
  const workspace = await openTestWorkspace(dir)
  const { id } = (await workspace.send('POST', '/rooms', { name: 'before', type: 'open' })).body.room
  const ask = (path: string, key = workspace.apiKey) =>
    workspace.service(wireRequest(localUrl, key, { method: 'GET', path }))
  return { ...workspace, id, ask }
}

test('a page of a list is serialized once while the data is unchanged', async () => {
  const { ask, send, id } = await workspaceWithRoom()
  const page = await ask('/rooms')
  expect(await ask('/rooms')).toBe(page)
  expect(await ask('/rooms?limit=1')).not.toBe(page)
  expect(await ask('/rooms')).toBe(page)
  await send('PUT', `/rooms/${id}`, { name: 'after' })
  expect((await send('GET', '/rooms')).body.rooms[0]?.['name']).toBe('after')
})

test('a page of a list is serialized again after a change by another process', async () => {
  const dir = tempDir()
  const { ask, send } = await workspaceWithRoom(dir)
  await ask('/rooms')
  const other = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  onTestFinished(() => other.close())
  other.exec(`UPDATE rooms SET name = 'after'`)
  expect((await send('GET', '/rooms')).body.rooms[0]?.['name']).toBe('after')
})

test('a page of a list that is cached during a pending write is replaced after the write', async () => {
  const { ask, send, store } = await workspaceWithRoom()
  const write = store.write(() => store.run(`UPDATE rooms SET name = 'after'`))
  await ask('/rooms')
  await write
  expect((await send('GET', '/rooms')).body.rooms[0]?.['name']).toBe('after')
})

test('a request for a cached page with a wrong key is refused', async () => {
  const { ask } = await workspaceWithRoom()
  await ask('/rooms')
  expect((await ask('/rooms', 'wrong')).status).toBe(400)
})

test('the meeting time of a cached list advances during a meeting', async () => {
  const served = await serveWorkspace({ dir: tempDir() })
  const room = await served.room()
  await served.join(room)
  await served.join(room)
  const time = async () => (await served.ask('GET', '/rooms')).rooms[0].meeting_time
  expect(await time()).toBe(0)
  served.machine.advance(2000)
  expect(await time()).toBe(2)
})
