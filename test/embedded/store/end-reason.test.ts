import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { crash, restart, type Served, serveWorkspace } from '../../helpers/live.ts'
import { openTestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

let served: Served
beforeEach(async () => {
  served = await serveWorkspace({ dir: tempDir() })
})

async function readEndReason(room: string, from = served): Promise<unknown> {
  const [session] = await from.untilSessions(room, ([session]) => session.disconnected_at !== null)
  return session.end_reason
}

describe('the end_reason of a session', () => {
  test('the end_reason of a session is “left” after the client closes the connection', async () => {
    const room = await served.room()
    const peer = await served.join(room)
    expect(await served.sessions(room)).toMatchObject([{ disconnected_at: null, end_reason: null }])
    await peer.leave()
    expect(await readEndReason(room)).toBe('left')
  })

  test('the end_reason of a session is “lost” if the connection ends without a close frame', async () => {
    const room = await served.room()
    const peer = await served.join(room)
    peer.vanish()
    expect(await readEndReason(room)).toBe('lost')
  })

  test('the end_reason of a session is “lost” if the client does not respond to pings', async () => {
    const room = await served.room()
    await served.join(room, { silent: true })
    await served.advance(30_000)
    expect(await readEndReason(room)).toBe('lost')
  })

  test('the end_reason of a session is “lost” after a crash of the service', async () => {
    const room = await served.room()
    await served.join(room)
    await served.advance(6000)
    const again = await crash(served)
    expect(await readEndReason(room, again)).toBe('lost')
  })

  test('the end_reason of a session is “kicked” if the member is blocked', async () => {
    const token = await served.user('ada')
    const room = await served.room({ type: 'private' })
    const member = await served.member(room, 'ada')
    await served.join(room, { token })
    await served.ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked: true })
    expect(await readEndReason(room)).toBe('kicked')
    const { sessions, paging } = await served.ask('GET', `/rooms/${room}/sessions?limit=1`)
    expect([sessions, paging.total]).toMatchObject([[{ end_reason: 'kicked' }], 1])
  })

  test('the end_reason of a session is “kicked” if the user is deleted', async () => {
    const token = await served.user('ada')
    const room = await served.room()
    await served.join(room, { token })
    await served.ask('DELETE', '/users/ada')
    expect(await readEndReason(room)).toBe('kicked')
  })

  test('the end_reason of a session is “ended” if the room is terminated or reaches max_meeting_seconds', async () => {
    const room = await served.room()
    await served.join(room)
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    expect(await readEndReason(room)).toBe('ended')
    const limited = await served.room({ max_meeting_seconds: 10 })
    await served.join(limited)
    await served.join(limited)
    await served.advance(10_000)
    expect(await readEndReason(limited)).toBe('ended')
  })

  test('the end_reason of a session is “ended” if the service stops', async () => {
    const room = await served.room()
    await served.join(room)
    const again = await restart(served)
    expect(await readEndReason(room, again)).toBe('ended')
  })
})

test('a session that ended before an upgrade has no end_reason, IP address or user agent', async () => {
  const dir = tempDir()
  const old = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  for (const step of migrations.slice(0, 9)) old.exec(step)
  old.exec('PRAGMA user_version = 9')
  old.exec(`INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
    VALUES ('r', 'open', 'Old', 'default', 0, 1, 1)`)
  old.exec(`INSERT INTO sessions (id, room_id, member_id, connected_at, disconnected_at)
    VALUES ('ended', 'r', 'm', 1, 2), ('listed', 'r', 'm', 1, NULL)`)
  old.exec('INSERT INTO ended_sessions VALUES (2, 5)')
  old.close()
  const opened = await openTestWorkspace(dir)
  const { sessions } = (await opened.send('GET', '/rooms/r/sessions')).body
  expect(sessions).toEqual([
    {
      id: 'listed',
      member_id: 'm',
      user_id: null,
      connected_at: '1970-01-01T00:00:00.001Z',
      disconnected_at: '1970-01-01T00:00:00.005Z',
      elapsed_time: 0,
    },
    {
      id: 'ended',
      member_id: 'm',
      user_id: null,
      connected_at: '1970-01-01T00:00:00.001Z',
      disconnected_at: '1970-01-01T00:00:00.002Z',
      elapsed_time: 0,
    },
  ])
})
