import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createHandlerContext, createService } from '../../../src/embedded/service/service.ts'
import { openSqlite, type Sqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import {
  decodeBody,
  localUrl,
  openTestWorkspace,
  seedWorkspace,
  type TestWorkspace,
  wireRequest,
} from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

let workspace: TestWorkspace
let send: TestWorkspace['send']
beforeEach(async () => {
  workspace = await openTestWorkspace()
  send = workspace.send
})

async function room(body: object = {}): Promise<string> {
  return (await send('POST', '/rooms', { name: 'R', type: 'open', ...body })).body.room.id
}

async function user(user_id: string, body: object = {}) {
  return (await send('POST', '/users', { user_id, ...body })).body.user
}

async function member(roomId: string, user_id: string, type?: string) {
  return (await send('POST', `/rooms/${roomId}/members`, { user_id, type })).body.member
}

const names = async (path: string) => (await send('GET', path)).body.rooms.map(({ name }) => name)

// The wording of a refusal is not part of the API specification.
const createRefusal = (status: number, code: string) => ({
  status,
  body: { error: { code, message: expect.stringMatching(/./) } },
})
const invalid = createRefusal(400, 'invalid_parameters')
const notFound = createRefusal(400, 'not_found')
const unknownOperation = createRefusal(400, 'unknown_operation')
const forbidden = createRefusal(500, 'validation_exception')

describe('a list request', () => {
  const lists: [string, () => Promise<{ path: string; field: 'rooms' | 'members' | 'users' }>][] = [
    [
      'rooms',
      async () => {
        for (let i = 0; i < 5; i++) await room({ name: `${i}` })
        return { path: '/rooms', field: 'rooms' }
      },
    ],
    [
      'users',
      async () => {
        for (let i = 0; i < 5; i++) await user(`${i}`, { name: `${i}` })
        return { path: '/users', field: 'users' }
      },
    ],
    [
      'members',
      async () => {
        const id = await room()
        for (let i = 0; i < 5; i++) {
          await user(`${i}`, { name: `${i}` })
          await member(id, `${i}`)
        }
        return { path: `/rooms/${id}/members`, field: 'members' }
      },
    ],
  ]

  for (const [name, make] of lists) {
    test(`a list request for ${name} returns items newest first in pages with the total`, async () => {
      const { path, field } = await make()
      const page = async (query: string) => {
        const { body } = await send('GET', path + query)
        return { names: body[field].map((item) => item['name']), paging: body.paging }
      }
      expect(await page('')).toEqual({
        names: ['4', '3', '2', '1', '0'],
        paging: { limit: 30, offset: 0, total: 5 },
      })
      expect(await page('?limit=2')).toEqual({
        names: ['4', '3'],
        paging: { limit: 2, offset: 0, total: 5 },
      })
      expect(await page('?limit=2&offset=4')).toEqual({
        names: ['0'],
        paging: { limit: 2, offset: 4, total: 5 },
      })
      expect(await page('?offset=5')).toEqual({ names: [], paging: { limit: 30, offset: 5, total: 5 } })
    })

    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=1001',
      'limit=1e3',
      'limit=0x10',
      'limit=1.5',
      'limit=',
      'limit=%205',
      'limit=%2B5',
      'limit=9007199254740993',
      'offset=-1',
      'offset=1e3',
      'offset=0x10',
      'offset=abc',
    ])
      test(`a list request for ${name} is refused with the query ${query}`, async () => {
        const { path } = await make()
        expect(await send('GET', `${path}?${query}`)).toEqual(invalid)
      })

    test.each([
      ['limit=5000', 'limit must be between 1 and 1000, not 5000'],
      ['limit=0', 'limit must be between 1 and 1000, not 0'],
      ['limit=99999999999999999999', 'limit must be between 1 and 1000, not 99999999999999999999'],
      ['offset=-1', 'offset must be at least 0, not -1'],
      ['offset=99999999999999999999', 'offset must be at most 9007199254740991, not 99999999999999999999'],
      ['limit=1e3', 'limit must be a whole number, not “1e3”'],
    ])(`a list request for ${name} with %s is refused with the message “%s”`, async (query, message) => {
      const { path } = await make()
      const { status, body } = await send('GET', `${path}?${query}`)
      expect([status, body.error]).toEqual([400, { code: 'invalid_parameters', message }])
    })

    test(`a list request for ${name} accepts the limits 1 and 1000`, async () => {
      const { path, field } = await make()
      expect((await send('GET', `${path}?limit=1`)).body[field]).toHaveLength(1)
      expect((await send('GET', `${path}?limit=1000`)).body[field]).toHaveLength(5)
    })
  }

  test('a list request without a limit returns 30 items per page', async () => {
    for (let i = 0; i < 31; i++) await room({ name: `${i}` })
    const { body } = await send('GET', '/rooms')
    expect(body.rooms).toHaveLength(30)
    expect(body.paging).toEqual({ limit: 30, offset: 0, total: 31 })
  })

  test('a list request with a filter returns the total of the matching items', async () => {
    for (const name of ['a', 'b', 'a', 'a']) await room({ name })
    const { body } = await send('GET', '/rooms?name=a&limit=1&offset=1')
    expect(body.rooms.map(({ name }) => name)).toEqual(['a'])
    expect(body.paging).toEqual({ limit: 1, offset: 1, total: 3 })
  })

  test('a list request with a name returns only rooms with exactly this name', async () => {
    for (const name of ['sync', 'Sync', 'sync 2', 's_nc', '%']) await room({ name })
    expect(await names('/rooms?name=sync')).toEqual(['sync'])
    expect(await names('/rooms?name=s_nc')).toEqual(['s_nc'])
    expect(await names('/rooms?name=%25')).toEqual(['%'])
    expect(await names('/rooms?name=syn')).toEqual([])
    expect(await names('/rooms?name=')).toEqual([])
  })

  test('a list request combines several filters of rooms', async () => {
    await room({ name: 'a', layout: 'grid' })
    const ended = await room({ name: 'b', layout: 'grid' })
    await room({ name: 'c' })
    await send('PUT', `/rooms/${ended}`, { is_terminated: true })
    expect(await names('/rooms?layout=grid')).toEqual(['b', 'a'])
    expect(await names('/rooms?is_terminated=true')).toEqual(['b'])
    expect(await names('/rooms?is_terminated=false')).toEqual(['c', 'a'])
    expect(await names('/rooms?layout=grid&is_terminated=false')).toEqual(['a'])
    expect(await names('/rooms?name=b&layout=grid&is_terminated=true')).toEqual(['b'])
    expect(await names('/rooms?name=b&layout=default')).toEqual([])
  })

  test('a list request ignores unlisted query parameters', async () => {
    await room({ name: 'a' })
    expect(await names('/rooms?colour=red')).toEqual(['a'])
  })
})

