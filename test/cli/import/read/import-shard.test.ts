import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { Shard } from '../../../../src/cli/import/read/shard.ts'
import {
  goOn,
  importFixture,
  journalOf,
  lost,
  resultsOf,
  roomsCsv,
  roomsOf,
  usersCsv,
  usersOf,
} from '../../../helpers/imports.ts'
import { answer } from '../../../helpers/world.ts'
import { sized } from '../../../suites/size.ts'

const { world, run } = importFixture()
const shardsOf = (count: number) => Array.from({ length: count }, (_, i) => `${i + 1}/${count}`)

async function rowsOfShards(line: string, count: number): Promise<number[][]> {
  const rows: number[][] = []
  for (const shard of shardsOf(count)) {
    const { stdout } = await run(`${line} --shard ${shard} -o ndjson`)
    rows.push(resultsOf(stdout).map(({ row }) => row))
  }
  return rows
}

describe('the shards of an import', () => {
  test('four shards of users import contain each of 40 rows exactly once', async () => {
    world.file('in.csv', usersCsv(40))
    const rows = await rowsOfShards('users import in.csv', 4)
    expect(rows.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    expect(rows.every((part) => part.length > 3)).toBe(true)
    expect(await world.users()).toEqual(usersOf(40))
    expect(readdirSync(world.dir)).toEqual(['in.csv'])
  })

  test('the shards of users import have separate journals if rows fail', async () => {
    world.file('in.csv', usersCsv(40))
    for (const n of [1, 2, 3, 4, 1, 2, 3, 4]) await run(`users import in.csv --shard ${n}/4`)
    for (const n of [1, 2, 3, 4])
      expect(world.read(journalOf('in.csv', 'users', `${n}/4`))).toContain('{"end":true}')
    expect(world.read(journalOf('in.csv'))).toBeUndefined()
  })

  test.each([
    ['users', ({ user_id }: { user_id: string }) => ({ user_id })],
    ['rooms', ({ user_id, type }: { user_id: string; type: string }) => ({ name: user_id, type })],
    ['members', ({ user_id, type }: { user_id: string; type: string }) => ({ user_id, room_id: type })],
  ])('any number of shards of %s import --dry-run contain each row exactly once', async (kind, rowOf) => {
    const rows = fc.uniqueArray(
      fc.record({
        user_id: fc.string({ unit: fc.constantFrom('a', 'b', 'é', '0', '1'), minLength: 1, maxLength: 6 }),
        type: fc.constantFrom('open', 'public', 'private'),
      }),
      { selector: ({ user_id }) => user_id, minLength: 1, maxLength: 30 },
    )
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 6 }), async (rows, count) => {
        world.file('in.ndjson', rows.map((row) => `${JSON.stringify(rowOf(row))}\n`).join(''))
        const had = await rowsOfShards(`${kind} import in.ndjson --dry-run`, count)
        expect(had.flat().sort((a, b) => a - b)).toEqual(rows.map((_, i) => i + 1))
      }),
      { numRuns: sized(6, 15) },
    )
  })

  test('the shards of an import have similar sizes for similar keys', () => {
    const keys = [
      (i: number) => `user-${String(i).padStart(8, '0')}`,
      (i: number) => `${i}\0${i}`,
      () => undefined,
      (i: number) => `${i * 16}@example.com`,
    ]
    for (const key of keys)
      for (const count of [2, 3, 4, 7, 16, 64]) {
        const shards = shardsOf(count).map(Shard.parse)
        const sizes = shards.map((shard) => {
          let size = 0
          for (let i = 0; i < 10_000; i++) if (shard.includes(key(i), i + 1)) size++
          return size
        })
        expect(sizes.reduce((sum, size) => sum + size)).toBe(10_000)
        expect(Math.max(...sizes) / (10_000 / count)).toBeLessThan(1.35)
        expect(Math.min(...sizes) / (10_000 / count)).toBeGreaterThan(0.65)
      }
  })

  test('the shards of an import contain the same rows in every version of the program', () => {
    const shard = Shard.parse('2/5')
    const held = Array.from({ length: 30 }, (_, i) => i + 1).filter((n) => shard.includes(`u${n}`, 1))
    expect(held).toEqual([2, 5, 7, 8, 11, 15, 24, 29])
    expect(
      ['ada', 'Grace Hopper', 'é', 'room\0user', ''].map((key) => Shard.parse('2/3').includes(key, 1)),
    ).toEqual([true, false, true, true, false])
  })

  test('the shards of rooms import --group-by name keep all rows of a group in one shard', async () => {
    for (const user_id of ['u1', 'u2', 'u3']) await world.send('POST', '/users', { user_id })
    const names = Array.from({ length: 8 }, (_, i) => `Course ${i}`)
    world.file(
      'in.csv',
      `name,type,user_id\n${names.flatMap((name) => ['u1', 'u2', 'u3'].map((id) => `${name},private,${id}\n`)).join('')}`,
    )
    for (const shard of shardsOf(3))
      expect(await run(`rooms import in.csv --group-by name --shard ${shard}`)).toMatchObject({ code: 0 })
    expect(await world.rooms()).toEqual(names)
    const { rooms } = (await world.send('GET', '/rooms?limit=100')).body
    for (const { id } of rooms) expect(await world.members(id)).toHaveLength(3)
  })

  test('the shards of users import check the whole file and report its line numbers', async () => {
    world.file('in.csv', `${usersCsv(10)},Nobody\nu3,Again\n`)
    for (const shard of shardsOf(3)) {
      const { code, stderr } = await run(`users import in.csv --shard ${shard}`)
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr:
          'error: in.csv:12: user_id is missing\n' +
          'error: in.csv:13: the same user_id as line 4\n' +
          'error: invalid rows: 2 of 12; nothing was sent\n' +
          `hint: fix the rows, or skip them with: meetroom users import in.csv --shard ${shard} --skip-invalid --base-url https://meet.test/v1\n`,
      })
    }
    expect(world.writes()).toEqual([])
  })

  test('the shards of users import report each invalid row in exactly one shard', async () => {
    world.file('in.csv', `${usersCsv(10)},Nobody\nu3,Again\n`)
    let rejects = ''
    let rows = 0
    for (const [i, shard] of shardsOf(3).entries()) {
      const { stdout } = await run(
        `users import in.csv --skip-invalid --failed-out bad${i}.csv --shard ${shard} -o ndjson`,
      )
      rows += resultsOf(stdout).length
      rejects += world.read(`bad${i}.csv`) ?? ''
    }
    expect(rows).toBe(12)
    expect(rejects.match(/user_id is missing/g)).toHaveLength(1)
    expect(rejects.match(/the same user_id as line 4/g)).toHaveLength(1)
    expect(await world.users()).toEqual(usersOf(10))
  })
})

