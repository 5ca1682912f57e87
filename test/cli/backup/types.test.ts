import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, type ImportWorld } from '../../helpers/imports.ts'
import { answer } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

let world: ImportWorld
let rooms: Record<'lab' | 'over' | 'hall', string>
beforeEach(async () => {
  world = await createImportWorld()
  for (const user_id of ['ada', 'bob'])
    await world.send('POST', '/users', { user_id, name: user_id, default_member_type: 'monitor' })
  const make = async (body: object) => (await world.send('POST', '/rooms', body)).body.room.id as string
  rooms = {
    lab: await make({
      name: 'Lab',
      type: 'private',
      record: true,
      max_meeting_seconds: 3600,
      layout: 'grid',
    }),
    over: await make({ name: 'Over', type: 'public' }),
    hall: await make({ name: 'Hall', type: 'open' }),
  }
  await world.send('PUT', `/rooms/${rooms.over}`, { is_terminated: true })
  for (const [user_id, type] of [
    ['ada', 'host'],
    ['bob', 'guest'],
  ]) {
    const { body } = await world.send('POST', `/rooms/${rooms.lab}/members`, { user_id, type })
    await world.send('PUT', `/rooms/${rooms.lab}/members/${body.member.id}`, {
      is_blocked: user_id === 'bob',
    })
  }
})

type Respell = (field: string, value: unknown) => unknown

const isType = (field: string) => field === 'type' || field === 'default_member_type'

const services: [what: string, respell: Respell][] = [
  ['the data types of the embedded service', (_, value) => value],
  ['1 and 0 for booleans', (_, value) => (typeof value === 'boolean' ? Number(value) : value)],
  ['strings for booleans', (_, value) => (typeof value === 'boolean' ? String(value).toUpperCase() : value)],
  ['types in capital letters', (field, value) => (isType(field) ? String(value).toUpperCase() : value)],
  ['strings for numbers', (_, value) => (typeof value === 'number' ? String(value) : value)],
  [
    '0001-01-01 for a missing time',
    (field, value) => (field.endsWith('_at') ? (value ?? '0001-01-01T00:00:00Z') : value),
  ],
  ['0 for a missing time', (field, value) => (field.endsWith('_at') ? (value ?? 0) : value)],
  [
    'times in seconds',
    (field, value) => (field.endsWith('_at') ? value && Date.parse(String(value)) / 1000 : value),
  ],
  [
    '0 and empty strings for missing settings',
    (field, value) => ({ max_meeting_seconds: value ?? 0, layout: value ?? '' })[field] ?? value,
  ],
  ['members without room_id', (field, value) => (field === 'room_id' ? undefined : value)],
]

function convertValues(value: unknown, respell: Respell): unknown {
  if (Array.isArray(value)) return value.map((item) => convertValues(item, respell))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, held]) => [field, respell(field, convertValues(held, respell))]),
  )
}

function convertResponses(respell: Respell) {
  world.intercept = async (request, next) => {
    const given = await next()
    if (request.method !== 'GET') return given
    return answer(given.status, convertValues(JSON.parse(new TextDecoder().decode(given.body)), respell))
  }
}

async function state() {
  const { body } = await world.send('GET', '/rooms?limit=1000')
  const described = body.rooms.map(async (room: any) => [
    room.name,
    {
      ...{ type: room.type, record: room.record, layout: room.layout, isOver: room.terminated_at !== null },
      limit: room.max_meeting_seconds,
      members: (await world.send('GET', `/rooms/${room.id}/members`)).body.members
        .map(({ user_id, type, is_blocked }: any) => `${user_id} ${type} ${is_blocked}`)
        .sort(),
    },
  ])
  return Object.fromEntries((await Promise.all(described)).sort())
}