describe('IDs', () => {
  test('IDs that the service assigns consist of 24 lowercase hexadecimal digits', async () => {
    const roomId = await room()
    await user('ada')
    const { id: memberId } = await member(roomId, 'ada')
    const { body } = await send('POST', `/rooms/${roomId}/pages/create_many`, [{ entities: [] }])
    const internal = (await send('GET', '/users')).body.users[0]?.id
    for (const id of [roomId, memberId, body.pages[0]?.id, internal]) expect(id).toMatch(/^[0-9a-f]{24}$/)
  })

  test('room IDs sort in the order of creation', async () => {
    const ids = [await room(), await room(), await room()]
    expect(ids.toSorted()).toEqual(ids)
  })

  test('room IDs are unique, even when 100 rooms are created concurrently', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => room()))
    expect(new Set(ids).size).toBe(100)
  })

  for (const id of [
    'a/b',
    'ä ö',
    '100%',
    '..x',
    'a?b#c',
    'a+b',
    'a\\b',
    ':x',
    '*',
    '%2e%2e',
    'a.b@c.test',
    '👋',
  ])
    test(`the user ID ${JSON.stringify(id)} identifies its user in a path and is accepted in a query`, async () => {
      const path = `/users/${encodeURIComponent(id)}`
      const made = await user(id, { name: 'before' })
      expect((await send('GET', path)).body.user).toEqual(made)
      expect((await send('PUT', path, { name: 'after' })).body.user).toMatchObject({
        user_id: id,
        name: 'after',
      })
      const roomId = await room()
      await member(roomId, id)
      expect((await send('GET', `/rooms/${roomId}/sessions?user_id=${encodeURIComponent(id)}`)).body).toEqual(
        { sessions: [] },
      )
      expect((await send('DELETE', path)).body.user.user_id).toBe(id)
      expect(await send('GET', path)).toEqual(notFound)
    })

  for (const id of ['.', '..', 'a\u0000b', '\n'])
    test(`POST /users rejects the user ID ${JSON.stringify(id)} or returns it unchanged`, async () => {
      const made = await send('POST', '/users', { user_id: id })
      if (made.status !== 200) return expect(made).toEqual(invalid)
      expect(made.body.user.user_id).toBe(id)
      expect((await send('GET', `/users/${encodeURIComponent(id)}`)).body).toEqual(made.body)
    })

  test('requests for the user ID a\\u0000b do not affect the user a', async () => {
    const plain = await user('a', { name: 'the first' })
    await send('POST', '/users', { user_id: 'a\u0000b', name: 'the second' })
    expect((await send('GET', '/users/a')).body.user).toEqual(plain)
    await send('PUT', '/users/a%00b', { name: 'the third' })
    expect((await send('GET', '/users/a')).body.user).toEqual(plain)
    await send('DELETE', '/users/a%00b')
    expect((await send('GET', '/users/a')).status).toBe(200)
  })

  test('user IDs that differ only in an unpaired surrogate never identify the same user', async () => {
    const first = await send('POST', '/users', { user_id: 'a\ud800' })
    const second = await send('POST', '/users', { user_id: 'a\ud801' })
    const made = [first, second].filter(({ status }) => status === 200)
    expect((await send('GET', '/users')).body.paging.total).toBe(made.length)
  })

  test('a path with invalid percent-encoding is refused', async () => {
    await user('100%')
    expect(await send('GET', '/users/100%')).toEqual(invalid)
    expect(await send('GET', '/users/%ff')).toEqual(invalid)
  })
})

