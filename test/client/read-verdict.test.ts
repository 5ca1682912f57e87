import { describe, expect, test } from 'vitest'
import { perTest } from '../helpers/per-test.ts'
import { answer, createWorld } from '../helpers/world.ts'
import { share } from '../suites/size.ts'

const world = perTest(createWorld)

const rooms = [{ id: 'r1', type: 'private', name: 'Maths' }]
const writes = () => world.requests.filter(({ method }) => method !== 'GET')

function respondToReads(fields: object, items: unknown = []) {
  world.intercept = async ({ url, method }) => {
    if (method !== 'GET') return answer(200, { ok: true })
    const [, , list = '', id, below] = new URL(url).pathname.split('/')
    const name = below ?? list
    return id !== undefined && below === undefined
      ? answer(200, { [list.slice(0, -1)]: null, ...fields })
      : answer(200, { [name]: items, ...fields })
  }
}

const noes: Record<string, object> = {
  'success false': { success: false, error: 'database down' },
  'success false as text': { success: 'false', message: 'database down' },
  'ok false without a reason': { ok: false },
  'an error object': { error: { code: 'timeout', message: 'shard 3 timed out' } },
  'an error text': { error: 'database down' },
  'a list of errors': { errors: [{ message: 'database down' }] },
  'the status error': { status: 'error', message: 'database down' },
  'a status code of 500': { statusCode: 500, message: 'database down' },
}

const reads = [
  ...['rooms list', 'rooms list --all', 'rooms list --count', 'rooms list --where type=open'],
  ...['users list --all --json', 'users export', 'rooms export', 'members list r1', 'sessions list r1'],
  ...['rooms get r1', 'users get ada', 'members get r1 m1', 'rooms get name:Maths', 'users rooms ada'],
  ...['api GET /rooms', 'api GET /rooms --paginate', 'api GET /rooms/r1', 'workspace export'],
]

const changes = [
  'rooms create --name Maths --type open --if-not-exists',
  'users create ada --if-not-exists',
  'users offboard ada --yes',
  'users delete --where name~A --yes',
  'members block r1 --user ada --yes',
  'rooms delete name:Maths --yes',
]

describe.each(Object.entries(noes))('a read that gets a 200 response with %s', (name, fields) => {
  // A quick run tests each command with every third response.
  const index = Object.keys(noes).indexOf(name)

  test.each(share(reads, index, 3))(`“%s” exits 6 after a 200 response with ${name}`, async (line) => {
    for (const items of [[], null]) {
      respondToReads(fields, items)
      const { code, stdout, stderr } = await world.run(`${line} --json`)
      const first = JSON.parse(stderr.split('\n').findLast((text) => text.startsWith('{')) ?? '{}').error
      expect({ line, code, error: first }).toMatchObject({ code: 6, error: { code: 'service' } })
      if (!line.startsWith('api')) expect(stdout).toBe('')
    }
  })

  test.each(share(changes, index, 3))(
    `“%s” sends no write if its reads get a 200 response with ${name}`,
    async (line) => {
      respondToReads(fields)
      const { code } = await world.run(line)
      expect({ code: [6, 8].includes(code), writes: writes() }).toEqual({ code: true, writes: [] })
    },
  )
})

describe.each(
  Object.entries({
    'partial true': { partial: true },
    'partial true in its paging': { paging: { total: 1, partial: true } },
    'incomplete results': { incomplete_results: true },
    'errors beside the items': { errors: [{ message: 'shard 3 timed out' }] },
    'an error beside the items': { error: 'shard 3 timed out' },
  }),
)('an incomplete list response with %s', (_name, fields) => {
  test.each([
    'rooms list',
    'rooms list --all',
    'rooms list --count',
    'rooms export',
    'api GET /rooms --paginate',
  ])('“%s” exits 8 after an incomplete list response', async (line) => {
    respondToReads(fields, rooms)
    const { code, stderr } = await world.run(`${line} --json`)
    expect({ code, error: JSON.parse(stderr).error }).toMatchObject({
      code: 8,
      error: { code: 'incomplete' },
    })
  })

  test('rooms delete --where deletes no room after an incomplete list response', async () => {
    respondToReads(fields, rooms)
    expect(await world.run('rooms delete --where type=private --yes')).toMatchObject({ code: 8 })
    expect(writes()).toEqual([])
  })
})

test.each([
  { success: true },
  { ok: true, error: null, errors: [] },
  { error: '', status: 'ok', statusCode: 200 },
  { error: false, partial: false },
  { errors: {}, meta: { partial: 'false' } },
])('rooms list --all accepts a list response with the fields %j', async (fields) => {
  respondToReads(fields, rooms)
  expect(await world.run('rooms list --all -o ids')).toMatchObject({ code: 0, stdout: 'r1\n', stderr: '' })
})

test('rooms list prints the message of the service about a failed or incomplete list', async () => {
  respondToReads({ error: { code: 'timeout', message: 'shard 3 timed out' } })
  expect((await world.run('rooms list')).stderr).toBe(
    'error: the service reports an error (200): shard 3 timed out\n',
  )
  respondToReads({ errors: [{ message: 'shard 3 timed out' }] }, rooms)
  expect((await world.run('rooms list')).stderr).toBe(
    'error: the service reports an incomplete response: shard 3 timed out\n',
  )
})