describe('one shard of an import', () => {
  test('users import of one shard names the shard in its summary and in the summary of a dry run', async () => {
    world.file('in.csv', usersCsv(10))
    const dry = await run('users import in.csv --shard 1/3 --dry-run')
    expect(dry.stderr).toMatchInlineSnapshot(`
      "shard 1/3: would create 4, overwrite 0, skip 0 of 4 users; 0 would fail
      "
    `)
    await world.send('POST', '/users', { user_id: 'u6' })
    const failed = await run('users import in.csv --shard 1/3 --failed-out bad.csv')
    expect(failed.stderr).toMatchInlineSnapshot(`
      "error: in.csv:7 (u6): the user already exists
      error: shard 1/3: imported 3 of 4 users; 1 failed
      hint: fix bad.csv and import it
      "
    `)
    expect(world.read('bad.csv')).toMatchInlineSnapshot(`
      "user_id,name,reason
      u6,N6,the user already exists
      "
    `)
  })

  test('users import of a shard without rows exits 0', async () => {
    world.file('in.csv', usersCsv(1))
    const ended = await Promise.all(shardsOf(3).map((shard) => run(`users import in.csv --shard ${shard}`)))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(ended.map(({ stderr }) => stderr).sort()).toEqual([
      'shard 1/3: imported 1 of 1 user\n',
      'shard 2/3: imported 0 of 0 users\n',
      'shard 3/3: imported 0 of 0 users\n',
    ])
  })

  test('users import of one shard resumes with the printed command after lost responses', async () => {
    world.file('in.csv', usersCsv(12))
    world.loseConnection()
    const { code, stderr } = await run(
      'users import in.csv --if-exists overwrite --shard 2/2 --concurrency 1 --retries 0',
    )
    expect({ code }).toEqual({ code: 7 })
    expect(goOn(stderr)).toEqual(
      'users import in.csv --retries 0 --if-exists overwrite --shard 2/2 --concurrency 1 --resume --base-url https://meet.test/v1'.split(
        ' ',
      ),
    )
    world.intercept = undefined
    expect(await run('users import in.csv --shard 2/2')).toMatchObject({ code: 2 })
    expect(await run('users import in.csv --shard 1/2 --resume')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${journalOf('in.csv', 'users', '1/2')} to resume`),
    })
    expect(await run('users import in.csv --shard 1/2')).toMatchObject({ code: 0 })
    expect((await world.run(goOn(stderr))).code).toBe(0)
    expect(await world.users()).toEqual(usersOf(12))
  })

  test('users import of one shard refuses the journal of another shard', async () => {
    world.file('in.csv', usersCsv(12))
    world.intercept = async (request, next) => (request.method === 'GET' ? next() : lost())
    await run('users import in.csv --shard 1/2 --journal j --retries 0')
    world.intercept = undefined
    for (const shard of ['--shard 2/2', '--shard 1/3', ''])
      expect(await run(`users import in.csv --journal j --resume ${shard}`.trim())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('belongs to an import with other flags'),
      })
  })

  test('two shards of rooms import --if-exists update together update each room once', async () => {
    const ids = []
    for (const name of roomsOf(6)) ids.push(await world.room(name))
    world.file('in.csv', `id,name,type,is_terminated\n${ids.map((id) => `${id},R,open,true\n`).join('')}`)
    for (const shard of shardsOf(2))
      expect(
        await run(`rooms import in.csv --if-exists update --shard ${shard} --yes --max 6`),
      ).toMatchObject({ code: 0 })
    expect(world.writes().sort()).toEqual(ids.map((id) => `PUT /rooms/${id}`).sort())
  })

  test.each(['', '0/4', '5/4', '1/0', '4', '1/4/2', '-1/4', '1.5/4', 'a/b', '1 / 4', '1/99999999'])(
    'users import with the invalid value %j of --shard exits 2',
    async (shard) => {
      world.file('in.csv', usersCsv(1))
      const { code, stderr } = await world.run(['users', 'import', 'in.csv', '--shard', shard])
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `error: --shard must be i/n with i from 1 to n, such as 2/4, not “${shard}”\n`,
      })
      expect(world.requests).toEqual([])
    },
  )
})

describe('a second import of rooms', () => {
  const known =
    /\d+ of \d+ rows were imported before \(receipt \S+journal\), and at least one of their rooms exists/
  beforeEach(() => world.file('in.csv', roomsCsv(6)))

  test.each([
    ['for the same shards', shardsOf(2)],
    ['for other shards', shardsOf(3)],
    ['for the whole file', ['']],
  ])('a second rooms import %s exits 2 after an import in two shards', async (_how, shards) => {
    for (const shard of shardsOf(2))
      expect(await run(`rooms import in.csv --shard ${shard}`)).toMatchObject({ code: 0 })
    for (const shard of shards) {
      const flag = shard && ` --shard ${shard}`
      expect(await run(`rooms import in.csv${flag}`)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(known),
      })
    }
    expect(await world.rooms()).toEqual(roomsOf(6))
  })

  test('a second rooms import in shards exits 2 after an import of the whole file', async () => {
    await run('rooms import in.csv')
    for (const shard of shardsOf(2))
      expect(await run(`rooms import in.csv --shard ${shard}`)).toMatchObject({ code: 2 })
    expect(await world.rooms()).toEqual(roomsOf(6))
  })

  test('a second rooms import of the whole file exits 2 after an import in twelve shards', async () => {
    for (const shard of shardsOf(12)) await run(`rooms import in.csv --shard ${shard}`)
    expect(await run('rooms import in.csv')).toMatchObject({ code: 2, stderr: expect.stringMatching(known) })
    expect(await world.rooms()).toEqual(roomsOf(6))
  })

  test('a second rooms import of the whole file exits 2 after an interrupted shard', async () => {
    world.intercept = async (request, next) => {
      const done = await next()
      return request.method === 'POST' ? lost() : done
    }
    await run('rooms import in.csv --shard 1/2')
    world.intercept = undefined
    expect(await run('rooms import in.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /an earlier import of this file .*in\.csv\.rooms\.1-of-2\.journal\) did not finish/,
      ),
    })
    expect(await run('rooms import in.csv --shard 2/2')).toMatchObject({ code: 0 })
  })
})

test('users import in shards retries a request after a 429 response', async () => {
  world.file('in.csv', usersCsv(4))
  let refused = 0
  world.intercept = async (request, next) =>
    request.method === 'POST' && refused++ === 0 ? answer(429, {}, { 'retry-after': '1' }) : next()
  for (const shard of shardsOf(2))
    expect(await run(`users import in.csv --shard ${shard}`)).toMatchObject({ code: 0 })
  expect(await world.users()).toEqual(usersOf(4))
})