describe('a room', () => {
  test('a new room has every documented field', async () => {
    const { status, body } = await send('POST', '/rooms', {
      name: 'Design review 👋 "x"',
      type: 'private',
      record: true,
      max_meeting_seconds: 3600,
    })
    expect(status).toBe(200)
    expect(body.room).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'private',
      name: 'Design review 👋 "x"',
      application_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      thumbnail_url: null,
      layout: 'default',
      record: true,
      meeting_time: 0,
      max_meeting_seconds: 3600,
      remaining_seconds: 3600,
      started_at: null,
      terminated_at: null,
      updated_at: body.room['created_at'],
      created_at: expect.stringMatching(/^2026-01-02T03:04:\d\d\.678Z$/),
      created_user_id: '#DEPRECATED#',
      last_thumbnail_updated_at: '#DEPRECATED#',
      room_template_id: '#DEPRECATED#',
      is_terminated: '#DEPRECATED#',
      is_ephemeral: '#DEPRECATED#',
      is_recurring: '#DEPRECATED#',
    })
    expect((await send('GET', `/rooms/${body.room.id}`)).body.room).toEqual(body.room)
    expect((await send('GET', '/rooms')).body.rooms).toEqual([body.room])
  })

  test('two rooms have the same application ID', async () => {
    const first = (await send('GET', `/rooms/${await room()}`)).body.room['application_id']
    const second = (await send('GET', `/rooms/${await room()}`)).body.room['application_id']
    expect(second).toBe(first)
  })

  for (const body of [
    {},
    { name: 'R' },
    { type: 'open' },
    { name: '', type: 'open' },
    { name: null, type: 'open' },
  ])
    test(`POST /rooms rejects the body ${JSON.stringify(body)} with 400`, async () => {
      expect(await send('POST', '/rooms', body)).toEqual(invalid)
      expect(await names('/rooms')).toEqual([])
    })

  test('POST /rooms rejects a name with unusual characters or returns it unchanged', async () => {
    for (const name of ['a\u0000b', '\ud800x', 'line\nbreak', '\u{10ffff}', ' x ']) {
      const { status, body } = await send('POST', '/rooms', { name, type: 'open' })
      if (status === 200) expect(body.room['name']).toBe(name)
      else expect({ status, body }).toEqual(invalid)
    }
  })

  test('POST /rooms gives each member the requested role or the default role of the user', async () => {
    await user('ada', { default_member_type: 'host' })
    await user('grace')
    const id = await room({
      members: [{ user_id: 'ada' }, { user_id: 'grace', type: 'monitor', name: 'Admiral' }],
    })
    const { members } = (await send('GET', `/rooms/${id}/members`)).body
    expect(members.map(({ user_id, type, name }) => ({ user_id, type, name }))).toEqual([
      { user_id: 'grace', type: 'monitor', name: 'Admiral' },
      { user_id: 'ada', type: 'host', name: null },
    ])
  })

  test('POST /rooms creates no room if the user of a member does not exist', async () => {
    await user('ada')
    expect(
      await send('POST', '/rooms', {
        name: 'R',
        type: 'open',
        members: [{ user_id: 'ada' }, { user_id: 'nobody' }],
      }),
    ).toEqual(invalid)
    expect(await names('/rooms')).toEqual([])
  })

  test('an update of a room changes only updated_at and the fields in the request', async () => {
    const id = await room({ name: 'before', record: true, layout: 'grid' })
    const before = (await send('GET', `/rooms/${id}`)).body.room
    const { body } = await send('PUT', `/rooms/${id}`, { name: 'after' })
    expect(body.room).toEqual({ ...before, name: 'after', updated_at: expect.any(String) })
    expect(String(body.room['updated_at']) > String(before['updated_at'])).toBe(true)
    expect((await send('GET', `/rooms/${id}`)).body).toEqual(body)
  })

  test('a room keeps terminated_at after a second termination', async () => {
    const id = await room()
    const terminate = async (is_terminated: boolean) =>
      (await send('PUT', `/rooms/${id}`, { is_terminated })).body.room['terminated_at']
    const first = await terminate(true)
    expect(first).toMatch(/^2026-01-02T03:04:\d\d\.678Z$/)
    expect(await terminate(true)).toBe(first)
    expect(await terminate(false)).toBeNull()
  })

  test('responses omit the secret and headers of the webhook of a room', async () => {
    const webhook = { url: 'https://hooks.test/in', headers: { 'x-token': 'hush-1' }, secret: 'hush-2' }
    const { body } = await send('POST', '/rooms', { name: 'R', type: 'open', webhook })
    const answers = [body, await send('GET', `/rooms/${body.room.id}`), await send('GET', '/rooms')]
    expect(JSON.stringify(answers)).not.toContain('hush')
  })

  test('deleting a room returns the room and deletes its members', async () => {
    const id = await room()
    await user('ada')
    const { id: memberId } = await member(id, 'ada')
    const before = (await send('GET', `/rooms/${id}`)).body
    expect(await send('DELETE', `/rooms/${id}`)).toEqual({ status: 200, body: before })
    for (const path of ['', '/members', `/members/${memberId}`, '/sessions'])
      expect(await send('GET', `/rooms/${id}${path}`)).toEqual(notFound)
    expect(await send('DELETE', `/rooms/${id}`)).toEqual(notFound)
  })
})

describe('a user', () => {
  test('a new user has every documented field, and an internal ID only in lists', async () => {
    const made = await user('ada', {
      name: 'Ada',
      profile_url: 'https://example.com/ada.png',
      default_member_type: 'host',
      email: 'ada@example.com',
    })
    expect(made).toEqual({
      user_id: 'ada',
      name: 'Ada',
      profile_url: 'https://example.com/ada.png',
      default_member_type: 'host',
      email: 'ada@example.com',
      access_token: expect.stringMatching(/^[\da-z]{10}[\w-]{32}$/),
      created_at: expect.stringMatching(/^2026-01-02T03:04:\d\d\.678Z$/),
      updated_at: made['created_at'],
    })
    expect((await send('GET', '/users/ada')).body).toEqual({ user: made })
    expect((await send('GET', '/users')).body.users).toEqual([{ ...made, id: expect.any(String) }])
  })

  for (const body of [{}, { name: 'Ada' }, { user_id: '' }, { user_id: null }])
    test(`POST /users rejects the body ${JSON.stringify(body)} with 400`, async () => {
      expect(await send('POST', '/users', body)).toEqual(invalid)
    })

  test('each user has a different access token', async () => {
    const tokens = [await user('a'), await user('b'), await user('c')].map((made) => made['access_token'])
    expect(new Set(tokens).size).toBe(3)
  })

  test('overwriting a user resets all omitted fields except the access token and creation time', async () => {
    const before = await user('ada', {
      name: 'Ada',
      profile_url: 'https://example.com/ada.png',
      default_member_type: 'host',
      email: 'ada@example.com',
    })
    const roomId = await room()
    const joined = await member(roomId, 'ada')
    const id = (await send('GET', '/users')).body.users[0]?.id
    const after = await user('ada', { name: 'Countess' })
    expect(after).toEqual({
      user_id: 'ada',
      name: 'Countess',
      profile_url: null,
      default_member_type: 'guest',
      email: null,
      access_token: before['access_token'],
      created_at: before['created_at'],
      updated_at: expect.any(String),
    })
    expect(String(after['updated_at']) > String(before['updated_at'])).toBe(true)
    expect((await send('GET', '/users')).body.users).toEqual([{ ...after, id }])
    expect((await send('GET', `/rooms/${roomId}/members`)).body.members).toEqual([joined])
  })

  test('an update of a user changes only updated_at and the fields in the request', async () => {
    const before = await user('ada', { name: 'Ada', default_member_type: 'host', email: 'ada@example.com' })
    const { body } = await send('PUT', '/users/ada', { default_member_type: 'monitor' })
    expect(body.user).toEqual({ ...before, default_member_type: 'monitor', updated_at: expect.any(String) })
    expect((await send('GET', '/users/ada')).body).toEqual(body)
  })

  test('email_search_query finds users by a part of the email in any letter case', async () => {
    await user('ada', { email: 'Ada.L@Example.com' })
    await user('grace', { email: 'grace@navy.test' })
    await user('alan@example.com')
    await user('example')
    const found = async (query: string) =>
      (await send('GET', `/users?email_search_query=${encodeURIComponent(query)}`)).body.users.map(
        ({ user_id }) => user_id,
      )
    expect(await found('example.com')).toEqual(['alan@example.com', 'ada'])
    expect(await found('ADA.l@')).toEqual(['ada'])
    expect(await found('grace@navy.test')).toEqual(['grace'])
    expect(await found('%')).toEqual([])
    expect(await found('nobody')).toEqual([])
  })

  test('the total of a paged user list counts only users who match email_search_query', async () => {
    for (const id of ['a', 'b', 'c']) await user(id, { email: `${id}@example.com` })
    await user('d')
    const { body } = await send('GET', '/users?email_search_query=example&limit=1&offset=1')
    expect(body.users.map(({ user_id }) => user_id)).toEqual(['b'])
    expect(body.paging).toEqual({ limit: 1, offset: 1, total: 3 })
  })

  test('a user who is deleted and created again has no memberships', async () => {
    const roomId = await room()
    await user('ada')
    await user('grace')
    const { id: memberId } = await member(roomId, 'ada')
    const stays = await member(roomId, 'grace')
    expect((await send('DELETE', '/users/ada')).status).toBe(200)
    await user('ada')
    expect((await send('GET', `/rooms/${roomId}/members`)).body).toEqual({
      members: [stays],
      paging: { limit: 30, offset: 0, total: 1 },
    })
    expect(await send('GET', `/rooms/${roomId}/members/${memberId}`)).toEqual(notFound)
  })
})

