import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memberTypes, roomTypes } from '../../../src/api/vocabulary.ts'
import { type AccessWorld, createAccessWorld } from '../../helpers/access.ts'
import { createImportWorld, type ImportWorld, journalOf, lost, trimmed } from '../../helpers/imports.ts'
import { answer, type World } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

type Thing = Record<string, any>

/** Generated fields that no import can restore. */
const generatedFields = [
  'id',
  'room_id',
  'created_at',
  'updated_at',
  'terminated_at',
  'started_at',
  'access_token',
]
const omitGenerated = (thing: Thing): Thing =>
  Object.fromEntries(Object.entries(thing).filter(([field]) => !generatedFields.includes(field)))
/** Returns a sort key of all fields, because names may repeat. */
const keyOf = (thing: Thing) => JSON.stringify(Object.entries(thing).sort(([a], [b]) => (a < b ? -1 : 1)))
const sortItems = (things: Thing[]) => things.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

async function readContents(world: Pick<World, 'send'>) {
  const { rooms } = (await world.send('GET', '/rooms?limit=1000')).body
  const { users } = (await world.send('GET', '/users?limit=1000')).body
  const full = await Promise.all(
    rooms.map(async (room: Thing) => {
      const { members } = (await world.send('GET', `/rooms/${room['id']}/members?limit=1000`)).body
      const isTerminated = room['terminated_at'] !== null
      return { ...omitGenerated(room), isTerminated, members: sortItems(members.map(omitGenerated)) }
    }),
  )
  return { rooms: sortItems(full), users: sortItems(users.map(omitGenerated)) }
}

const text = fc.oneof(
  // The service refuses NUL.
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 12 })
    .map(trimmed)
    .filter((text) => text !== '' && !text.includes('\0')),
  fc.constantFrom('#DEPRECATED#', '"\n"', "'=1+1", '\u202e\x1b[2J', '{}', 'null', '-'),
)
const unlisted = fc.record(
  { metadata: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null), tag: text },
  { requiredKeys: [] },
)
const people = ['ada', 'grace', 'alan', 'ünï cödé', 'a/b', '-x'] as const

const room = fc.record({
  settings: fc.record(
    {
      name: text,
      type: fc.constantFrom(...roomTypes),
      record: fc.boolean(),
      layout: text,
      max_meeting_seconds: fc.integer({ min: 1, max: 9999 }),
    },
    { requiredKeys: ['name', 'type'] },
  ),
  unlisted,
  isTerminated: fc.boolean(),
  members: fc.uniqueArray(
    fc.record({
      user_id: fc.constantFrom(...people),
      type: fc.constantFrom(...memberTypes),
      name: text,
      isBlocked: fc.boolean(),
      unlisted,
    }),
    { selector: ({ user_id }) => user_id, maxLength: 5 },
  ),
})

type Generated = typeof room extends fc.Arbitrary<infer T> ? T : never

async function createItems(world: ImportWorld, rooms: readonly Generated[]) {
  for (const user_id of people)
    await world.send('POST', '/users', {
      user_id,
      name: user_id.toUpperCase(),
      email: `${user_id}@x.test`,
      k: 1,
    })
  for (const { settings, unlisted, isTerminated, members } of rooms) {
    const { id } = (await world.send('POST', '/rooms', { ...unlisted, ...settings })).body.room
    for (const { isBlocked, name, unlisted, ...member } of members) {
      const made = (await world.send('POST', `/rooms/${id}/members`, { ...unlisted, ...member })).body.member
      const is_blocked = isBlocked && settings.type === 'private'
      await world.send('PUT', `/rooms/${id}/members/${made.id}`, { name, is_blocked })
    }
    if (isTerminated) await world.send('PUT', `/rooms/${id}`, { is_terminated: true })
  }
}

