import { once } from 'node:events'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type * as z from 'zod'
import type { WebhookEvent } from '../../../src/api/webhooks.ts'
import { crash, type Peer, type Served, serveWorkspace } from '../../helpers/live.ts'
import { startReceiver } from '../../helpers/receiver.ts'
import { tempDir } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

type Event = z.output<typeof WebhookEvent>

let served: Served
beforeEach(async () => {
  served = await serveWorkspace({ dir: tempDir() })
})

/** Opens `count` connections, up to 20 concurrently. */
async function joinCrowd(room: string, count: number, tokens: (string | undefined)[] = [undefined]) {
  const peers: Peer[] = []
  while (peers.length < count) {
    const some = Array.from({ length: Math.min(20, count - peers.length) }, (_, i) =>
      served.join(room, { token: tokens[(peers.length + i) % tokens.length] }),
    )
    peers.push(...(await Promise.all(some)))
  }
  return peers
}

async function createAnnouncedRoom() {
  const { url, inbox } = await startReceiver()
  const room = await served.room({ webhook: { url } })
  const next = async (count: number, action: Event['action']) => {
    const events: Event['payload'][] = []
    while (events.length < count) {
      const found = await inbox.find(action, ({ body }) => JSON.parse(body).action === action)
      events.push(JSON.parse(found.body).payload)
    }
    return events
  }
  return { room, next }
}

describe('a room with many participants', () => {
  test('terminating a room with many participants closes every socket with the code 4002', async () => {
    const { room, next } = await createAnnouncedRoom()
    const count = sized(25, 150)
    const peers = await joinCrowd(room, count)
    await next(count, 'sessionJoined')
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    expect(await served.sessions(room, '?is_connecting=true')).toEqual([])
    expect((await served.ask('GET', `/rooms/${room}/members`)).members).toEqual([])
    for (const peer of peers)
      expect(await peer.closed).toEqual({ code: 4002, reason: 'the room is terminated' })
    const left = await next(count, 'sessionLeft')
    expect(left.map(({ sessionId }) => sessionId)).toEqual(
      (await served.sessions(room)).map(({ id }) => id).reverse(),
    )
    expect(left.map(({ sessionsCount, membersCount }) => [sessionsCount, membersCount])).toEqual(
      peers.map((_, i) => [count - 1 - i, count - 1 - i]),
    )
  })

  test('a room with many participants delivers all messages in the same order to every session', async () => {
    const room = await served.room()
    const peers = await joinCrowd(room, sized(10, 60))
    const sent = Array.from({ length: 15 }, (_, i) => `${i} ${'m'.repeat(i % 2 === 0 ? 200_000 : 10)}`)
    const said = sent.map((message) => served.say(room, message))
    await Promise.all(said)
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    for (const peer of peers) expect(await peer.closed).toMatchObject({ code: 4002 })
    const [first] = peers
    expect(first?.messages.toSorted()).toEqual(sent.toSorted())
    for (const peer of peers) expect(peer.messages).toEqual(first?.messages)
  })

  test('the sessionLeft events after a crash contain the remaining counts', async () => {
    const { room, next } = await createAnnouncedRoom()
    const token = await served.user('ada')
    const watcher = await served.user('watcher', { default_member_type: 'monitor' })
    await joinCrowd(room, 8, [token, watcher, undefined, undefined])
    await next(6, 'sessionJoined')
    await crash(served)
    const left = await next(6, 'sessionLeft')
    expect(left).toMatchObject(
      left.map((_, i) => {
        const others = left.slice(i + 1)
        // Ada and the watcher have two connections each, and the watcher is not a participant.
        const members = new Set(others.map(({ memberId }) => memberId))
        return { sessionsCount: others.length, membersCount: members.size }
      }),
    )
  })

  test('the service disconnects only the client with a full message queue', async () => {
    const room = await served.room()
    const url = `${served.baseUrl.replace('http', 'ws')}/rooms/${room}/connect`
    const slow = new WebSocket(url)
    onTestFinished(() => slow.terminate())
    await once(slow, 'message')
    slow.pause()
    const others = sized(1, 3)
    const peers = await joinCrowd(room, others)
    const sent = Array.from({ length: sized(9, 14) }, (_, i) => `${i} ${'m'.repeat(6 * 1024 * 1024)}`)
    for (const [i, message] of sent.entries()) {
      await served.say(room, message)
      for (const peer of peers) await peer.until(({ messages }) => messages.length === i + 1)
    }
    await served.untilSessions(room, (sessions) => sessions.at(-1).disconnected_at !== null)
    expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(others)
    const closed = once(slow, 'close')
    slow.resume()
    expect((await closed)[0]).toBe(1006)
  })
})

test.each([1, 125, 126, 65_535, 65_536, 100_000])(
  'messages in frames of about %i bytes arrive complete and in order',
  async (length) => {
    const room = await served.room()
    const peer = await served.join(room)
    const around = JSON.stringify({ event: 'message', message: '' }).length
    const sent = [-1, 0, 1].map((more) => 'm'.repeat(Math.max(length - around + more, 0)))
    for (const message of [...sent, 'end']) await served.say(room, message)
    await peer.until(({ messages }) => messages.includes('end'))
    expect(peer.messages).toEqual([...sent, 'end'])
  },
)
