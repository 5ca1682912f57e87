import { beforeEach, describe, expect, test } from 'vitest'
import type { WireResponse } from '../../../../src/api/wire.ts'
import {
  createImportWorld,
  entriesOf,
  type ImportWorld,
  lost,
  resultsOf,
  sentRows,
} from '../../../helpers/imports.ts'
import { answer } from '../../../helpers/world.ts'

let world: ImportWorld
let room: string
beforeEach(async () => {
  world = await createImportWorld()
  room = await world.room('Weekly')
  for (const id of ['a', 'b', 'c']) await world.send('POST', '/users', { user_id: id, name: id })
})

const kinds = {
  users: {
    file: 'user_id,name\nnew-1,A & B\nnew-2,A & B\nnew-3,A & B\n',
    line: () => 'users import in.csv --if-exists overwrite --journal j -o ndjson',
    held: async () => Object.keys(await world.users()).filter((id) => id.startsWith('new')).length,
  },
  members: {
    file: 'user_id,type\na,host\nb,host\nc,host\n',
    line: () => `members import in.csv --room ${room} --journal j -o ndjson`,
    held: async () => (await world.members(room)).length,
  },
  rooms: {
    file: 'name,type\nR1,open\nR2,open\nR3,open\n',
    line: () => 'rooms import in.csv --journal j -o ndjson',
    held: async () => (await world.rooms()).length - 1,
  },
} as const
type Kind = keyof typeof kinds

/** Writes the journal of a run that is killed before a read proves its writes. */
async function killUnproven(kind: Kind, isExecuted: boolean): Promise<void> {
  const { file, line } = kinds[kind]
  world.file('in.csv', file)
  let journal: string | undefined
  let isSent = false
  world.intercept = async (request, next) => {
    if (request.method === 'GET') {
      if (isSent) journal ??= world.read('j')
      return next()
    }
    isSent = true
    if (isExecuted) await next()
    return answer(200, {})
  }
  await world.run(line())
  // A room creation cannot be verified by a read, so the run ends without a read.
  const left = journal ?? (world.read('j') ?? '').replace(/^\{"row".*\n/gm, '').replace('{"end":true}\n', '')
  expect(sentRows(entriesOf(left))).toEqual([1, 2, 3])
  world.file('j', left)
  world.intercept = undefined
  world.requests.length = 0
}

async function resume(kind: Kind, read?: WireResponse | (() => Promise<never>)) {
  world.intercept = async (request, next) => {
    if (request.method !== 'GET' || read === undefined) return next()
    return typeof read === 'function' ? read() : read
  }
  const { code, stdout, stderr } = await world.run(`${kinds[kind].line()} --resume --retries 0`)
  world.intercept = undefined
  return { code, stderr, statuses: [...new Set(resultsOf(stdout).map(({ status }) => status))] }
}

describe.each(['users', 'members'] as const)(
  '%s import that is killed before its rows are proved',
  (kind) => {
    test(`${kind} import --resume after a kill reads unproven rows, and repeats no row that the service has stored`, async () => {
      await killUnproven(kind, true)
      expect(await resume(kind)).toMatchObject({ code: 0, statuses: ['ok'] })
      expect(world.writes()).toEqual([])
      expect(await kinds[kind].held()).toBe(3)
    })

    test(`${kind} import --resume after a kill reads unproven rows, and sends the rows that the service has lost`, async () => {
      await killUnproven(kind, false)
      expect(await resume(kind)).toMatchObject({ code: 0, statuses: ['ok'] })
      expect(world.sent()[0]).toMatch(/^GET/)
      expect(world.writes()).toHaveLength(3)
      expect(await kinds[kind].held()).toBe(3)
    })

    test.each<[string, WireResponse | (() => Promise<never>)]>([
      ['a 403 response', answer(403, { error: 'forbidden' })],
      ['a 422 response', answer(422, { error: 'no' })],
      ['a 401 response', answer(401, { error: 'expired' })],
      ['a 500 response', answer(500, '<h1>Oops</h1>', { 'content-type': 'text/html' })],
      ['an HTML page', answer(200, '<h1>Sign in</h1>', { 'content-type': 'text/html' })],
      ['an empty object', answer(200, {})],
      ['no response', lost],
    ])(
      `${kind} import --resume with unproven rows sends no write if the reads get %s`,
      async (_name, read) => {
        await killUnproven(kind, true)
        const { code } = await resume(kind, read)
        expect(code).not.toBe(0)
        expect(world.writes()).toEqual([])
        expect(await resume(kind)).toMatchObject({ code: 0, statuses: ['ok'] })
        expect(world.writes()).toEqual([])
      },
    )
  },
)

test.each<[string, WireResponse]>([
  ['404', answer(404, { error: 'no such user' })],
  ['410', answer(410, '')],
  ['400 with the code not_found', answer(400, { error: { code: 'not_found', message: 'no' } })],
  ['200 with null', answer(200, { user: null })],
])(
  'users import --resume sends an unproven row if the service responds to its read with %s',
  async (_name, read) => {
    await killUnproven('users', false)
    world.intercept = async (request, next) =>
      request.method === 'GET' && !request.url.includes('limit=1') ? read : next()
    expect((await world.run(`${kinds.users.line()} --resume`)).code).toBe(0)
    expect(world.writes()).toHaveLength(3)
  },
)

test('users import --resume accepts an unproven row that the service escaped, and warns with the field', async () => {
  await killUnproven('users', true)
  world.intercept = async (_request, next) => {
    const response = await next()
    const text = new TextDecoder().decode(response.body)
    return { ...response, body: new TextEncoder().encode(text.replace('A & B', 'A &amp; B')) }
  }
  const { code, stderr } = await world.run(`${kinds.users.line()} --resume`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('name is “A &amp; B”') })
  expect(world.writes()).toEqual([])
})

test('rooms import --resume never proves a room by its name, and creates no room twice', async () => {
  await killUnproven('rooms', true)
  expect(await resume('rooms')).toMatchObject({ code: 7, statuses: ['unknown'] })
  expect(world.writes()).toEqual([])
  expect(await kinds.rooms.held()).toBe(3)
})

test('rooms import --resume creates the unproven rooms whose names do not exist', async () => {
  await killUnproven('rooms', false)
  expect(await resume('rooms')).toMatchObject({ code: 0, statuses: ['ok'] })
  expect(await kinds.rooms.held()).toBe(3)
})

test('users import --resume reads the unproven rows before it sends the other rows', async () => {
  await killUnproven('users', true)
  const [header] = (world.read('j') ?? '').split('\n')
  world.file('j', `${header}\n{"sent":3,"to":3}\n`)
  for (const id of ['new-1', 'new-2']) await world.send('DELETE', `/users/${id}`)
  world.requests.length = 0
  expect((await world.run(`${kinds.users.line()} --resume`)).code).toBe(0)
  expect(world.sent()[0]).toBe('GET /users/new-3')
  expect(world.writes()).toHaveLength(2)
})