describe('an import of saved records', { timeout: 60_000 }, () => {
  test('rooms import restores the settings, members and status of saved rooms', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(room, { minLength: 1, maxLength: 4 }), async (rooms) => {
        const world = await createImportWorld()
        await createItems(world, rooms)
        const before = await readContents(world)
        const ids = (await world.send('GET', '/rooms?limit=1000')).body.rooms.map(({ id }: Thing) => id)
        const deleted = await world.run(['rooms', 'delete', ...ids, '--yes', '--save', 'undo.ndjson'])
        expect(deleted).toMatchObject({ code: 0 })
        expect(await world.rooms()).toEqual([])
        const { code, stderr } = await world.run('rooms import undo.ndjson')
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
        expect(await readContents(world)).toEqual(before)
      }),
      { numRuns: sized(5, 12), endOnFailure: true },
    )
  })

  test('users import restores deleted and offboarded users with their memberships', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(room, { minLength: 1, maxLength: 4 }),
        fc.subarray([...people], { minLength: 1 }),
        fc.constantFrom('delete', 'offboard'),
        async (rooms, users, verb) => {
          const world = await createImportWorld()
          await createItems(world, rooms)
          const before = await readContents(world)
          const flags = ['--yes', '--save', 'undo.ndjson', '-q']
          expect((await world.run(['users', verb, ...flags, '--', ...users])).code).toBe(0)
          expect(Object.keys(await world.users())).toHaveLength(people.length - users.length)
          const { code, stderr } = await world.run('users import undo.ndjson')
          expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
          expect(await readContents(world)).toEqual(before)
        },
      ),
      { numRuns: sized(5, 12), endOnFailure: true },
    )
  })
})