describe.each(services)('on a service with %s', (what, respell) => {
  test(`rooms import restores rooms saved from a service with ${what}`, async () => {
    const before = await state()
    convertResponses(respell)
    const ids = Object.values(rooms)
    expect(await world.run(['rooms', 'delete', ...ids, '--yes', '--save', 'saved.ndjson'])).toMatchObject({
      code: 0,
    })
    expect(await state()).toEqual({})
    expect(await world.run('rooms import saved.ndjson --yes')).toMatchObject({ code: 0 })
    expect(await state()).toEqual(before)
  })

  test(`users import restores users saved from a service with ${what}`, async () => {
    const before = { rooms: await state(), users: await world.users() }
    convertResponses(respell)
    expect(await world.run('users delete ada bob --yes --save saved.ndjson')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual({})
    expect(await world.run('users import saved.ndjson --yes')).toMatchObject({ code: 0 })
    expect({ rooms: await state(), users: await world.users() }).toEqual(before)
    expect((await world.user('ada')).default_member_type).toBe('monitor')
  })

  const row = services.findIndex(([each]) => each === what)

  test.each(share(['csv', 'ndjson', 'json'], row, 3))(
    `an import of a %s export from a service with ${what} keeps rooms and members unchanged`,
    async (format) => {
      const before = await state()
      convertResponses(respell)
      for (const [file, line] of [
        ['rooms', 'rooms export'],
        ['members', 'members export --all-rooms'],
      ])
        world.file(`${file}.${format}`, (await world.run(`${line} -o ${format}`)).stdout)
      expect(await world.run(`members import members.${format} --if-exists update --yes`)).toMatchObject({
        code: 0,
      })
      expect(await world.run(`rooms import rooms.${format} --if-exists update --yes`)).toMatchObject({
        code: 0,
      })
      expect(await state()).toEqual(before)
    },
  )
})

describe('a record that cannot be imported again', () => {
  const bad: [what: string, respell: Respell, problem: string][] = [
    ['has an unknown type', (field, value) => (isType(field) ? 'webinar' : value), 'type'],
    ['has no name', (field, value) => (field === 'name' ? null : value), 'name is missing'],
    [
      'has a non-boolean record field',
      (field, value) => (field === 'record' ? 'maybe' : value),
      'record must be true or false, not “maybe”',
    ],
  ]

  test.each(bad)(
    'rooms delete --save exits 2 before any write if a room %s',
    async (_what, respell, problem) => {
      const before = await state()
      convertResponses(respell)
      for (const line of [
        `rooms delete ${rooms.hall} ${rooms.lab} --yes --save saved.ndjson`,
        `rooms delete ${rooms.hall} --yes --save saved.ndjson`,
        `api DELETE /rooms/${rooms.hall} --yes --save saved.ndjson`,
      ]) {
        const { code, stdout, stderr } = await world.run(line)
        expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' })
        expect(stderr).toMatch(
          /cannot be imported again: .*; nothing was changed\nhint: pass --no-save to delete without saving\n$/,
        )
        expect(stderr).toContain(problem)
      }
      expect(world.read('saved.ndjson')).toBeUndefined()
      expect(world.writes()).toEqual([])
      world.intercept = undefined
      expect(await state()).toEqual(before)
    },
  )

  test('users delete --save exits 2 for a user with an unknown default role', async () => {
    convertResponses((field, value) => (field === 'default_member_type' ? 'king' : value))
    expect(await world.run('users delete ada --yes --save saved.ndjson')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('user ada cannot be imported again: '),
    })
    expect(world.writes()).toEqual([])
  })
})

test('rooms import creates active rooms for the terminated_at value 0001-01-01', async () => {
  const time = '0001-01-01T00:00:00Z'
  const lines = ['A', 'B', 'C'].map((name) =>
    JSON.stringify({ id: name, name, type: 'open', terminated_at: time }),
  )
  world.file('rooms.ndjson', `${lines.join('\n')}\n`)
  expect(await world.run('rooms import rooms.ndjson')).toMatchObject({ code: 0 })
  expect((await world.run('rooms list --where status=terminated -o csv --columns name')).stdout).toBe(
    'name\r\nOver\r\n',
  )
})
