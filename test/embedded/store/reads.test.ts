import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Served, serveWorkspace } from '../../helpers/live.ts'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

const names = async ({ send }: TestWorkspace) =>
  (await send('GET', '/rooms')).body.rooms.map(({ name }) => name)

function rename({ store }: TestWorkspace, name: string) {
  let onDisk = false
  const done = store
    .write(() => store.run('UPDATE rooms SET name = ?', name))
    .then(() => {
      onDisk = true
    })
  return { done, isOnDisk: () => onDisk }
}

test('a read returns the data of a write only after the write is on disk', async () => {
  const workspace = await openTestWorkspace(tempDir())
  await workspace.send('POST', '/rooms', { name: 'before', type: 'open' })
  for (const [before, after] of [
    ['before', 'after'],
    ['after', 'later'],
  ] as const) {
    const { done, isOnDisk } = rename(workspace, after)
    expect(await names(workspace)).toEqual([before])
    expect(isOnDisk()).toBe(false)
    await done
    expect(await names(workspace)).toEqual([after])
  }
})

test('a write reads the uncommitted changes of earlier writes in the same commit', async () => {
  const { send } = await openTestWorkspace(tempDir())
  const user = { user_id: 'ada' }
  const [made, renamed, again] = await Promise.all([
    send('POST', '/users', user),
    send('PUT', '/users/ada', { name: 'Ada' }),
    send('POST', '/users', user),
  ])
  expect([made.status, renamed.status, again.status]).toEqual([200, 200, 200])
  expect(renamed.body.user['access_token']).toBe(made.body.user['access_token'])
})

test('a read of an in-memory database waits for the pending commit', async () => {
  const workspace = await openTestWorkspace()
  await workspace.send('POST', '/rooms', { name: 'before', type: 'open' })
  const { done, isOnDisk } = rename(workspace, 'after')
  expect(await names(workspace)).toEqual(['after'])
  expect(isOnDisk()).toBe(true)
  await done
})

test('meeting_time is unchanged while the end of a meeting waits for the disk', async () => {
  const served: Served = await serveWorkspace({ dir: tempDir() })
  const room = await served.room()
  await served.join(room)
  await served.join(room)
  await served.advance(8000)
  let over = false
  const end = served.ask('PUT', `/rooms/${room}`, { is_terminated: true }).then(() => {
    over = true
  })
  while (!over) {
    expect((await served.getRoom(room)).meeting_time).toBe(8)
    await setImmediate()
  }
  await end
  expect((await served.getRoom(room)).meeting_time).toBe(8)
})