describe('an import of a saved file', () => {
  const path = (world: World, name: string) => join(world.dir, name)
  const undo = async (world: AccessWorld, line: string) => {
    expect(await world.outcome(`${line} --yes --save undo.ndjson -q`)).toMatchObject({ code: 0 })
    world.requests.length = 0
  }

  test('rooms import of a saved file omits generated fields from requests', async () => {
    const world = await createAccessWorld()
    const blocked = await world.member(world.ids.board, 'trudy')
    await world.send('PUT', `/rooms/${world.ids.board}/members/${blocked.id}`, { is_blocked: true })
    await undo(world, `rooms delete ${world.ids.board}`)
    await world.outcome('rooms import undo.ndjson')
    const [made, ...others] = world.writes()
    const member = (user_id: string) => ({ user_id, type: 'guest', name: user_id.toUpperCase() })
    expect(JSON.parse(made?.slice('POST /rooms '.length) ?? '')).toEqual({
      ...{ type: 'private', name: 'Board', layout: 'default', record: false },
      members: ['trudy', 'mallory', 'ada'].map(member),
    })
    expect(others).toEqual([
      expect.stringMatching(/^PUT \/rooms\/\w+\/members\/\w+ \{.*"is_blocked":true\}$/),
    ])
  })

  test('rooms import --resume after lost responses creates a saved room only once', async () => {
    const world = await createAccessWorld()
    const { board } = world.ids
    const blocked = await world.member(board, 'trudy')
    await world.send('PUT', `/rooms/${board}/members/${blocked.id}`, { is_blocked: true })
    await world.send('PUT', `/rooms/${board}`, { is_terminated: true })
    await undo(world, `rooms delete ${board}`)
    let isLost = false
    world.intercept = async (request, next) => {
      isLost ||= request.method === 'PUT'
      const done = await next()
      return isLost ? lost() : done
    }
    expect((await world.outcome('rooms import undo.ndjson --retries 0')).code).toBe(7)
    world.intercept = undefined
    expect(await world.outcome('rooms import undo.ndjson --resume')).toMatchObject({ code: 0 })
    expect(world.writes().filter((line) => line.startsWith('POST'))).toHaveLength(1)
    const rooms = (await world.send('GET', '/rooms?name=Board')).body.rooms
    expect(rooms).toHaveLength(1)
    expect(rooms[0].terminated_at).not.toBeNull()
    expect((await world.member(rooms[0].id, 'trudy')).is_blocked).toBe(true)
    // The journal of the first import prevents a repeated import.
    expect(await world.outcome('rooms import undo.ndjson')).toMatchObject({ code: 2 })
  })

  test('users import of a saved file prints a warning for a membership of a deleted room', async () => {
    const world = await createAccessWorld()
    await undo(world, 'users delete mallory')
    await world.send('DELETE', `/rooms/${world.ids.plans}`)
    expect(await world.outcome('users import undo.ndjson')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'warning: 1 membership is omitted: no such room\nimported 1 of 1 user\n',
    })
    expect((await world.rows('users rooms mallory')).rows).toHaveLength(3)
  })

  test('users import --if-exists update skips the saved memberships of an existing user', async () => {
    const world = await createAccessWorld()
    await undo(world, 'users delete trudy')
    await world.send('POST', '/users', { user_id: 'trudy', name: 'New' })
    expect(await world.outcome('users import undo.ndjson')).toMatchObject({ code: 1 })
    expect(await world.outcome('users import undo.ndjson --if-exists update')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'warning: the API sets memberships only when a user is created; 1 existing user keeps its memberships\n',
      ),
    })
    expect(await world.member(world.ids.board, 'trudy')).toBeUndefined()
  })

  test('users import --if-exists overwrite requires confirmation to block memberships', async () => {
    const world = await createAccessWorld()
    const { board } = world.ids
    await world.send('PUT', `/rooms/${board}/members/${(await world.member(board, 'trudy')).id}`, {
      is_blocked: true,
    })
    await undo(world, 'users delete trudy')
    await world.send('POST', '/users', { user_id: 'trudy' })
    await world.send('POST', `/rooms/${board}/members`, { user_id: 'trudy' })
    const line = 'users import undo.ndjson --if-exists overwrite'
    expect(await world.outcome(line)).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('error: blocking memberships of users needs confirmation'),
    })
    expect(world.writes()).toEqual([])
    expect(await world.outcome(`${line} --yes`)).toMatchObject({ code: 0 })
    expect((await world.member(board, 'trudy')).is_blocked).toBe(true)
  })

  test('rooms import --if-exists update requires confirmation to block members', async () => {
    const world = await createAccessWorld()
    const { board } = world.ids
    const row = {
      id: board,
      name: 'Board',
      type: 'private',
      members: [{ user_id: 'trudy', is_blocked: true }],
    }
    writeFileSync(path(world, 'rows.ndjson'), `${JSON.stringify(row)}\n`)
    const line = 'rooms import rows.ndjson --if-exists update'
    expect(await world.typing('n\n', line)).toMatchObject({
      code: 10,
      stderr: expect.stringContaining(`Block members of room “Board” (${board})`),
    })
    expect(await world.outcome(`${line} --yes`)).toMatchObject({ code: 0 })
    expect((await world.member(board, 'trudy')).is_blocked).toBe(true)
  })

  test.each([
    ['{"user_id":"u","memberships":1}', 'memberships must be a list, not 1'],
    ['{"user_id":"u","memberships":"y"}', 'memberships must be a list, not “y”'],
    ['{"user_id":"u","memberships":"[y"}', 'memberships is not valid JSON'],
    ['{"user_id":"u","memberships":[{"room_id":".."}]}', 'memberships[0]: “..” is not a valid room ID'],
    ['{"user_id":"u","memberships":[null]}', 'memberships[0]: the room ID is empty'],
  ])('users import rejects the row %s before any write', async (row, problem) => {
    const world = await createAccessWorld()
    writeFileSync(path(world, 'rows.ndjson'), `${row}\n`)
    expect(await world.outcome('users import rows.ndjson')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`error: rows.ndjson:1: ${problem}\n`),
    })
    expect(world.writes()).toEqual([])
  })

  test('rooms import restores a saved room with numeric IDs and string booleans', async () => {
    const world = await createAccessWorld()
    const row = {
      ...{ id: 7, name: 'Board', type: 'private', is_terminated: false, terminated_at: null },
      members: [{ id: 9, user_id: 'trudy', room_id: 7, type: 'host', name: null, is_blocked: 'true' }],
    }
    writeFileSync(path(world, 'rows.ndjson'), `${JSON.stringify(row)}\n`)
    world.intercept = async (request, next) =>
      request.url.endsWith('/rooms/7')
        ? answer(400, { error: { code: 'not_found', message: 'no such room' } })
        : next()
    const made = JSON.parse((await world.outcome('rooms import rows.ndjson -o ndjson')).stdout)
    expect(await world.member(made.id, 'trudy')).toMatchObject({ type: 'host', is_blocked: true })
    expect(existsSync(path(world, journalOf('rows.ndjson', 'rooms')))).toBe(false)
  })
})
