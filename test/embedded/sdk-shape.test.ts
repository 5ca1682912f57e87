import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { perTest } from '../helpers/per-test.ts'
import { runServe } from '../helpers/run-serve.ts'
import { soon } from '../helpers/waiting.ts'

type Query = Readonly<Record<string, string | number | boolean>>
type Thing = Record<string, any>

/** Client like the SDK of a vendor, with `Content-Type` even on requests without a body. */
class Sdk {
  readonly baseUrl: string
  readonly apiKey: string

  constructor(baseUrl: string, apiKey: string) {
    this.baseUrl = baseUrl
    this.apiKey = apiKey
  }

  async send(method: string, path: string, body?: object): Promise<Thing> {
    const answer = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        Accept: 'application/json, text/plain, */*',
        'Content-Type': 'application/json',
        'User-Agent': 'vendor-sdk/3.2.1 axios/1.6.0',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const value = (await answer.json()) as Thing
    if (answer.status !== 200)
      throw Object.assign(new Error(value['error'].message), { status: answer.status })
    return value
  }

  async *pages(path: string, key: string, query: Query = {}): AsyncGenerator<Thing[]> {
    const limit = 30
    for (let offset = 0; ; offset += limit) {
      const fields = Object.entries({ offset, limit, ...query })
      const search = fields.map(([name, value]) => `${name}=${value}`).join('&')
      const { [key]: items, paging } = await this.send('GET', `${path}?${search}`)
      expect(paging).toEqual({ limit, offset, total: expect.any(Number) })
      if (items.length > 0) yield items
      if (offset + items.length >= paging.total) return
    }
  }

  async all(path: string, key: string, query?: Query): Promise<Thing[]> {
    const pages: Thing[][] = []
    for await (const page of this.pages(path, key, query)) pages.push(page)
    return pages.flat()
  }

  /** Returns the session from the greeting. */
  async visit(room: string, token: string): Promise<Thing> {
    const url = `${this.baseUrl.replace('http', 'ws')}/rooms/${room}/connect?access_token=${token}`
    const webSocket = new WebSocket(url, { headers: { 'User-Agent': 'vendor-sdk/3.2.1' } })
    const [frame] = await soon('the greeting', once(webSocket, 'message'))
    webSocket.close()
    await soon('the end of the connection', once(webSocket, 'close'))
    return JSON.parse(String(frame)).session
  }
}

const sdk = perTest(async () => {
  const { ready, apiKey } = await runServe(['--ephemeral'])
  return new Sdk(ready.base_url, apiKey)
})

const createRoom = async (fields: object = {}): Promise<Thing> =>
  (await sdk.send('POST', '/rooms', { name: 'Weekly sync', type: 'private', ...fields }))['room']

describe('an SDK with meetroom serve', () => {
  test('an SDK with meetroom serve lists rooms, users and members newest first in pages of 30', async () => {
    const rooms: string[] = []
    const users: string[] = []
    for (let i = 0; i < 65; i++) {
      rooms.push((await createRoom({ name: `Room ${i}` }))['id'])
      users.push((await sdk.send('POST', '/users', { user_id: `user-${i}`, name: null }))['user'].user_id)
    }
    for (const user_id of users)
      await sdk.send('POST', `/rooms/${rooms[0]}/members`, { user_id, type: 'guest' })
    for (const [path, key, id, created] of [
      ['/rooms', 'rooms', 'id', rooms],
      ['/users', 'users', 'user_id', users],
      [`/rooms/${rooms[0]}/members`, 'members', 'user_id', users],
    ] as const)
      expect((await sdk.all(path, key)).map((item) => item[id])).toEqual(created.toReversed())
  })

  test('an SDK with meetroom serve lists the sessions of its connections newest first', async () => {
    const members: Thing[] = []
    await sdk.send('POST', '/users', { user_id: 'host' })
    const { id } = await createRoom({ members: [{ user_id: 'host', type: 'host' }] })
    for (let i = 0; i < 4; i++) {
      await sdk.send('POST', '/users', { user_id: `user-${i}` })
      const { member } = await sdk.send('POST', `/rooms/${id}/members`, { user_id: `user-${i}` })
      members.push(member)
    }
    const sessions: string[] = []
    for (let i = 0; i < 36; i++) {
      const member = members[i % members.length] as Thing
      const session = await sdk.visit(id, member['access_token'])
      expect(session).toMatchObject({ room_id: id, member_id: member['id'], user_id: member['user_id'] })
      sessions.push(session['id'])
    }
    const path = `/rooms/${id}/sessions`
    // The service records the end of a session after the client has disconnected.
    await expect.poll(() => sdk.all(path, 'sessions', { is_connecting: true })).toEqual([])
    const newestFirst = await sdk.all(path, 'sessions', { is_connecting: false })
    expect(newestFirst.map(({ id }) => id)).toEqual(sessions.toReversed())
    expect(newestFirst[0]).toEqual({
      id: sessions.at(-1),
      member_id: members[3]?.['id'],
      user_id: 'user-3',
      connected_at: expect.any(String),
      disconnected_at: expect.any(String),
      end_reason: 'left',
      elapsed_time: expect.any(Number),
      ip_address: '127.0.0.1',
      user_agent: 'vendor-sdk/3.2.1',
    })
  })

  test('meetroom serve keeps the metadata of rooms, users and members when an SDK updates other fields', async () => {
    const metadata = { plan: 'gold', tags: ['a', 'b'], nested: { price: 1.5, none: null } }
    const { user } = await sdk.send('POST', '/users', { user_id: 'ada', metadata })
    const room = await createRoom({ metadata })
    const { member } = await sdk.send('POST', `/rooms/${room['id']}/members`, { user_id: 'ada', metadata })
    expect([user, room, member]).toMatchObject([{ metadata }, { metadata }, { metadata }])
    await sdk.send('PUT', '/users/ada', { name: 'Ada' })
    await sdk.send('PUT', `/rooms/${room['id']}`, { name: 'Renamed', external_id: 'x-1' })
    const path = `/rooms/${room['id']}/members/${member['id']}`
    await sdk.send('PUT', path, { type: 'host' })
    expect((await sdk.send('GET', '/users/ada'))['user']).toMatchObject({ name: 'Ada', metadata })
    expect((await sdk.send('GET', `/rooms/${room['id']}`))['room']).toMatchObject({
      ...{ name: 'Renamed', external_id: 'x-1', metadata },
    })
    expect((await sdk.send('GET', path))['member']).toMatchObject({ type: 'host', metadata })
    expect(await sdk.all('/rooms', 'rooms')).toMatchObject([{ metadata }])
  })
})
