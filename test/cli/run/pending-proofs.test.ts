import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, type ImportWorld } from '../../helpers/imports.ts'
import { answer } from '../../helpers/world.ts'

let world: ImportWorld
beforeEach(async () => {
  world = await createImportWorld()
})

const csv = (count: number) =>
  `user_id,name\n${Array.from({ length: count }, (_, i) => `u${i},N${i}`).join('\n')}\n`
const reads = () => world.sent().filter((line) => line.startsWith('GET'))

function answerEmpty(isExecuted: (body: string | undefined, n: number) => boolean): void {
  let n = 0
  world.intercept = async (request, next) => {
    if (request.method === 'GET') return next()
    if (isExecuted(request.body, n++)) await next()
    return answer(200, {})
  }
}

describe('empty responses to writes', () => {
  test('users import proves 40 creations with one list request after empty responses', async () => {
    world.file('in.csv', csv(40))
    answerEmpty(() => true)
    expect(await world.run('users import in.csv --if-exists overwrite')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('imported 40 of 40 users'),
    })
    expect(reads()).toEqual(['GET /users?limit=1000'])
  })

  test('users import proves 3 creations with one read each after empty responses', async () => {
    world.file('in.csv', csv(3))
    answerEmpty(() => true)
    expect((await world.run('users import in.csv --if-exists overwrite')).code).toBe(0)
    expect(reads()).toEqual(['GET /users/u0', 'GET /users/u1', 'GET /users/u2'])
  })

  test.each([3, 40])(
    'users import reports only an ignored row as unknown after empty responses (rows: %i)',
    async (rows) => {
      world.file('in.csv', csv(rows))
      answerEmpty((body = '') => !body.includes('"u1"'))
      const { code, stdout } = await world.run('users import in.csv --if-exists overwrite -o ndjson')
      expect(code).toBe(8)
      const entries = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(entries.flatMap(({ key, status }) => (status === 'ok' ? [] : [`${key} ${status}`]))).toEqual([
        'u1 unknown',
      ])
      expect(reads().length).toBeLessThanOrEqual(rows + 3)
      world.intercept = undefined
      expect(await world.run('users import in.csv --if-exists overwrite --resume')).toMatchObject({ code: 0 })
    },
  )

  test('members import sends four requests for the member lists of two rooms after empty responses', async () => {
    const rooms = [await world.room('A'), await world.room('B')]
    for (const id of ['u0', 'u1', 'u2']) await world.send('POST', '/users', { user_id: id, name: id })
    world.file(
      'in.csv',
      `room_id,user_id\n${rooms.flatMap((room) => ['u0', 'u1', 'u2'].map((id) => `${room},${id}`)).join('\n')}\n`,
    )
    answerEmpty(() => true)
    expect((await world.run('members import in.csv')).code).toBe(0)
    expect(await world.members(rooms[0] ?? '')).toHaveLength(3)
    const lists = reads().filter((line) => line.includes('/members'))
    expect(lists).toHaveLength(4)
  })

  test('rooms import --resume does not repeat creations with an unknown outcome', async () => {
    world.file('in.csv', 'name,type\nA,open\nB,open\n')
    answerEmpty(() => true)
    expect((await world.run('rooms import in.csv')).code).toBe(7)
    world.intercept = undefined
    await world.run('rooms import in.csv --resume')
    expect(await world.rooms()).toEqual(['A', 'B'])
  })

  test('rooms delete proves 12 deletions with one list request after empty responses', async () => {
    const ids = []
    for (let i = 0; i < 12; i++) ids.push(await world.room(`R${i}`))
    answerEmpty(() => true)
    expect(await world.run(['rooms', 'terminate', ...ids, '--yes', '--max', '20'])).toMatchObject({ code: 0 })
    world.requests.length = 0
    expect(await world.run(['rooms', 'delete', ...ids, '--yes', '--max', '20'])).toMatchObject({ code: 0 })
    expect(reads()).toEqual(['GET /rooms?limit=1000'])
    expect(await world.rooms()).toEqual([])
  })

  test('workspace apply exits 7 if the service ignores a change and responds with an empty object', async () => {
    await world.send('POST', '/users', { user_id: 'ada', name: 'Old' })
    world.file('w.yaml', 'users: [{ user_id: ada, name: New }]\n')
    answerEmpty(() => false)
    const { code, stderr } = await world.run('workspace apply w.yaml --yes -q')
    expect(code).toBe(7)
    expect(stderr).toContain('applied 0 of 1')
  })

  test('users import sends no read to prove its writes after ^C', async () => {
    world.file('in.csv', csv(3))
    const { host, done } = world.start(['users', 'import', 'in.csv', '--if-exists', 'overwrite'])
    answerEmpty(() => {
      host.signal('SIGINT')
      return true
    })
    expect((await done).code).toBe(130)
    expect(reads()).toEqual([])
  })
})

test.each([1, 2, 50])(
  'users import pauses for less than 15 s in total if every write gets a 429 response (rows: %i)',
  async (rows) => {
    world.file('in.csv', csv(rows))
    world.intercept = async (request, next) =>
      request.method === 'GET' ? next() : answer(429, { message: 'slow down' })
    const { code, host } = await world.run('users import in.csv --if-exists overwrite')
    expect(code).toBe(1)
    expect(host.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(15_000)
    expect(world.writes().length).toBeLessThan(100)
  },
)

test('rooms terminate exits 8 if the service executes each write and responds with 503', async () => {
  const ids = []
  for (let i = 0; i < 20; i++) ids.push(await world.room(`R${i}`))
  world.intercept = async (request, next) => {
    const response = await next()
    return request.method === 'GET' ? response : answer(503, { message: 'busy' })
  }
  const { code, stderr } = await world.run(['rooms', 'terminate', ...ids, '--yes', '--max', '50'])
  expect(stderr).toMatch(/terminated \d+ of 20 rooms; .*\d+ not tried/)
  expect(code).toBe(8)
})
