import { describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/api/wire.ts'
import {
  entriesOf,
  goOn,
  importFixture,
  journalOf,
  lost,
  resultsOf,
  roomsCsv,
  roomsOf,
  sentRows,
  usersCsv,
  usersOf,
} from '../../../helpers/imports.ts'
import { answer, type Intercept } from '../../../helpers/world.ts'
import { share } from '../../../suites/size.ts'

const { world, run, renew } = importFixture()

describe.each(['users', 'rooms'] as const)('a killed import of %s', (kind) => {
  const rows = 5
  const path = journalOf('in.csv', kind)
  const [file, whole] = kind === 'users' ? [usersCsv(rows), usersOf(rows)] : [roomsCsv(rows), roomsOf(rows)]
  const held = () => (kind === 'users' ? world.users() : world.rooms())
  const create = (row: number) =>
    kind === 'users'
      ? world.send('POST', '/users', { user_id: `u${row}`, name: `N${row}` })
      : world.send('POST', '/rooms', { name: `R${row}`, type: 'open' })

  async function createJournal(): Promise<string> {
    world.file('in.csv', file)
    await run(`${kind} import in.csv --journal ${path} --concurrency 2`)
    return world.read(path) ?? ''
  }

  function rowsOf(journal: string) {
    const entries = entriesOf(journal)
    const done: number[] = entries.filter(({ status }) => status === 'ok').map(({ row }) => row)
    const open: number[] = sentRows(entries).filter((row) => !done.includes(row))
    return { done, open }
  }

  // After a kill, the outcome of a recorded row may be unknown.
  test.each([
    ['before the service acts', () => false, 0],
    ['after the service acts', () => true, 1],
    ['after the service acts on every second row', (row: number) => row % 2 === 0, 2],
  ])(
    `a resumed import of ${kind} loses and repeats no row if it was killed %s and the journal is truncated`,
    async (_what, acted, nth) => {
      const journal = await createJournal()
      const lines = journal.split(/(?<=\n)/)
      expect(rowsOf(journal)).toEqual({ done: [1, 2, 3, 4, 5], open: [] })
      const ends = lines.flatMap((line, i) => {
        const begin = lines.slice(0, i).join('').length
        return [begin + 1, begin + Math.floor(line.length / 2), begin + line.length - 1, begin + line.length]
      })
      for (const end of share(ends, nth, 3)) {
        await renew()
        world.file('in.csv', file)
        const left = journal.slice(0, end)
        world.file(path, left)
        const { done, open } = rowsOf(left)
        const there = [...done, ...open.filter(acted)]
        for (const row of there) await create(row)
        const { code, stdout, stderr } = await run(`${kind} import in.csv --resume -o ndjson`)
        const what = `cut off after ${end} bytes`
        if (!left.includes('\n')) {
          expect({ code, stderr }, what).toMatchObject({
            code: 2,
            stderr: expect.stringContaining('there is no journal'),
          })
          expect(await run(`${kind} import in.csv`), what).toMatchObject({ code: 0 })
          expect(await held(), what).toEqual(whole)
          continue
        }
        const unknown = kind === 'rooms' ? open.filter(acted) : []
        expect({ code, held: await held(), writes: world.writes().length }, what).toEqual({
          code: unknown.length === 0 ? 0 : unknown.length === rows ? 7 : 8,
          held: whole,
          writes: rows - there.length,
        })
        expect(
          resultsOf(stdout).map(({ row, status }) => `${row} ${status}`),
          what,
        ).toEqual(
          Array.from({ length: rows }, (_, i) => i + 1)
            .filter((row) => !done.includes(row))
            .map((row) => `${row} ${unknown.includes(row) ? 'unknown' : 'ok'}`),
        )
      }
    },
  )

  test(`an import of ${kind} completes if it is killed, then stopped by 401 responses, and resumed each time`, async () => {
    const journal = await createJournal()
    await renew()
    world.file('in.csv', file)
    world.file(
      path,
      journal
        .split(/(?<=\n)/)
        .slice(0, 3)
        .join('')
        .slice(0, -4),
    )
    for (let before = 1; before < 4; before++) {
      world.intercept = async (request, next) =>
        request.method !== 'GET' && world.writes().length > before ? answer(401, {}) : next()
      expect(await run(`${kind} import in.csv --resume --concurrency 1`)).toMatchObject({ code: 8 })
    }
    world.intercept = undefined
    expect(await run(`${kind} import in.csv --resume`)).toMatchObject({ code: 0 })
    expect(await held()).toEqual(whole)
  })
})

describe('--resume of a row without a response', () => {
  test('users import --resume of sent rows creates missing users, accepts equal users and reports others as unknown', async () => {
    world.file('in.csv', usersCsv(3))
    await world.cutOff('users import in.csv')
    await world.send('DELETE', '/users/u1')
    await world.send('PUT', '/users/u2', { name: 'Other' })
    const { code, stdout } = await run('users import in.csv --resume -o ndjson')
    expect({ code, results: resultsOf(stdout) }).toEqual({
      code: 8,
      results: [
        { row: 1, key: 'u1', status: 'ok', id: 'u1' },
        {
          row: 2,
          key: 'u2',
          status: 'unknown',
          error: 'an earlier run sent this row; a similar item exists, but its origin is unknown',
        },
        { row: 3, key: 'u3', status: 'ok', id: 'u3' },
      ],
    })
    expect(world.writes()).toEqual(['POST /users'])
    expect(await world.users()).toEqual({ u1: 'N1', u2: 'Other', u3: 'N3' })
  })

  test('users import --resume reports an unknown outcome if the repeated write of a sent row is refused', async () => {
    world.file('in.csv', usersCsv(1))
    await world.cutOff('users import in.csv --if-exists overwrite')
    await world.send('PUT', '/users/u1', { name: 'Other' })
    world.intercept = async (request, next) => (request.method === 'GET' ? next() : answer(422, {}))
    const { code, stdout } = await run('users import in.csv --if-exists overwrite --resume -o ndjson')
    expect({ code, results: resultsOf(stdout) }).toMatchObject({ code: 7, results: [{ status: 'unknown' }] })
  })

  test('members import --resume blocks the member of a sent row if the earlier run added but did not block the member', async () => {
    const room = await world.room('R', 'private')
    await world.send('POST', '/users', { user_id: 'u1' })
    world.file('in.csv', 'user_id,is_blocked\nu1,true\n')
    world.intercept = (request, next) => (request.method === 'PUT' ? lost() : next())
    await run(`members import in.csv --room ${room} --retries 0`)
    const header = world.read(journalOf('in.csv', 'members'))?.split('\n')[0]
    world.file(journalOf('in.csv', 'members'), `${header}\n{"sent":1,"to":1}\n`)
    world.intercept = undefined
    expect(await run(`members import in.csv --room ${room} --resume`)).toMatchObject({ code: 0 })
    const { members } = (await world.send('GET', `/rooms/${room}/members`)).body
    expect(members).toMatchObject([{ user_id: 'u1', is_blocked: true }])
  })

  test('members import --resume fails a sent row whose user does not exist, and writes it to the file of --failed-out', async () => {
    const room = await world.room('R', 'private')
    await world.send('POST', '/users', { user_id: 'u1' })
    world.file('in.csv', usersCsv(2).replaceAll(/,.*/g, ''))
    await world.cutOff(`members import in.csv --room ${room}`)
    const header = world.read(journalOf('in.csv', 'members'))?.split('\n')[0]
    world.file(journalOf('in.csv', 'members'), `${header}\n{"sent":1,"to":2}\n`)
    const resumed = await run(
      `members import in.csv --room ${room} --resume --failed-out rejects.csv -o ndjson`,
    )
    expect({ code: resumed.code, results: resultsOf(resumed.stdout).map(({ status }) => status) }).toEqual({
      code: 8,
      results: ['ok', 'failed'],
    })
    expect(world.read('rejects.csv')).toMatch(/^user_id,reason\r\nu2,/)
    expect(world.read(journalOf('in.csv', 'members'))?.trimEnd().split('\n').at(-1)).toBe('{"end":true}')
  })

  test('rooms import --resume writes a sent row to --failed-out if a room has the same name', async () => {
    world.file('in.csv', roomsCsv(3))
    await world.cutOff('rooms import in.csv')
    const { rooms } = (await world.send('GET', '/rooms?name=R2')).body
    await world.send('DELETE', `/rooms/${rooms[0].id}`)
    const { code, stdout, stderr } = await run(
      'rooms import in.csv --resume --failed-out rejects.csv -o ndjson',
    )
    const error = 'an earlier run sent this row; a similar item exists, but its origin is unknown'
    expect({ code, results: resultsOf(stdout) }).toEqual({
      code: 8,
      results: [
        { row: 1, status: 'unknown', error },
        { row: 2, status: 'ok', id: expect.any(String) },
        { row: 3, status: 'unknown', error },
      ],
    })
    expect(JSON.parse(stderr).error.hint).toBe(
      'delete the rows of existing rooms from rejects.csv, and import it',
    )
    expect(world.read('rejects.csv')?.match(/^R\d/gm)).toEqual(['R1', 'R3'])
    expect(await world.rooms()).toEqual(roomsOf(3))
  })

  test.each<[string, number, string, Intercept | undefined]>([
    ['if the key is refused', 4, '', async () => answer(401, {})],
    ['if the lookup fails', 7, '', async () => answer(500, {})],
    ['if the lookup is refused', 7, '', async () => answer(422, {})],
    ['if the lookup gets no response', 7, '', lost],
    ['if --fail-fast stops the run', 7, ' --fail-fast', undefined],
  ])(
    'rooms import --resume keeps a sent row in the journal and does not repeat its request %s',
    async (_what, code, flags, intercept) => {
      world.file('in.csv', roomsCsv(4))
      await world.cutOff('rooms import in.csv')
      world.intercept = intercept
      expect(await run(`rooms import in.csv --resume --concurrency 1${flags}`)).toMatchObject({ code })
      world.intercept = undefined
      await run('rooms import in.csv --resume')
      expect(await world.rooms()).toEqual(roomsOf(4))
    },
  )

  test('rooms import --resume interrupted by ^C keeps a sent row in the journal and does not repeat its request', async () => {
    world.file('in.csv', roomsCsv(4))
    await world.cutOff('rooms import in.csv')
    const { host, done } = world.start('rooms import in.csv --resume --concurrency 1'.split(' '))
    world.intercept = (_request, next) => {
      host.signal('SIGINT')
      return next()
    }
    expect((await done).code).toBe(130)
    world.intercept = undefined
    await run('rooms import in.csv --resume')
    expect(await world.rooms()).toEqual(roomsOf(4))
  })

  test('members import --resume finds the member of a sent row in the member list and sends no write', async () => {
    const room = await world.room('A', 'private')
    for (const id of ['u1', 'u2', 'u3']) await world.send('POST', '/users', { user_id: id, name: id })
    world.file('in.csv', 'user_id,type\nu1,host\nu2,\nu3,monitor\n')
    await world.cutOff(`members import in.csv --room ${room}`)
    expect(await run(`members import in.csv --room ${room} --resume`)).toMatchObject({ code: 0 })
    expect(world.writes()).toEqual([])
    expect(await world.members(room)).toEqual(['u1 host u1', 'u2 guest u2', 'u3 monitor u3'])
  })
})

test('users import from standard input can be resumed if the same input is passed again', async () => {
  const line = 'users import - --input-format csv --journal my.journal'
  world.intercept = async (_request, next) => (world.requests.length > 7 ? answer(401, {}) : next())
  const first = await run(`${line} --concurrency 1`, usersCsv(9))
  expect({ code: first.code, words: goOn(first.stderr) }).toEqual({
    code: 8,
    words:
      'users import - --input-format csv --journal my.journal --concurrency 1 --resume --base-url https://meet.test/v1'.split(
        ' ',
      ),
  })
  world.intercept = undefined
  world.requests.length = 0
  expect(await run(`${line} --resume`, usersCsv(8))).toMatchObject({ code: 2 })
  expect(await run(`${line} --resume`, usersCsv(9))).toMatchObject({
    code: 0,
    stderr: 'imported 9 of 9 users; 3 recorded as done by an earlier run\n',
  })
  expect(world.writes()).toHaveLength(6)
  expect(await world.users()).toEqual(usersOf(9))
})

test('users import --resume reads a journal whose IDs contain line separators', async () => {
  world.file('in.csv', 'user_id,name\nu\u20281,A\nu\u20292,B\n')
  expect(await run(`users import in.csv --journal ${journalOf('in.csv')}`)).toMatchObject({ code: 0 })
  world.requests.length = 0
  expect(await run(`users import in.csv --journal ${journalOf('in.csv')} --resume`)).toMatchObject({
    code: 0,
    stderr: 'imported 2 of 2 users; 2 recorded as done by an earlier run\n',
  })
  expect(world.requests).toEqual([])
})

test('the summary of a resumed import counts the rows that the journal shows as imported', async () => {
  world.file('in.csv', usersCsv(3))
  await run(`users import in.csv --journal ${journalOf('in.csv')}`)
  for (const id of ['u1', 'u2', 'u3']) await world.send('DELETE', `/users/${id}`)
  world.requests.length = 0
  expect(await run('users import in.csv --resume')).toMatchObject({
    code: 0,
    stderr: 'imported 3 of 3 users; 3 recorded as done by an earlier run\n',
  })
  expect(world.requests).toEqual([])
})

test('the summary of a resumed import counts only rows with an outcome in the journal as recorded', async () => {
  world.file('in.csv', usersCsv(4))
  await run(`users import in.csv --journal ${journalOf('in.csv')}`)
  const journal = (world.read(journalOf('in.csv')) ?? '').split(/(?<=\n)/)
  // Rows 1 and 4 keep their outcome; rows 2 and 3 have no outcome.
  const isKept = (line: string) => !/"row":[23]\b/.test(line) && !line.includes('"end"')
  world.file(journalOf('in.csv'), journal.filter(isKept).join(''))
  await world.send('DELETE', '/users/u3')
  world.requests.length = 0
  world.intercept = async (request, next) => {
    if (request.method === 'GET') return next()
    throw new TransportError('the connection was refused', false)
  }
  const { code, stderr } = await run('users import in.csv --resume --retries 0')
  expect(code).toBe(8)
  expect(stderr).toContain('imported 3 of 4 users; 1 failed; 2 recorded as done by an earlier run\n')
})
