import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import {
  decodeBody,
  localUrl,
  openTestWorkspace,
  type TestWorkspace,
  wireRequest,
} from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

let workspace: TestWorkspace
let send: TestWorkspace['send']
beforeEach(async () => {
  workspace = await openTestWorkspace()
  send = workspace.send
})

type Kind = 'room' | 'user' | 'member'
type Thing = Record<string, unknown>

const deprecated = [
  'created_user_id',
  'last_thumbnail_updated_at',
  'room_template_id',
  'is_terminated',
  'is_ephemeral',
  'is_recurring',
]

async function make(kind: Kind, fields: Thing = {}): Promise<{ path: string; thing: Thing }> {
  if (kind === 'user') {
    const { user } = (await send('POST', '/users', { user_id: 'ada', ...fields })).body
    return { path: '/users/ada', thing: user }
  }
  const room = { name: 'R', type: 'private', ...(kind === 'room' && fields) }
  const { id, ...rest } = (await send('POST', '/rooms', room)).body.room
  if (kind === 'room') return { path: `/rooms/${id}`, thing: { id, ...rest } }
  await send('POST', '/users', { user_id: 'ada' })
  const { member } = (await send('POST', `/rooms/${id}/members`, { user_id: 'ada', ...fields })).body
  return { path: `/rooms/${id}/members/${member.id}`, thing: member }
}

async function get(kind: Kind, path: string): Promise<Thing> {
  return (await send('GET', path)).body[kind]
}

const kinds: Kind[] = ['room', 'user', 'member']
const fields = { metadata: { tags: ['a', null, 1.5], deep: [[{}]] }, layout_id: 7, options: null, 'x y': '' }

describe.each(kinds)('unlisted fields of a %s', (kind) => {
  test(`responses contain the unlisted fields of a ${kind} after the listed fields`, async () => {
    const { path, thing } = await make(kind, fields)
    expect(thing).toMatchObject(fields)
    expect(Object.keys(thing).slice(-4)).toEqual(Object.keys(fields))
    expect(await get(kind, path)).toEqual(thing)
    const { body } = await send('GET', path.slice(0, path.lastIndexOf('/')))
    expect([body.rooms ?? body.users ?? body.members].flat()).toMatchObject([thing])
  })

  test(`an update of a ${kind} changes only the unlisted fields in the request`, async () => {
    const { path } = await make(kind, fields)
    await send('PUT', path, { name: 'other' })
    expect(await get(kind, path)).toMatchObject({ name: 'other', ...fields })
    const { status, body } = await send('PUT', path, { metadata: { new: true }, more: [] })
    expect(status).toBe(200)
    expect(body[kind]).toMatchObject({ ...fields, metadata: { new: true }, more: [] })
    expect(body[kind]['metadata']).toEqual({ new: true })
    expect(await get(kind, path)).toEqual(body[kind])
  })

  test(`unlisted fields of a ${kind} accept any JSON value`, async () => {
    const { path } = await make(kind)
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
        const sent = JSON.parse(JSON.stringify({ metadata: value }))
        const { status, body } = await send('PUT', path, sent)
        expect(status).toBe(200)
        expect(body[kind]['metadata']).toEqual(sent.metadata)
        expect(await get(kind, path)).toEqual(body[kind])
      }),
      { numRuns: sized(10, 50) },
    )
  })

  test(`unlisted fields of a ${kind} keep every digit of a number`, async () => {
    const { path } = await make(kind)
    const text = '{"metadata":[12345678901234567890,0.12345678901234567890,1e400,-7]}'
    const request = wireRequest(localUrl, workspace.apiKey, { method: 'PUT', path, body: {} })
    const updated = await workspace.service({ ...request, body: text })
    expect(updated.text).toContain(text.slice(1, -1))
    expect((await workspace.service({ ...request, method: 'GET' })).text).toContain(text.slice(1, -1))
  })

  test(`an update is refused if the unlisted fields of a ${kind} exceed 64 KB`, async () => {
    const { path } = await make(kind)
    // `{"a":"…"}` is eight bytes longer than its text.
    expect((await send('PUT', path, { a: 'x'.repeat(65_536 - 8) })).status).toBe(200)
    const before = await get(kind, path)
    const refused = {
      status: 400,
      body: {
        error: {
          code: 'invalid_parameters',
          message: 'fields that the API does not list take more than 65536 bytes',
        },
      },
    }
    expect(await send('PUT', path, { name: 'other', a: 'x'.repeat(65_536 - 7) })).toEqual(refused)
    expect(await send('PUT', path, { name: 'other', b: 1 })).toEqual(refused)
    expect(await get(kind, path)).toEqual(before)
  })

  test(`unlisted fields of a ${kind} can have the name of a JavaScript property or of an internal field`, async () => {
    const names = { constructor: 1, toString: 2, seq: 3, unlisted: 4, meeting_ms: 5, hasOwnProperty: 6 }
    const { path, thing } = await make(kind, names)
    expect(thing).toMatchObject(names)
    expect(await get(kind, path)).toEqual(thing)
  })

  test(`unlisted fields of a ${kind} cannot have the name __proto__, except in nested objects`, async () => {
    const { path, thing } = await make(kind)
    const request = wireRequest(localUrl, workspace.apiKey, { method: 'PUT', path, body: {} })
    const refused = await workspace.service({ ...request, body: '{"__proto__":{"name":"x"}}' })
    expect(decodeBody(refused).error).toEqual({
      code: 'invalid_parameters',
      message: 'a field cannot have the name __proto__',
    })
    expect(await get(kind, path)).toEqual(thing)
    const inside = '"metadata":{"a":[{"__proto__":{"name":"x"}}]}'
    expect((await workspace.service({ ...request, body: `{${inside}}` })).text).toContain(inside)
  })
})