describe('a member', () => {
  test('adding a member again changes only the role and updated_at of the member', async () => {
    const roomId = await room()
    await user('ada')
    const first = await member(roomId, 'ada', 'guest')
    const second = await member(roomId, 'ada', 'host')
    expect(second).toEqual({ ...first, type: 'host', updated_at: expect.any(String) })
    expect((await send('GET', `/rooms/${roomId}/members`)).body.members).toEqual([second])
  })

  for (const type of ['guest', 'host', 'monitor'])
    test(`a member added without a role gets the default role of the user, ${type}`, async () => {
      const roomId = await room()
      await user('ada', { default_member_type: type })
      expect((await member(roomId, 'ada'))['type']).toBe(type)
    })

  test('the default role of a user is guest if the create request names no role', async () => {
    expect((await user('ada'))['default_member_type']).toBe('guest')
  })

  test('adding a member is refused if the user does not exist or the user ID is missing or empty', async () => {
    const roomId = await room()
    for (const body of [{ user_id: 'nobody' }, {}, { user_id: '' }])
      expect(await send('POST', `/rooms/${roomId}/members`, body)).toEqual(invalid)
  })

  test('renaming a member does not rename the user', async () => {
    const roomId = await room()
    await user('ada', { name: 'Ada' })
    const before = await member(roomId, 'ada')
    const { body } = await send('PUT', `/rooms/${roomId}/members/${before.id}`, { name: 'Countess' })
    expect(body.member).toEqual({ ...before, name: 'Countess', updated_at: expect.any(String) })
    expect((await send('GET', '/users/ada')).body.user['name']).toBe('Ada')
  })

  for (const type of ['open', 'public'])
    test(`blocking a member of a room with the type ${type} is refused and changes no field`, async () => {
      const roomId = await room({ type })
      await user('ada')
      const before = await member(roomId, 'ada')
      const path = `/rooms/${roomId}/members/${before.id}`
      expect(await send('PUT', path, { is_blocked: true, name: 'X', type: 'host' })).toEqual(forbidden)
      expect((await send('GET', path)).body.member).toEqual(before)
    })

  test('a member of a private room can be blocked and unblocked', async () => {
    const roomId = await room({ type: 'private' })
    await user('ada')
    const path = `/rooms/${roomId}/members/${(await member(roomId, 'ada')).id}`
    for (const is_blocked of [true, false]) {
      expect((await send('PUT', path, { is_blocked })).status).toBe(200)
      expect((await send('GET', path)).body.member['is_blocked']).toBe(is_blocked)
    }
  })
})

describe('a message', () => {
  test('a message to a terminated room is refused until the room is reopened', async () => {
    const id = await room()
    const message = () => send('POST', `/rooms/${id}/message`, { message: 'hello' })
    await send('PUT', `/rooms/${id}`, { is_terminated: true })
    expect(await message()).toEqual(forbidden)
    await send('PUT', `/rooms/${id}`, { is_terminated: false })
    expect(await message()).toEqual({ status: 200, body: { message: 'hello' } })
  })

  test('the embedded service accepts an empty message', async () => {
    expect(await send('POST', `/rooms/${await room()}/message`, { message: '' })).toEqual({
      status: 200,
      body: { message: '' },
    })
  })
})

