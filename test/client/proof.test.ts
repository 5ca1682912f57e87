import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/api/wire.ts'
import { createImportWorld, type ImportWorld, lost } from '../helpers/imports.ts'
import { answer } from '../helpers/world.ts'
import { share, sized } from '../suites/size.ts'

let world: ImportWorld
let room: string
let member: string

beforeEach(async () => {
  world = await createImportWorld()
  await world.send('POST', '/users', { user_id: 'ada', name: 'Old', default_member_type: 'guest' })
  await world.send('POST', '/users', { user_id: 'bob', name: 'Bob' })
  room = (await world.send('POST', '/rooms', { name: 'Old', type: 'private' })).body.room.id
  member = (await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada', type: 'guest' })).body.member
    .id
})

/** Commands whose result a read can prove. */
const readable = {
  'rooms update ROOM --name New': async () => (await world.rooms()).includes('New'),
  'rooms terminate ROOM --yes': async () => (await readRoom())?.terminated_at != null,
  'rooms delete ROOM --yes': async () => (await readRoom()) === undefined,
  'members add ROOM bob --type host': async () =>
    (await world.members(room)).some((line) => line.startsWith('bob host')),
  'members update ROOM MEMBER --type host': async () =>
    (await world.members(room)).some((line) => line.startsWith('ada host')),
  'members block ROOM MEMBER --yes': async () => (await readMember()).is_blocked === true,
  'users create ada --name New --overwrite': async () => (await world.users())['ada'] === 'New',
  'users create new --name New': async () => (await world.users())['new'] === 'New',
  'users update ada --name New': async () => (await world.users())['ada'] === 'New',
  'users delete ada --yes': async () => (await world.users())['ada'] === undefined,
} as const
/** Commands whose result no read can prove. */
const unreadable = [
  'rooms create --name New --type open',
  'message send ROOM hi',
  'pages create ROOM --index 3',
] as const

const readRoom = async () => (await world.send('GET', `/rooms/${room}`)).body.room
const readMember = async () => (await world.send('GET', `/rooms/${room}/members/${member}`)).body.member

const run = (line: string) => world.run(line.replace('ROOM', room).replace('MEMBER', member))
const reads = () => world.sent().filter((line) => line.startsWith('GET') && !line.includes('limit=1'))

function answerWrites(isExecuted: boolean, response: WireResponse | (() => Promise<never>)): void {
  world.intercept = async (request, next) => {
    if (request.method === 'GET') return next()
    if (isExecuted) await next()
    return typeof response === 'function' ? response() : response
  }
}

const isHtml = { 'content-type': 'text/html' }
const wordings: readonly (readonly [name: string, response: WireResponse | (() => Promise<never>)])[] = [
  ['{}', answer(200, {})],
  ['no body', answer(200, '')],
  ['204 without a body', answer(204, '')],
  ['a text', answer(200, 'OK', { 'content-type': 'text/plain' })],
  ['HTML', answer(200, '<h1>Welcome</h1>', isHtml)],
  ['a message', answer(202, { message: 'accepted' })],
  ['null', answer(200, 'null')],
  ['a list', answer(200, [{ id: 'x' }])],
  ['null as the item', answer(200, { room: null, user: null, member: null })],
  ['an empty item', answer(200, { room: {}, user: {}, member: {} })],
  [
    'another item',
    answer(200, { room: { id: 'x' }, user: { user_id: 'x' }, member: { id: 'x', user_id: 'x' } }),
  ],
  ['303', answer(303, '', { location: '/' })],
  ['408', answer(408, { message: 'slow' })],
  ['500 with HTML', answer(500, '<h1>Oops</h1>', isHtml)],
  ['503', answer(503, { message: 'busy' })],
  ['521', answer(521, '<h1>down</h1>', isHtml)],
  ['599', answer(599, { message: 'timeout' })],
  ['no response', lost],
]

describe.each(wordings)('a write with the response “%s”', (name, response) => {
  // A quick run tests each response with every third command.
  const index = wordings.findIndex(([each]) => each === name)
  const met = share(Object.entries(readable), index, 3)

  test.each(met)(`“%s” exits 0 if the service made the change (response: ${name})`, async (line, isDone) => {
    answerWrites(true, response)
    const { code, stderr } = await run(`${line} --retries 0`)
    world.intercept = undefined
    expect(await isDone()).toBe(true)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error:') })
    expect(reads().length).toBeLessThanOrEqual(/create new|block/.test(line) ? 2 : 1)
  })

  test.each(met)(`“%s” exits 7 if the service did not make the change (response: ${name})`, async (line) => {
    answerWrites(false, response)
    const { code, stdout, stderr } = await run(`${line} --retries 0`)
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toMatch(/^error: .+; a read does not confirm the change: .+\nhint: check with: meetroom /m)
  })
})

test.each(unreadable)('“%s” exits 7 after a 200 response with HTML', async (line) => {
  answerWrites(true, answer(200, '<h1>Welcome</h1>', isHtml))
  expect(await run(line)).toMatchObject({ code: 7, stdout: '' })
})

test.each(unreadable.slice(1))(
  '“%s” exits 0 after a response without a body or without the item',
  async (line) => {
    for (const response of [answer(200, ''), answer(200, {}), answer(202, { queued: true })]) {
      answerWrites(true, response)
      expect((await run(line)).code).toBe(0)
    }
  },
)

test('rooms create exits 7 and reports the room ID if the response contains another name', async () => {
  answerWrites(false, answer(200, { room: { id: 'r9', name: 'Other', type: 'open' } }))
  const { code, stdout, stderr } = await run('rooms create --name New --type open --json')
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'unknown_outcome', created_id: 'r9' })
})