test('overwriting a user replaces its unlisted fields', async () => {
  await make('user', fields)
  const { body } = await send('POST', '/users', { user_id: 'ada', other: 1 })
  expect(body.user).toMatchObject({ other: 1 })
  expect(body.user).not.toHaveProperty('metadata')
})

test('adding a member again merges the unlisted fields of the member', async () => {
  await send('POST', '/users', { user_id: 'ada' })
  const members = [{ user_id: 'ada', seat: 1, badge: 'a' }]
  const { room } = (await send('POST', '/rooms', { name: 'R', type: 'open', members })).body
  const list = async () => (await send('GET', `/rooms/${room.id}/members`)).body.members
  expect(await list()).toMatchObject([{ user_id: 'ada', seat: 1, badge: 'a' }])
  await send('POST', `/rooms/${room.id}/members`, { user_id: 'ada', seat: 2 })
  expect(await list()).toMatchObject([{ user_id: 'ada', seat: 2, badge: 'a' }])
})

test('pages store and return unlisted fields of up to 64 KB per page', async () => {
  const { path } = await make('room')
  const create = (...pages: object[]) => send('POST', `${path}/pages/create_many`, pages)
  const { status, body } = await create({ title: 'One', metadata: { tags: ['a', null] } }, { index: 4 })
  expect([status, body.pages]).toEqual([
    200,
    [
      {
        id: expect.any(String),
        entities: [],
        size: null,
        index: 0,
        title: 'One',
        metadata: { tags: ['a', null] },
      },
      { id: expect.any(String), entities: [], size: null, index: 4 },
    ],
  ])
  expect(workspace.store.all('SELECT unlisted FROM pages ORDER BY seq')).toMatchObject([
    { unlisted: '{"title":"One","metadata":{"tags":["a",null]}}' },
    { unlisted: null },
  ])
  expect((await create({ a: 'x'.repeat(65_536 - 8) })).status).toBe(200)
  const refused = await create({}, { a: 'x'.repeat(65_536 - 7) })
  expect([refused.status, refused.body.error]).toEqual([
    400,
    { code: 'invalid_parameters', message: 'fields that the API does not list take more than 65536 bytes' },
  ])
  expect(workspace.store.all('SELECT 1 FROM pages')).toHaveLength(3)
})