describe('URLs in requests', () => {
  const unencoded = [
    'https://example.com/a b.png',
    'https://example.com/ä.png',
    'https://example.com/"a".png',
    'https://example.com/100%.png',
    'https://example.com/a\n.png',
    'slides/1.png',
    '',
  ]
  for (const url of unencoded) {
    test(`creating two pages is refused if the second page has the src ${JSON.stringify(url)}`, async () => {
      const id = await room()
      const page = (src: string) => ({ entities: [{ type: 'Image', src }] })
      expect(
        await send('POST', `/rooms/${id}/pages/create_many`, [page('https://example.com/1.png'), page(url)]),
      ).toEqual(invalid)
    })

    test(`a user with the profile_url ${JSON.stringify(url)} is refused`, async () => {
      expect(await send('POST', '/users', { user_id: 'ada', profile_url: url })).toEqual(invalid)
      await user('ada')
      expect(await send('PUT', '/users/ada', { profile_url: url })).toEqual(invalid)
    })
  }

  test.each([
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['data:image/png;base64,AAAA', 'must be an http or https URL'],
    ['ftp://files.example/1.png', 'must be an http or https URL'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['https://bücher.example/1.png', 'must be a URL-encoded URL'],
    ['https://b%C3%BCcher.example/1.png', 'must have its host in Punycode, such as xn--bcher-kva.example'],
    [
      'https://ada:p%40@b%C3%BCcher.example:8443/1.png',
      'must have its host in Punycode, such as xn--bcher-kva.example',
    ],
  ])('a page with the src %s is refused with a message that ends with “%s”', async (url, problem) => {
    const page = { entities: [{ type: 'Image', src: url }] }
    const { status, body } = await send('POST', `/rooms/${await room()}/pages/create_many`, [page])
    expect([status, body.error]).toEqual([
      400,
      { code: 'invalid_parameters', message: `[0].entities[0].src ${problem}` },
    ])
  })

  test.each([
    'https://xn--bcher-kva.example/1.png',
    'HTTP://EXAMPLE.com/1%20a.png?q=%C3%BC',
    'https://ada:p%40@example.com/1.png',
    'http://[::1]:8080/1.png',
  ])('a page with the src %s is accepted unchanged', async (url) => {
    const page = { entities: [{ type: 'Image', src: url }] }
    const { status, body } = await send('POST', `/rooms/${await room()}/pages/create_many`, [page])
    expect([status, body.pages]).toMatchObject([200, [{ entities: [{ src: url }] }]])
  })

  test('POST /rooms rejects a webhook URL that is not encoded', async () => {
    const webhook = { url: 'https://hooks.test/a b' }
    expect(await send('POST', '/rooms', { name: 'R', type: 'open', webhook })).toEqual(invalid)
  })
})

describe('a user ID', () => {
  test.each(['a\u0001b', 'ada\n', '\tada', 'a\u007fb', 'a\u0085b', 'a\u009fb'])(
    'POST /users rejects the user ID %j with a control character',
    async (user_id) => {
      const { status, body } = await send('POST', '/users', { user_id })
      expect([status, body.error]).toEqual([
        400,
        { code: 'invalid_parameters', message: 'the user ID contains a control character' },
      ])
      expect((await send('GET', '/users')).body.users).toEqual([])
    },
  )

  test.each(['ada lovelace', 'ada@example.com', 'a/b?c#d%', 'Ünï', '名前', '…'])(
    'POST /users accepts the user ID %j',
    async (user_id) => {
      await user(user_id)
      const { body } = await send('GET', `/users/${encodeURIComponent(user_id)}`)
      expect(body.user.user_id).toBe(user_id)
    },
  )
})

describe('a number out of range', () => {
  test.each([
    [
      '/rooms',
      '{"name":"R","type":"open","max_meeting_seconds":0}',
      'max_meeting_seconds must be at least 1, not 0',
    ],
    [
      '/rooms',
      '{"name":"R","type":"open","max_meeting_seconds":99999999999999999999}',
      'max_meeting_seconds must be at most 9007199254740991, not 99999999999999999999',
    ],
    [
      '/rooms',
      '{"name":"R","type":"open","max_meeting_seconds":1e300}',
      'max_meeting_seconds must be at most 9007199254740991, not 1e300',
    ],
    ['pages', '[1e300]', '[0] must be an object, not 1e300'],
    ['pages', '[{},12345678901234567890]', '[1] must be an object, not 12345678901234567890'],
    ['pages', '1e300', 'it must be a list, not 1e300'],
    ['pages', '[{"index":-1e300}]', '[0].index must be at least -9007199254740991, not -1e300'],
    [
      'pages',
      '[{"size":{"width":1.23456789012345678901,"height":1}}]',
      '[0].size.width must be a number that a double holds exactly, not 1.23456789012345678901',
    ],
  ])(
    'a POST request for %s with the body %s is refused with an error that quotes the number',
    async (path, body, message) => {
      const url = path === 'pages' ? `/rooms/${await room()}/pages/create_many` : path
      const answer = await workspace.service({
        method: 'POST',
        url: localUrl + url,
        headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
        body,
      })
      expect([answer.status, decodeBody(answer)]).toEqual([
        400,
        { error: { code: 'invalid_parameters', message } },
      ])
    },
  )
})

test('a number instead of an object is refused as a request body and in nested fields', async () => {
  const id = await room()
  const requests: readonly (readonly [string, string, string])[] = [
    ['POST', `/rooms/${id}/pages/create_many`, '[{"size":1e300}]'],
    ['POST', `/rooms/${id}/pages/create_many`, '[{"entities":[1e300]}]'],
    ['POST', '/rooms', '1e300'],
    ['POST', '/rooms', '{"name":"R","type":"open","members":[1e300]}'],
    ['POST', '/users', '-1e300'],
    ['PUT', `/rooms/${id}`, '12345678901234567890'],
  ]
  for (const [method, path, body] of requests) {
    const { status } = await workspace.service({
      method,
      url: localUrl + path,
      headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
      body,
    })
    expect({ method, path, body, status }).toEqual({ method, path, body, status: 400 })
  }
})

describe('requests', () => {
  async function sendUnchanged(method: string, path: string, headers: Record<string, string>, body?: string) {
    const answer = await workspace.service({ method, url: localUrl + path, headers, body })
    return { status: answer.status, type: answer.headers['content-type'], body: decodeBody(answer) }
  }
  const authorization = () => `Bearer ${workspace.apiKey}`
  const type = 'application/json; charset=utf-8'

  for (const body of [
    '',
    '{',
    '{"user_id":"ada",}',
    "{'user_id':'ada'}",
    '{"user_id":"ada"}x',
    'null',
    '[]',
    '"ada"',
  ])
    test(`POST /users rejects the invalid body ${body || '(empty)'} with 400`, async () => {
      const headers = { authorization: authorization(), 'content-type': 'application/json' }
      expect(await sendUnchanged('POST', '/users', headers, body)).toEqual({ ...invalid, type })
      expect((await send('GET', '/users')).body.users).toEqual([])
    })

  const createNestedBody = (levels: number) =>
    `{"user_id":"ada","metadata":${'['.repeat(levels - 1)}"[[["${']'.repeat(levels - 1)}}`
  const json = () => ({ authorization: authorization(), 'content-type': 'application/json' })

  for (const levels of [101, 100_000, 1_000_000])
    test(`POST /users rejects a body nested ${levels} levels deep with 400`, async () => {
      const { status, body } = await sendUnchanged('POST', '/users', json(), createNestedBody(levels))
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          error: { code: 'invalid_parameters', message: 'the body is nested more than 100 levels deep' },
        },
      })
    })

  test('POST /users accepts a body nested 100 levels deep', async () => {
    expect((await sendUnchanged('POST', '/users', json(), createNestedBody(100))).status).toBe(200)
  })

  for (const contentType of [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json-patch+json',
  ])
    test(`POST /users rejects the content type ${contentType ?? '(none)'} with 400`, async () => {
      const headers = {
        authorization: authorization(),
        ...(contentType !== undefined && { 'content-type': contentType }),
      }
      expect(await sendUnchanged('POST', '/users', headers, '{"user_id":"ada"}')).toEqual({
        ...invalid,
        type,
      })
    })

  for (const contentType of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
  ])
    test(`POST /users accepts the content type ${contentType}`, async () => {
      const headers = { authorization: authorization(), 'content-type': contentType }
      expect((await sendUnchanged('POST', '/users', headers, '{"user_id":"ada"}')).status).toBe(200)
    })

  for (const [name, header] of [
    ['no key', () => undefined],
    ['an empty Authorization header', () => ''],
    ['a wrong key', () => 'Bearer wrong'],
    ['only the scheme', () => 'Bearer'],
    ['the key without its scheme', () => workspace.apiKey],
    ['another scheme', () => `Basic ${workspace.apiKey}`],
    ['extra characters after the key', () => `Bearer ${workspace.apiKey}x`],
    ['a truncated key', () => `Bearer ${workspace.apiKey.slice(0, -1)}`],
  ] satisfies [string, () => string | undefined][])
    test(`the embedded service rejects requests with ${name}`, async () => {
      const id = await room({ name: 'stays' })
      const value = header()
      const headers = {
        'content-type': 'application/json',
        ...(value !== undefined && { authorization: value }),
      }
      const refused = { ...createRefusal(400, 'unauthorized'), type }
      expect(await sendUnchanged('GET', '/rooms', headers)).toEqual(refused)
      expect(await sendUnchanged('DELETE', `/rooms/${id}`, headers)).toEqual(refused)
      expect(await sendUnchanged('POST', '/users', headers, '{"user_id":"ada"}')).toEqual(refused)
      expect(await sendUnchanged('POST', '/users', headers, '{')).toEqual(refused)
      expect(await sendUnchanged('GET', '/nothing', headers)).toEqual(refused)
      expect(await names('/rooms')).toEqual(['stays'])
      expect((await send('GET', '/users')).body.users).toEqual([])
    })

  test('the response to a request with a wrong authentication scheme does not contain the key', async () => {
    const answer = await sendUnchanged('GET', '/rooms', { authorization: `Basic ${workspace.apiKey}` })
    expect(JSON.stringify(answer)).not.toContain(workspace.apiKey)
  })

  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/rooms/'],
    ['DELETE', '/rooms/'],
    ['GET', '/nothing'],
    ['DELETE', '/rooms'],
    ['PATCH', '/users/ada'],
    ['GET', '/users/ada/more'],
    ['GET', '//rooms'],
  ] as const)
    test(`the embedded service rejects ${method} ${path} as an unknown operation`, async () => {
      await room({ name: 'stays' })
      expect(await send(method, path)).toEqual(unknownOperation)
      expect(await names('/rooms')).toEqual(['stays'])
    })

  test('the embedded service responds with 400 to requests for missing items', async () => {
    for (const path of [
      '/rooms/no-such',
      '/rooms/no-such/members',
      '/rooms/no-such/sessions',
      '/users/no-such',
    ])
      expect(await send('GET', path)).toEqual(notFound)
  })

  test('refused requests do not affect concurrent writes', async () => {
    const answers = await Promise.all([
      send('POST', '/users', { user_id: 'a' }),
      send('POST', '/rooms', { name: 'R', type: 'open', members: [{ user_id: 'a' }, { user_id: 'nobody' }] }),
      send('POST', '/users', { user_id: 'b' }),
      send('DELETE', '/users/nobody'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400])
    expect((await send('GET', '/users')).body.users.map(({ user_id }) => user_id)).toEqual(['b', 'a'])
    expect(await names('/rooms')).toEqual([])
  })
})