test.each([
  ['as {data: {room}}', (body: any) => ({ data: body })],
  ['as the whole body', (body: any) => body.room],
  ['as {data}', (body: any) => ({ data: body.room })],
])('a response that contains the room %s proves the change without a read', async (_where, wrap) => {
  world.intercept = async (request, next) => {
    const response = await next()
    if (request.method === 'GET') return response
    return answer(200, wrap(JSON.parse(new TextDecoder().decode(response.body))))
  }
  expect(await run('rooms update ROOM --name New -o ids')).toMatchObject({
    code: 0,
    stdout: `${room}\n`,
    stderr: '',
  })
  expect((await run('rooms create --name Made --type open -o tsv --columns name --no-header')).stdout).toBe(
    'Made\n',
  )
  expect(reads()).toEqual([])
})

test('users update exits 1 if the service applies only one of two fields', async () => {
  world.intercept = async (request, next) => {
    if (request.method !== 'PUT') return next()
    await next({ ...request, body: JSON.stringify({ name: 'New' }) })
    return answer(200, {})
  }
  expect(await run('users update ada --name New --default-member-type host')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('default_member_type is “guest”, not “host”; applied: name'),
  })
})

test('users create exits 1 if the service returns the user ID in another letter case', async () => {
  answerWrites(false, answer(200, { user: { user_id: 'NEW', name: 'New' } }))
  expect(await run('users create new --name New')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('user_id is “NEW”, not “new”'),
  })
})

test('rooms update succeeds if the first two reads after the write return the old value', async () => {
  let lag = 2
  const old = (await world.send('GET', `/rooms/${room}`)).body
  world.intercept = async (request, next) => {
    if (request.method !== 'GET') return next().then(() => answer(200, {}))
    return lag-- > 0 ? answer(200, old) : next()
  }
  expect((await run('rooms update ROOM --name New')).code).toBe(0)
  expect(reads()).toHaveLength(3)
})

test('a deletion whose first response is lost exits 7 unless the command read the item before', async () => {
  let isLost = true
  world.intercept = async (request, next) => {
    const response = await next()
    if (request.method !== 'DELETE' || !isLost) return response
    isLost = false
    return lost()
  }
  expect((await world.run(['rooms', 'delete', 'name:Old', '--yes'])).code).toBe(0)
  isLost = true
  expect((await run('users delete ada --yes')).code).toBe(7)
})

describe('a value in another spelling', () => {
  const update = (name: string, shown: string) => {
    world.intercept = async (request, next) => {
      const response = await next()
      if (request.method !== 'PUT') return response
      const { user } = JSON.parse(new TextDecoder().decode(response.body))
      return answer(200, { user: { ...user, name: shown } })
    }
    return world.run(['users', 'update', 'ada', '--name', name])
  }

  test.each([
    ['A & B', 'A &amp; B'],
    ['A & B', 'A &#38; B'],
    ['a b', 'a%20b'],
    ['é', 'e\u0301'],
    ['New', ' New '],
    ['say "x"', 'say \\"x\\"'],
  ])('users update to the name %j succeeds with a warning if the service returns %j', async (name, shown) => {
    const { code, stderr } = await update(name, shown)
    expect(code).toBe(0)
    expect(stderr).toContain('warning: the service returns a different spelling: name is ')
  })

  test('users update exits 7 if the service returns another letter case and the old name is unknown', async () => {
    world.intercept = async (request, next) => {
      if (request.method === 'GET') return answer(200, { user: { user_id: 'ada', name: 'NEW' } })
      return next().then(() => answer(200, { user: { user_id: 'ada', name: 'NEW' } }))
    }
    expect((await run('users update ada --name New')).code).toBe(7)
  })
})

describe('a response that reports a failure', () => {
  test.each([
    { success: false },
    { ok: false, message: 'no' },
    { error: 'no' },
    { errors: ['no'] },
    { status: 'error', message: 'no' },
    { statusCode: 422, message: 'no' },
  ])('writes exit 1 without a read after the 200 response %j', async (body) => {
    answerWrites(false, answer(200, body))
    for (const line of [
      'rooms update ROOM --name New',
      'rooms create --name New --type open',
      'message send ROOM hi',
    ])
      expect((await run(line)).code, line).toBe(1)
    expect(reads()).toEqual([])
  })

  test('rooms update verifies the change with a read if the response contains both an error and the room', async () => {
    answerWrites(true, answer(200, { error: 'no', room: { id: room, name: 'New' } }))
    expect((await run('rooms update ROOM --name New')).code).toBe(0)
    expect(reads()).toHaveLength(1)
  })
})

test('rooms update fails after any response without the new name if the service did not make the change', async () => {
  const words = fc.constantFrom(
    'id',
    'room',
    'data',
    'name',
    'type',
    'message',
    'ok',
    'success',
    'error',
    'status',
    'user',
  )
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('New', 'Old', 'open', 'error', '', 'ROOM', null, true, false, 0, 200, 404),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(words, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  await fc.assert(
    fc.asyncProperty(
      values,
      fc.boolean(),
      fc.constantFrom(200, 201, 202),
      async (value, isExecuted, status) => {
        await world.send('PUT', `/rooms/${room}`, { name: 'Old' })
        const body = JSON.stringify(value).replaceAll('ROOM', room)
        answerWrites(isExecuted, answer(status, body))
        const { code } = await run('rooms update ROOM --name New')
        world.intercept = undefined
        const isShown = body.includes('New')
        if (isExecuted) expect([0, 1, 7]).toContain(code)
        else if (!isShown) expect([1, 7]).toContain(code)
        // After a successful change, only a response that reports a failure may cause exit code 1.
        if (isExecuted && code === 1) expect(body).toMatch(/ok|success|error|status/)
      },
    ),
    { numRuns: sized(15, 150) },
  )
})