test('entities of pages keep every digit of a number', async () => {
  const { path } = await make('room')
  const request = wireRequest(localUrl, workspace.apiKey, {
    method: 'POST',
    path: `${path}/pages/create_many`,
    body: [],
  })
  const number = '0.12345678901234567890'
  const text = `[{"entities":[{"type":"Image","src":"https://example.com/","x":${number}}]}]`
  expect((await workspace.service({ ...request, body: text })).text).toContain(number)
  const { entities } = workspace.store.one<{ entities: string }>('SELECT entities FROM pages') ?? {}
  expect(entities).toContain(number)
})

test('an upgrade from a version without unlisted fields of pages keeps the pages', async () => {
  const dir = tempDir()
  const old = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  for (const step of migrations.slice(0, 8)) old.exec(step)
  old.exec('PRAGMA user_version = 8')
  old.exec(`INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
    VALUES ('r', 'open', 'Old', 'default', 0, 1, 1)`)
  old.exec(`INSERT INTO pages (id, room_id, position, entities, created_at) VALUES ('p', 'r', 6, '[]', 1)`)
  old.close()
  const opened = await openTestWorkspace(dir)
  const { body } = await opened.send('POST', '/rooms/r/pages/create_many', [{ title: 'New' }])
  expect(body.pages).toMatchObject([{ index: 7, title: 'New' }])
  expect(opened.store.all('SELECT id, unlisted FROM pages ORDER BY seq')).toMatchObject([
    { id: 'p', unlisted: null },
    { unlisted: '{"title":"New"}' },
  ])
})

test('an upgrade from a version without unlisted fields keeps the data of the workspace', async () => {
  const dir = tempDir()
  const old = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  for (const step of migrations.slice(0, 2)) old.exec(step)
  old.exec('PRAGMA user_version = 2')
  old.exec(`INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
    VALUES ('r', 'open', 'Old', 'default', 0, 1, 1)`)
  old.exec(`INSERT INTO users (id, user_id, default_member_type, access_token, created_at, updated_at)
    VALUES ('u', 'ada', 'guest', 'token', 1, 1)`)
  // The meeting time of this reopened room is used up.
  old.exec(`INSERT INTO rooms (id, type, name, layout, record, max_meeting_seconds, meeting_ms, created_at, updated_at)
    VALUES ('o', 'open', 'Over', 'default', 0, 60, 60000, 1, 1)`)
  old.close()
  const opened = await openTestWorkspace(dir)
  expect((await opened.send('GET', '/rooms')).body.rooms).toMatchObject([
    { id: 'o', meeting_time: 60 },
    { id: 'r', name: 'Old' },
  ])
  expect(opened.store.one('SELECT meeting_from_ms FROM rooms WHERE id = ?', 'o')).toMatchObject({
    meeting_from_ms: 60_000,
  })
  expect((await opened.send('PUT', '/rooms/r', fields)).body.room).toMatchObject({ name: 'Old', ...fields })
  expect((await opened.send('PUT', '/users/ada', fields)).body.user).toMatchObject(fields)
})

describe.each(kinds)('the record of a %s', (kind) => {
  test(`an update accepts the full record of a ${kind}`, async () => {
    const { path, thing } = await make(kind, fields)
    const { status, body } = await send('PUT', path, thing)
    expect({ status, thing: body[kind] }).toEqual({
      status: 200,
      thing: { ...thing, updated_at: expect.any(String) },
    })
    const changed = await send('PUT', path, { ...thing, name: 'other' })
    expect(changed.status).toBe(200)
    // The body contains fields that were read before the last change.
    expect((await send('PUT', path, { ...thing, name: 'other still' })).status).toBe(200)
    expect(await get(kind, path)).toMatchObject({ ...fields, name: 'other still' })
  })
})