const quietly = <T>(load: () => Promise<T>) => load()

async function openFile(dir: string): Promise<Sqlite> {
  const db = await openSqlite(join(dir, 'workspace.db'), quietly)
  onTestFinished(() => db.close())
  return db
}

describe('a local workspace', () => {
  test('a local workspace keeps its data and key after it is reopened', async () => {
    const dir = join(tempDir(), 'deep', 'data')
    const first = await openTestWorkspace(dir)
    await first.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
    const made = await first.send('POST', '/rooms', {
      name: 'R',
      type: 'private',
      members: [{ user_id: 'ada' }],
    })
    const paths = ['/rooms', '/users', `/rooms/${made.body.room.id}/members`]
    const before = await Promise.all(paths.map((path) => first.send('GET', path)))
    first.close()
    const second = await openTestWorkspace(dir)
    expect(second.apiKey).toBe(first.apiKey)
    expect(await Promise.all(paths.map((path) => second.send('GET', path)))).toEqual(before)
  })

  test('a local workspace and its key file have owner-only access', async () => {
    const dir = join(tempDir(), 'data')
    const { apiKey } = await openTestWorkspace(dir)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'api-key')).mode & 0o777).toBe(0o600)
    expect(apiKey).toMatch(/^[\x21-\x7e]{24,}$/)
  })

  test('the files of a local workspace have owner-only access if other accounts can access its directory', async () => {
    const dir = join(tempDir(), 'data')
    mkdirSync(dir)
    chmodSync(dir, 0o755)
    const opened = await openTestWorkspace(dir)
    await opened.send('POST', '/users', { user_id: 'ada' })
    const modes = ['api-key', 'workspace.db', 'workspace.db-wal'].map((file) => [
      file,
      (statSync(join(dir, file)).mode & 0o077).toString(8),
    ])
    const folder = statSync(dir).mode & 0o077
    // Other users must not have access to both the directory and its files.
    if (folder !== 0) expect(modes).toEqual(modes.map(([file]) => [file, '0']))
  })

  test('two local workspaces have different keys', async () => {
    const first = await openTestWorkspace(join(tempDir(), 'a'))
    const second = await openTestWorkspace(join(tempDir(), 'b'))
    expect(first.apiKey).not.toBe(second.apiKey)
  })

  test('two connections to a local workspace read each other’s writes', async () => {
    const dir = tempDir()
    const first = await openTestWorkspace(dir)
    const second = await openTestWorkspace(dir)
    const made = await first.send('POST', '/users', { user_id: 'ada' })
    const db = await openFile(dir)
    expect(db.prepare('SELECT user_id FROM users').all()).toMatchObject([{ user_id: 'ada' }])
    expect((await second.send('GET', '/users/ada')).body).toEqual(made.body)
    await second.send('PUT', '/users/ada', { name: 'Ada' })
    expect((await first.send('GET', '/users/ada')).body.user['name']).toBe('Ada')
  })

  test('a local workspace syncs its write-ahead log at every commit', async () => {
    const dir = tempDir()
    await openTestWorkspace(dir)
    const store = new Store(await openFile(dir))
    expect(store.one('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'wal' })
    // 2 is FULL; NORMAL could lose commits in a power failure.
    expect(store.one('PRAGMA synchronous')).toMatchObject({ synchronous: 2 })
  })

  test('a local workspace deletes the members and pages of a deleted room', async () => {
    const dir = tempDir()
    const opened = await openTestWorkspace(dir)
    await opened.send('POST', '/users', { user_id: 'ada' })
    const { body } = await opened.send('POST', '/rooms', {
      name: 'R',
      type: 'open',
      members: [{ user_id: 'ada' }],
    })
    const image = [{ entities: [{ type: 'Image', src: 'https://example.com/1.png' }] }]
    await opened.send('POST', `/rooms/${body.room.id}/pages/create_many`, image)
    const db = await openFile(dir)
    const count = () =>
      ['rooms', 'members', 'pages'].map((table) => db.prepare(`SELECT * FROM ${table}`).all().length)
    expect(count()).toEqual([1, 1, 1])
    await opened.send('DELETE', `/rooms/${body.room.id}`)
    expect(count()).toEqual([0, 0, 0])
  })

  test('a new page has the position in the request, or the position after the last page', async () => {
    const dir = tempDir()
    const opened = await openTestWorkspace(dir)
    const id = (await opened.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room.id
    const page = (name: string, index?: number) => ({
      entities: [{ type: 'Image', src: `https://example.com/${name}.png`, fixed: true }],
      size: { width: 595.5, height: 842 },
      index,
    })
    await opened.send('POST', `/rooms/${id}/pages/create_many`, [page('a'), page('b', 7), page('c')])
    await opened.send('POST', `/rooms/${id}/pages/create_many`, [page('d')])
    const db = await openFile(dir)
    const rows = db.prepare('SELECT position, width, height, entities FROM pages ORDER BY seq').all()
    const row = (name: string, position: number) => ({
      position,
      width: 595.5,
      height: 842,
      entities: JSON.stringify(page(name).entities),
    })
    expect(rows).toMatchObject([row('a', 0), row('b', 7), row('c', 8), row('d', 9)])
  })

  test('the list of pages is sorted by position and paginated with the total', async () => {
    const path = `/rooms/${await room()}/pages`
    await send('POST', `${path}/create_many`, [{ index: 3 }, { index: 1 }, { index: 2 }])
    const { body } = await send('GET', `${path}?limit=1&offset=1`)
    expect(body).toMatchObject({ pages: [{ index: 2 }], paging: { limit: 1, offset: 1, total: 3 } })
  })
})

describe('sessions', () => {
  test('the list of sessions is sorted newest first and filtered by user and online status', async () => {
    const dir = tempDir()
    const opened = await openTestWorkspace(dir)
    const rooms = [
      (await opened.send('POST', '/rooms', { name: 'A', type: 'open' })).body.room.id,
      (await opened.send('POST', '/rooms', { name: 'B', type: 'open' })).body.room.id,
    ] as const
    const db = await openFile(dir)
    const insert = db.prepare(
      'INSERT INTO sessions (id, room_id, member_id, user_id, connected_at, disconnected_at) VALUES (?, ?, ?, ?, ?, ?)',
    )
    insert.run('s1', rooms[0], 'm1', 'ada', 1000, 2000)
    insert.run('s2', rooms[0], 'm2', null, 3000, null)
    insert.run('s3', rooms[0], 'm1', 'ada', 4000, null)
    insert.run('s4', rooms[1], 'm3', 'ada', 5000, null)
    const ids = async (query: string) =>
      (await opened.send('GET', `/rooms/${rooms[0]}/sessions${query}`)).body.sessions.map(({ id }) => id)
    expect(await ids('')).toEqual(['s3', 's2', 's1'])
    expect(await ids('?user_id=ada')).toEqual(['s3', 's1'])
    expect(await ids('?is_connecting=true')).toEqual(['s3', 's2'])
    expect(await ids('?is_connecting=false')).toEqual(['s1'])
    expect(await ids('?user_id=ada&is_connecting=true')).toEqual(['s3'])
    expect(await ids('?user_id=grace')).toEqual([])
    expect((await opened.send('GET', `/rooms/${rooms[0]}/sessions?is_connecting=false`)).body).toEqual({
      sessions: [
        {
          id: 's1',
          member_id: 'm1',
          user_id: 'ada',
          connected_at: '1970-01-01T00:00:01.000Z',
          disconnected_at: '1970-01-01T00:00:02.000Z',
          elapsed_time: 1,
        },
      ],
    })
  })
})

test('the list of sessions is paginated only if the query contains limit or offset', async () => {
  const dir = tempDir()
  const opened = await openTestWorkspace(dir)
  const { id } = (await opened.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room
  const insert = (await openFile(dir)).prepare(
    'INSERT INTO sessions (id, room_id, member_id, user_id, connected_at) VALUES (?, ?, ?, ?, ?)',
  )
  for (let i = 0; i < 40; i++) insert.run(`s${i}`, id, 'm', i % 2 ? 'ada' : 'grace', i)
  const page = async (query: string) => {
    const { body } = await opened.send('GET', `/rooms/${id}/sessions${query}`)
    return { ids: body.sessions.map(({ id }) => id), paging: body.paging }
  }
  const all = Array.from({ length: 40 }, (_, i) => `s${39 - i}`)
  expect(await page('')).toEqual({ ids: all, paging: undefined })
  expect(await page('?limit=2')).toEqual({
    ids: ['s39', 's38'],
    paging: { limit: 2, offset: 0, total: 40 },
  })
  expect(await page('?offset=39')).toEqual({ ids: ['s0'], paging: { limit: 30, offset: 39, total: 40 } })
  expect(await page('?user_id=ada&limit=1&offset=1')).toEqual({
    ids: ['s37'],
    paging: { limit: 1, offset: 1, total: 20 },
  })
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1'])
    expect(await opened.send('GET', `/rooms/${id}/sessions?${query}`)).toEqual(invalid)
})

describe('database indexes', () => {
  async function readQueryPlans(path: string): Promise<string[]> {
    const db = await openFile(tempDir())
    const statements = new Set<string>()
    const recording: Sqlite = {
      exec: (sql) => db.exec(sql),
      prepare(sql) {
        statements.add(sql)
        return db.prepare(sql)
      },
      rows: (...args) => db.rows(...args),
      close() {},
    }
    const serviceOn = (file: Sqlite) => {
      const service = createService(createHandlerContext({ store: new Store(file), now: Date.now }), 'key')
      return async (method: string, url: string, body?: object) =>
        decodeBody(await service(wireRequest(localUrl, 'key', { method, path: url, body })))
    }
    const prepare = serviceOn(db)
    await prepare('POST', '/users', { user_id: 'ada' })
    const body = { name: 'R', type: 'open', members: [{ user_id: 'ada' }] }
    const { id } = (await prepare('POST', '/rooms', body)).room
    const memberId = (await prepare('GET', `/rooms/${id}/members`)).members[0]?.id ?? ''
    const ask = serviceOn(recording)
    const answer = await ask('GET', path.replace('ROOM', id).replace('MEMBER', memberId))
    expect(answer).not.toHaveProperty('error')
    return [...statements]
      .filter((sql) => /^SELECT/.test(sql) && !sql.endsWith('FROM workspace'))
      .flatMap((sql) => {
        const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(1))
        return (rows as { detail: string }[]).map(({ detail }) => `${detail} ← ${sql}`)
      })
  }
  const sorts = (plan: string) => plan.includes('TEMP B-TREE')
  const readsAll = (plan: string) => /^SCAN (rooms|users|members|sessions|pages)\b/.test(plan)

  for (const path of [
    '/rooms?name=R',
    '/rooms?layout=default',
    '/rooms?is_terminated=true',
    '/rooms?name=R&layout=default&is_terminated=false',
    '/rooms/ROOM',
    '/rooms/ROOM/members',
    '/rooms/ROOM/members/MEMBER',
    '/rooms/ROOM/sessions',
    '/rooms/ROOM/sessions?user_id=ada',
    '/rooms/ROOM/sessions?limit=5&offset=5',
    '/rooms/ROOM/sessions?is_connecting=true',
    '/rooms/ROOM/sessions?user_id=ada&is_connecting=true',
    '/users/ada',
  ])
    test(`the query plan of GET ${path} contains no full table scan and no sort`, async () => {
      const plans = await readQueryPlans(path)
      expect(plans.length).toBeGreaterThan(0)
      expect(plans.filter((plan) => sorts(plan) || readsAll(plan))).toEqual([])
    })

  for (const path of ['/rooms', '/users', '/users?email_search_query=ada'])
    test(`the query plan of GET ${path} contains no sort`, async () => {
      expect((await readQueryPlans(path)).filter(sorts)).toEqual([])
    })
})

test('seedWorkspace creates the rooms and users of the wire fixtures', async () => {
  const { workspace: seeded, names: ids } = await seedWorkspace()
  expect((await seeded.send('GET', `/rooms/${ids.room_id}`)).body.room).toMatchObject({
    name: 'Weekly sync',
    type: 'open',
    layout: 'default',
  })
  expect((await seeded.send('GET', `/rooms/${ids.private_room_id}`)).body.room['type']).toBe('private')
  expect((await seeded.send('GET', '/users')).body.users.map(({ user_id }) => user_id)).toEqual([
    'grace',
    'ada',
  ])
})

test('the authentication scheme is case-insensitive', async () => {
  const { service, apiKey } = await openTestWorkspace()
  const statuses = ['Bearer', 'bearer', 'BEARER'].map(async (scheme) => {
    const request = { method: 'GET', url: 'http://localhost/v1/rooms', body: undefined }
    const right = await service({ ...request, headers: { authorization: `${scheme} ${apiKey}` } })
    const wrong = await service({ ...request, headers: { authorization: `${scheme} ${apiKey}x` } })
    return [right.status, wrong.status]
  })
  expect(await Promise.all(statuses)).toEqual(Array(3).fill([200, 400]))
})
