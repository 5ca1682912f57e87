import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Hub } from '../../../src/embedded/sessions/hub.ts'
import { closeReasons } from '../../../src/embedded/sessions/session-control.ts'
import { hasListedEnds } from '../../../src/embedded/store/ended.ts'
import { openWorkspace } from '../../../src/embedded/workspace.ts'
import { testDisk } from '../../helpers/disk.ts'
import { restart, type Served, serveWorkspace, testMachine } from '../../helpers/live.ts'
import { startReceiver } from '../../helpers/receiver.ts'
import { tempDir } from '../../helpers/world.ts'

let disk: Awaited<ReturnType<typeof testDisk>>
let served: Served
beforeEach(async () => {
  disk = await testDisk()
  served = await serveWorkspace({
    dir: tempDir(),
    machine: Object.assign(testMachine(), { quietly: disk.quietly }),
  })
})

const diskFull = {
  status: 503,
  body: { error: { code: 'storage', message: 'the disk is full' } },
}

async function waitForFailure(): Promise<void> {
  while (!served.log.includes('storage failed: the disk is full')) await served.getRoom(room)
}

let room: string

describe.each(['commit', 'change'] as const)('a disk that becomes full during a %s', (moment) => {
  test(`terminating a room fails with 503 if the disk becomes full during a ${moment}`, async () => {
    room = await served.room({ max_meeting_seconds: 60 })
    const peers = [await served.join(room), await served.join(room)]
    await served.advance(4000)
    disk.fill(moment)
    expect(await served.send('PUT', `/rooms/${room}`, { is_terminated: true })).toEqual(diskFull)
    expect(await served.send('DELETE', `/rooms/${room}`)).toEqual(diskFull)
    expect(await served.getRoom(room)).toMatchObject({ terminated_at: null, meeting_time: 4 })
    expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(2)
    disk.makeRoom()
    await served.say(room, 'still here')
    for (const peer of peers) await peer.until(({ messages }) => messages.includes('still here'))
    await served.advance(2000)
    expect((await served.getRoom(room)).meeting_time).toBe(6)
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    for (const peer of peers) expect(await peer.closed).toMatchObject({ code: 4002 })
  })

  test(`joining a room fails with 503 if the disk becomes full during a ${moment}`, async () => {
    room = await served.room()
    const peer = await served.join(room)
    disk.fill(moment)
    expect(await served.refusal(room)).toEqual({ status: 503, ...diskFull.body.error })
    disk.makeRoom()
    await served.advance(3000)
    expect((await served.getRoom(room)).meeting_time).toBe(0)
    expect(await served.sessions(room)).toMatchObject([{ id: peer.session.id }])
    await served.join(room)
  })

  test(`the service retries the record of a session end if the disk becomes full during a ${moment}`, async () => {
    room = await served.room()
    const peer = await served.join(room)
    disk.fill(moment)
    await peer.leave()
    await waitForFailure()
    disk.makeRoom()
    expect(await served.sessions(room)).toMatchObject([{ disconnected_at: null }])
    await served.advance(5000)
    expect(await served.sessions(room)).toMatchObject([{ disconnected_at: expect.any(String) }])
  })

  test(`the service retries the end of a meeting if the disk becomes full during a ${moment}`, async () => {
    room = await served.room({ max_meeting_seconds: 9 })
    const peer = await served.join(room)
    await served.join(room)
    disk.fill(moment)
    await served.advance(12_000)
    expect((await served.getRoom(room)).terminated_at).toBeNull()
    disk.makeRoom()
    await served.advance(1000)
    expect(await peer.closed).toMatchObject({ code: 4002 })
    expect((await served.getRoom(room)).meeting_time).toBe(13)
  })

  test(`the service delivers each webhook event once if the disk becomes full during a ${moment}`, async () => {
    const { url, inbox } = await startReceiver((_, response) => {
      disk.fill(moment)
      response.end()
    })
    room = await served.room({ webhook: { url } })
    const peer = await served.join(room)
    const joined = await inbox.next()
    await waitForFailure()
    disk.makeRoom()
    await served.advance(5000)
    await peer.leave()
    const left = await inbox.next()
    expect([joined, left].map(({ body }) => JSON.parse(body).action)).toEqual([
      'sessionJoined',
      'sessionLeft',
    ])
  })

  test(`a stopping service closes its sockets if the disk becomes full during a ${moment}`, async () => {
    room = await served.room()
    const peers = [await served.join(room), await served.join(room)]
    disk.fill(moment)
    await served.stop()
    for (const peer of peers) expect(await peer.closed).toMatchObject({ code: 1001 })
    disk.makeRoom()
    const again = await restart(served)
    expect(await again.sessions(room, '?is_connecting=true')).toEqual([])
  })
})

describe('a session hub on a full disk', () => {
  async function startHub() {
    const clock = testMachine()
    const { store, cascadeDeleter, close } = await openWorkspace({
      dir: tempDir(),
      host: { now: clock.now, quietly: disk.quietly },
    })
    let ids = 0
    const newId = () => `${++ids}`
    const [onFailure, onEvent, onListed] = [() => {}, () => {}, () => cascadeDeleter.wake()]
    const hub = new Hub({
      store,
      clock,
      newId,
      onFailure,
      onEvent,
      onEndsListed: onListed,
      maxDirectEnds: 2,
    })
    onTestFinished(async () => {
      await hub.close()
      close()
    })
    const join = () =>
      store.write(() => {
        const peer = { send: () => {}, close: () => {} }
        const who = { memberId: newId(), userId: null, guestSeq: null, type: 'monitor' } as const
        return hub.join({ id: newId(), roomId: 'room', ...who, peer })
      })
    const terminate = () => store.write(() => hub.end('room', closeReasons.terminated))
    const open = () => store.all('SELECT * FROM present_sessions WHERE disconnected_at IS NULL').length
    return { clock, store, hub, join, terminate, open }
  }

  test('a session hub retries the record of a session that disconnects during a failed commit', async () => {
    const { clock, hub, join, terminate, open } = await startHub()
    const session = await join()
    disk.fill('commit')
    const ended = expect(terminate()).rejects.toThrow('full')
    await hub.leave(session)
    await ended
    disk.makeRoom()
    expect(open()).toBe(1)
    clock.advance(5000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(open()).toBe(0)
  })

  test('a session hub writes the deferred records of ended sessions when space is free again', async () => {
    const { clock, store, join, terminate, open } = await startHub()
    for (let i = 0; i < 3; i++) await join()
    await terminate()
    disk.fill('commit')
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    disk.makeRoom()
    expect([hasListedEnds(store), open()]).toEqual([true, 0])
    clock.advance(5000)
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    expect([hasListedEnds(store), open()]).toEqual([false, 0])
  })
})