describe('an update', () => {
  const listed: Record<Kind, Thing> = {
    room: {
      id: 'x',
      type: 'open',
      application_id: 'x',
      thumbnail_url: 'https://example.com/a.png',
      record: true,
      terminated_at: '2026-01-02T03:04:05.678Z',
      created_at: '2026-01-02T03:04:05.678Z',
      max_meeting_seconds: 60,
      members: [{ user_id: 'ada' }],
      webhook: { url: 'https://example.com/' },
      ...Object.fromEntries(deprecated.map((name) => [name, 'x'])),
      is_terminated: undefined,
    },
    user: {
      user_id: 'grace',
      access_token: 'x',
      created_at: '2026-01-02T03:04:05.678Z',
      id: 'x',
      email_search_query: 'x',
    },
    member: { id: 'x', user_id: 'grace', room_id: 'x', created_at: '2026-01-02T03:04:05.678Z' },
  }
  const cases = kinds.flatMap((kind) =>
    Object.entries(listed[kind]).flatMap(([field, value]) =>
      value === undefined ? [] : [[kind, field, value] as const],
    ),
  )

  test.each(cases)('an update of a %s with the field %s is refused', async (kind, field, value) => {
    const { path, thing } = await make(kind)
    expect(await send('PUT', path, { name: 'other', [field]: value })).toEqual({
      status: 500,
      body: { error: { code: 'validation_exception', message: `${field} cannot be changed` } },
    })
    expect(await get(kind, path)).toEqual(thing)
  })

  test('an update of a room ignores fields that the service computes', async () => {
    const { path, thing } = await make('room')
    const moved = { updated_at: 'x', started_at: 'x', meeting_time: 1000 }
    expect((await send('PUT', path, moved)).status).toBe(200)
    expect(await get('room', path)).toEqual({ ...thing, updated_at: expect.any(String) })
  })

  test('an update of a user with an invalid value is refused', async () => {
    const { path } = await make('user', { name: 'Ada' })
    for (const body of [{ name: null }, { name: 1 }, { default_member_type: 'owner' }, [], null, 'x'])
      expect((await send('PUT', path, body)).status).toBe(400)
    expect((await get('user', path))['name']).toBe('Ada')
  })
})

describe('a create request', () => {
  test('a create request for a room ignores fields that the service generates', async () => {
    const { thing } = await make('room', fields)
    const { status, body } = await send('POST', '/rooms', thing)
    const { id, created_at, updated_at } = body.room
    expect(status).toBe(200)
    expect(body.room).toEqual({ ...thing, id, created_at, updated_at })
    expect(id).not.toBe(thing['id'])
    const own = { ...thing, id: 'mine', terminated_at: created_at, application_id: 'mine', meeting_time: 60 }
    const { room } = (await send('POST', '/rooms', own)).body
    expect(room).toMatchObject({ terminated_at: null, meeting_time: 0 })
    expect([room.id, room['application_id']]).not.toContain('mine')
  })

  test('a create request is refused if it contains a field that only an update can set', async () => {
    const refused = (name: string) => ({
      status: 500,
      body: { error: { code: 'validation_exception', message: `${name} cannot be set at creation` } },
    })
    const room = { name: 'R', type: 'private', is_terminated: true }
    expect(await send('POST', '/rooms', room)).toEqual(refused('is_terminated'))
    const { path } = await make('room')
    await send('POST', '/users', { user_id: 'ada' })
    const member = { user_id: 'ada', is_blocked: true }
    expect(await send('POST', `${path}/members`, member)).toEqual(refused('is_blocked'))
  })
})

test('an empty name, email or unlisted field is stored as an empty string', async () => {
  const user = { name: '', email: '', note: '' }
  const made = await make('user', user)
  expect(made.thing).toMatchObject(user)
  expect(await get('user', made.path)).toEqual(made.thing)
  const { path } = await make('member', { name: '' })
  expect(await get('member', path)).toMatchObject({ name: '' })
  for (const name of ['x', '']) expect((await send('PUT', path, { name })).body.member['name']).toBe(name)
  for (const name of ['x', '']) expect((await send('PUT', made.path, { name })).body.user['name']).toBe(name)
})
