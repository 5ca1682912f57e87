import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, resultsOf } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer } from '../../helpers/world.ts'

const world = perTest(createImportWorld)

const rooms = [
  { id: 7, type: null, name: 12, record: 'true', meeting_time: '200000', created_at: 1767322000 },
  { id: '@big@', name: null, layout: { grid: true }, terminated_at: false },
  { id: 'r3', name: ['x'], extra: 'yes' },
]
// The number exceeds the precision of a double, so JSON.parse would round it.
const body = JSON.stringify({ rooms, paging: { limit: '30', offset: null, total: '3' } }).replace(
  '"@big@"',
  '12345678901234567890',
)

function serveUnusualTypes() {
  world.intercept = async ({ method, url }) => {
    const { pathname } = new URL(url)
    if (pathname === '/v1/rooms' && method === 'GET') return answer(200, body)
    const [, id] = /\/rooms\/(\w+)$/.exec(pathname) ?? []
    return answer(200, `{"room":{"id":${id === 'r3' ? '"r3"' : id},"name":1,"terminated_at":1767322000}}`)
  }
}

describe('a list with numeric IDs and fields of unexpected types', () => {
  beforeEach(serveUnusualTypes)

  test('rooms list prints numeric IDs and fields of unexpected types in each format', async () => {
    const run = async (format: string) => {
      const { code, stdout, stderr } = await world.run(`rooms list --columns id,name,record -o ${format}`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout
    }
    expect(await run('table')).toBe(
      'ID                    NAME   RECORD\n' +
        '────────────────────  ─────  ──────\n' +
        '7                     12     true\n' +
        '12345678901234567890\n' +
        'r3                    ["x"]\n',
    )
    expect(await run('csv')).toBe(
      'id,name,record\r\n7,12,true\r\n12345678901234567890,,\r\nr3,"[""x""]",\r\n',
    )
    expect((await world.run('rooms list -o ids')).stdout).toBe('7\n12345678901234567890\nr3\n')
    expect((await world.run('rooms list -o json')).stdout).toBe(body)
    expect((await world.run('rooms list -o ndjson')).stdout.split('\n')[1]).toBe(
      '{"id":12345678901234567890,"name":null,"layout":{"grid":true},"terminated_at":false}',
    )
  })

  test('rooms list --all prints every room if the total is text', async () => {
    expect((await world.run('rooms list --all -o ids')).stdout).toBe('7\n12345678901234567890\nr3\n')
    expect(world.requests).toHaveLength(1)
  })

  test('rooms delete --where filters a list with numeric IDs and fields of other types', async () => {
    expect(await world.run('rooms delete --where name~. --yes -o ids')).toMatchObject({
      code: 0,
      stdout: '7\nr3\n',
    })
    expect(world.writes()).toEqual(['DELETE /rooms/7', 'DELETE /rooms/r3'])
  })

  test('rooms list prints numeric IDs that rooms terminate accepts on standard input', async () => {
    const { stdout } = await world.run('rooms list -o ids')
    expect(await world.run('rooms terminate - --yes -o ids', { stdin: stdout })).toMatchObject({
      code: 0,
      stdout,
    })
    expect(world.writes()).toEqual(['PUT /rooms/7', 'PUT /rooms/12345678901234567890', 'PUT /rooms/r3'])
  })
})

test('rooms list --all exits 8 if the service always sends the same page', async () => {
  const [one, two] = ['{"id":12345678901234567890}', '{"id":12345678901234567891}']
  world.intercept = async ({ url }) =>
    answer(200, `{"rooms":[${url.includes('limit=1&') ? one : `${one},${two}`}]}`)
  expect(await world.run('rooms list --all -o ids')).toMatchObject({
    code: 8,
    stdout: '12345678901234567890\n12345678901234567891\n',
    stderr:
      'error: the service listed 2 rooms, and there may be more: it repeats its response for offset 2\n',
  })
})

test('rooms list --all prints each room once if the service does not support paging', async () => {
  world.intercept = async () => answer(200, '{"rooms":[{"id":1},{"id":2}]}')
  expect(await world.run('rooms list --all -o ids')).toMatchObject({ code: 0, stdout: '1\n2\n', stderr: '' })
})

test.each(['null', '"none"', '[]', '{"total":"many"}', '{"total":null}', '7'])(
  'rooms list prints the rooms if the paging field is %s',
  async (paging) => {
    world.intercept = async ({ url }) =>
      answer(200, `{"rooms":${url.includes('offset') ? '[]' : '[{"id":"r1"}]'},"paging":${paging}}`)
    expect(await world.run('rooms list --all -o ids')).toMatchObject({ code: 0, stdout: 'r1\n', stderr: '' })
    expect((await world.run('rooms list -o ids')).stdout).toBe('r1\n')
  },
)

test('rooms reopen exits 7 with an unknown outcome if the returned terminated_at is 1, which could be a boolean', async () => {
  world.intercept = async () => answer(200, { room: { id: 'r1', terminated_at: 1 } })
  expect(await world.run('rooms reopen r1')).toMatchObject({ code: 7, stdout: '' })
})

describe('an import into a service with numeric IDs', () => {
  test('an import into a service with numeric IDs uses the IDs from the responses in later requests', async () => {
    world.intercept = async ({ method, url }) => {
      if (method === 'POST' && url.endsWith('/rooms'))
        return answer(200, '{"room":{"id":12345678901234567890,"name":"One","type":"OPEN"}}')
      return answer(200, '{"room":{"id":12345678901234567890,"terminated_at":1767322000}}')
    }
    world.file('rooms.csv', 'name,type,is_terminated\nOne,open,true\n')
    const { code, stdout } = await world.run('rooms import rooms.csv -o ndjson')
    expect({ code, results: resultsOf(stdout) }).toMatchObject({
      code: 0,
      results: [{ status: 'ok', id: '12345678901234567890' }],
    })
    expect(world.writes()).toEqual(['POST /rooms', 'PUT /rooms/12345678901234567890'])
  })

  test('an import into a service with numeric IDs accepts an export from the same service', async () => {
    const members = '{"id":5,"room_id":12345678901234567890,"user_id":42,"type":"host"}'
    world.intercept = async ({ method, url }) => {
      if (method === 'POST' || url.endsWith('/members/5')) return answer(200, `{"member":${members}}`)
      return answer(200, url.includes('offset') ? '{"members":[]}' : `{"members":[${members}]}`)
    }
    const { stdout } = await world.run('members export 12345678901234567890 -o ndjson')
    expect(stdout).toBe(`${members}\n`)
    world.file('members.ndjson', stdout)
    expect(await world.run('members import members.ndjson --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 0 of 1 member; 1 skipped\n',
    })
    world.intercept = async ({ method }) =>
      answer(200, method === 'POST' ? `{"member":${members}}` : '{"members":[]}')
    expect(await world.run('members import members.ndjson')).toMatchObject({ code: 0 })
    expect(world.requests.at(-1)).toMatchObject({
      method: 'POST',
      url: expect.stringContaining('/rooms/12345678901234567890/members'),
      body: '{"user_id":"42","type":"host"}',
    })
  })
})

test('members add --if-not-exists finds a user whose ID is a number', async () => {
  world.intercept = async ({ url }) =>
    answer(
      200,
      url.endsWith('/members/5') ? { member: { id: 5, user_id: 42 } } : { members: [{ id: 5, user_id: 42 }] },
    )
  expect(await world.run('members add 1 42 --if-not-exists -o ids')).toMatchObject({ code: 0, stdout: '5\n' })
  expect(world.writes()).toEqual([])
})

test.each([
  ['rooms list', { rooms: [{ id: 'r1' }, { id: '' }] }, 'rooms[1] has no id'],
  ['rooms list', { rooms: [{ id: { $oid: '1' } }] }, 'rooms[0] has no id'],
  ['rooms list', { rooms: [{ id: true }] }, 'rooms[0] has no id'],
  ['rooms list', { rooms: ['r1'] }, 'rooms[0] has no id'],
  ['rooms list', { data: [] }, 'rooms is not a list'],
  ['users get ada', { user: { id: 'ada' } }, 'user has no user_id'],
])(
  'the command “%s” exits 6 after the response %j and names the missing or invalid field',
  async (command, body, problem) => {
    world.intercept = async () => answer(200, body)
    expect(await world.run(command)).toMatchObject({
      code: 6,
      stdout: '',
      stderr: `error: the service’s response cannot be read: ${problem}\n`,
    })
  },
)

test.each([
  ['json', '{"rooms":[]}'],
  ['ndjson', ''],
  ['ids', ''],
])('rooms list -o %s prints no rooms if the service sends null instead of a list', async (format, stdout) => {
  world.intercept = async () => answer(200, { rooms: null })
  const run = await world.run(`rooms list -o ${format}`)
  expect({ code: run.code, stdout: run.stdout.trim() }).toEqual({ code: 0, stdout })
})
