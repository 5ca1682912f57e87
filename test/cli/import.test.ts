import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createImportWorld, resultsOf, usersCsv, usersOf } from '../helpers/imports.ts'
import { perTest } from '../helpers/per-test.ts'

const world = perTest(createImportWorld)

const run = (line: string) => world.run(line)
const user = (user_id: string, name?: string) => world.send('POST', '/users', { user_id, name })
const mending = 'hint: fix them, or skip them with --skip-invalid\n'

describe('an import checks the whole file before it sends anything', () => {
  test.each<[what: string, file: string, content: string, stderr: string]>([
    [
      'every bad row with its line',
      'people.csv',
      'user_id,name,profile_url,default_member_type\n' +
        'ada,Ada,https://img.test/a b.png,host\n' +
        ',Nobody,,\n' +
        'grace,"Grace\nMurray\n\nHopper",,chair\n' +
        'alan,,img.test/alan.png,\n' +
        'kay,Kay,,\n',
      'error: people.csv:3: user_id is missing\n' +
        'error: people.csv:4: default_member_type: Invalid option: expected one of "guest"|"host"|"monitor"\n' +
        'error: people.csv:8: profile_url: profile_url takes a whole URL, as in https://host/path, not “img.test/alan.png”\n' +
        `error: 3 of 5 rows are invalid; nothing was sent\n${mending}`,
    ],
    [
      'bad cells of rooms',
      'rooms.csv',
      'name,type,record,max_meeting_seconds,members,is_terminated\n' +
        'A,open,yes,,,\n' +
        'B,open,,1e3,,\n' +
        'C,open,,-1,,\n' +
        'D,shut,,,,\n' +
        'E,open,,,:host,\n' +
        'F,open,,,"[{""type"":""host""}]",\n' +
        ',open,,,,\n' +
        'H,,,,,\n' +
        'I,open,TRUE,60,"[{""user_id"":""ada""}]",False\n',
      'error: rooms.csv:2: record: expected true or false\n' +
        'error: rooms.csv:3: max_meeting_seconds: expected a whole number\n' +
        'error: rooms.csv:4: max_meeting_seconds: expected a whole number\n' +
        'error: rooms.csv:5: type: Invalid option: expected one of "open"|"public"|"private"\n' +
        'error: rooms.csv:6: members: expected USER, USER:TYPE or USER:TYPE:NAME with | between them\n' +
        'error: rooms.csv:7: members[0].user_id: expected string, received undefined\n' +
        'error: rooms.csv:8: name is missing\n' +
        'error: rooms.csv:9: type is missing\n' +
        `error: 8 of 9 rows are invalid; nothing was sent\n${mending}`,
    ],
    [
      'bad cells of members',
      'members.csv',
      'room_id,user_id,type,is_blocked\nr,ada,owner,\n,ada,,\nr,,,\nr,ada,host,maybe\n',
      'error: members.csv:2: type: Invalid option: expected one of "guest"|"host"|"monitor"\n' +
        'error: members.csv:3: room_id is missing\n' +
        'error: members.csv:4: user_id is missing\n' +
        'error: members.csv:5: is_blocked: expected true or false\n' +
        `error: 4 of 4 rows are invalid; nothing was sent\n${mending}`,
    ],
    [
      'a repeated key with the line of the first',
      'people.csv',
      'user_id,name\n"ada","A\nB"\ngrace,G\nada,C\nGrace,g\nada,D\ngrace,H\n',
      'error: people.csv:5: the same user_id as line 2\n' +
        'error: people.csv:7: the same user_id as line 2\n' +
        'error: people.csv:8: the same user_id as line 4\n' +
        `error: 3 of 6 rows are invalid; nothing was sent\n${mending}`,
    ],
  ])('and reports %s', async (_, file, content, stderr) => {
    world.file(file, content)
    const command = file === 'people.csv' ? 'users' : file.replace('.csv', '')
    expect(await run(`${command} import ${file}`)).toMatchObject({ code: 2, stdout: '', stderr })
    expect(world.requests).toEqual([])
    expect(world.read(`${file}.journal`)).toBeUndefined()
  })

  test.each([
    ['line feeds', 'user_id,name\n"a","x\n\ny"\n,A\n\n,B\n', [5, 7]],
    ['carriage returns and line feeds', 'user_id,name\r\n"a","x\r\n\r\ny"\r\n,A\r\n\r\n,B\r\n', [5, 7]],
    ['line feeds in cells alone', 'user_id,name\r\n"a","x\n\ny"\r\n,A\r\n,B\r\n', [5, 6]],
    ['carriage returns', 'user_id,name\r"a","x y"\r,A\r,B\r', [3, 4]],
    ['carriage returns in cells alone', 'user_id,name\n"a","x\ry"\n,A\n,B\n', [3, 4]],
  ])('and counts lines as an editor does: %s', async (_what, content, lines) => {
    world.file('people.csv', content)
    const { stderr } = await run('users import people.csv')
    expect([...stderr.matchAll(/people.csv:(\d+)/g)].map(([, line]) => Number(line))).toEqual(lines)
  })

  test('and takes the room of members from --room where a row names none', async () => {
    const [a, b] = [await world.room('A'), await world.room('B')]
    for (const id of ['ada', 'grace']) await user(id)
    world.file('one.csv', 'user_id\nada\n')
    world.file('two.csv', `user_id,room_id\ngrace,\nada,${b}\n`)
    expect((await run('members import one.csv')).stderr).toBe(
      "error: there is no column room_id\nhint: columns are user_id; map one: --map 'COLUMN=room_id'\n",
    )
    expect(await run(`members import one.csv --room ${a}`)).toMatchObject({ code: 0 })
    expect(await run(`members import two.csv --room ${a}`)).toMatchObject({ code: 0 })
    expect(await world.members(a)).toEqual(['ada guest -', 'grace guest -'])
    expect(await world.members(b)).toEqual(['ada guest -'])
  })

  test('and refuses ids that do not fit into a path', async () => {
    world.file(
      'people.ndjson',
      '{"user_id":"ada"}\n{"user_id":".."}\n{"user_id":"a\\nb"}\n{"user_id":"\\ud800"}\n',
    )
    const { code, stderr } = await run('users import people.ndjson')
    expect({ code, lines: stderr.match(/people\.ndjson:\d+/g) }).toEqual({
      code: 2,
      lines: ['people.ndjson:2', 'people.ndjson:3', 'people.ndjson:4'],
    })
    expect(world.requests).toEqual([])
  })

  test('and keeps a small one in memory: what was checked is imported, whatever becomes of the file', async () => {
    world.file('people.csv', usersCsv(20))
    world.intercept = (_request, next) => {
      world.file('people.csv', 'user_id,name\nother,Other\n')
      return next()
    }
    expect(await run('users import people.csv --concurrency 1')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual(usersOf(20))
  })

  test('and stops when a large one changes while it is imported', async () => {
    // More than is kept, however small it is packed.
    const rows = () => {
      const names =
        randomBytes(9_000_000)
          .toString('base64')
          .match(/.{30000}/g) ?? []
      return `user_id,name\n${names.map((name, i) => `u${i},${name}\n`).join('')}`
    }
    world.file('people.csv', rows())
    world.intercept = (_request, next) => {
      if (world.requests.length === 1) world.file('people.csv', rows())
      return next()
    }
    expect(await run('users import people.csv --concurrency 1 --if-exists overwrite')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\nerror: people.csv changed while it was being read\n$/),
    })
  })

  test.each([
    ['--curl', 'error: --curl shows a single request, and an import is many\n'],
    [
      '-o csv --columns row,shoe',
      'error: no result has a field “shoe”\nhint: fields are row, key, status, id, error\n',
    ],
    ['--rate 0', 'error: --rate takes a number a second above 0, as in 20, not “0”\n'],
    ['--rate fast', 'error: --rate takes a number a second above 0, as in 20, not “fast”\n'],
    ['--concurrency 0', 'error: --concurrency takes a whole number from 1 to 256, not “0”\n'],
    ['--max-errors -1', 'error: --max-errors takes a whole number from 0, not “-1”\n'],
    [
      '--if-exists merge',
      expect.stringMatching(
        /^error: --if-exists must be overwrite, update, skip or fail, not “merge”\nhint: did you mean: meetroom users import \S+ .*--if-exists update/,
      ),
    ],
  ])('and refuses %s', async (flags, stderr) => {
    world.file('people.csv', usersCsv(1))
    expect(await run(`users import people.csv ${flags}`)).toMatchObject({ code: 2, stdout: '', stderr })
    expect(world.requests).toEqual([])
  })
})

describe('rows with the same key', () => {
  test('with --skip-invalid count once, as the first one', async () => {
    world.file('people.csv', 'user_id,name\nada,A\ngrace,G\nada,B\n')
    const { code, stdout } = await run('users import people.csv --skip-invalid -o ndjson')
    expect({ code, results: resultsOf(stdout) }).toEqual({
      code: 8,
      results: [
        { row: 1, key: 'ada', status: 'ok', id: 'ada' },
        { row: 2, key: 'grace', status: 'ok', id: 'grace' },
        { row: 3, status: 'invalid', error: 'the same user_id as line 2' },
      ],
    })
    expect(await world.users()).toEqual({ ada: 'A', grace: 'G' })
  })

  test('do not include a row that cannot be sent', async () => {
    world.file('people.csv', 'user_id,default_member_type\nada,chair\nada,host\n')
    expect(await run('users import people.csv --skip-invalid -o ids')).toMatchObject({
      code: 8,
      stdout: 'ada\n',
    })
    expect(await world.user('ada')).toMatchObject({ default_member_type: 'host' })
  })

  test('of members differ when the rooms differ', async () => {
    const [a, b] = [await world.room('A'), await world.room('B')]
    await user('ada')
    world.file('members.csv', `room_id,user_id\n${a},ada\n${b},ada\n${a},ada\n`)
    expect(await run('members import members.csv')).toMatchObject({
      code: 2,
      stderr:
        'error: members.csv:4: the same room_id and user_id as line 2\n' +
        `error: 1 of 3 rows are invalid; nothing was sent\n${mending}`,
    })
  })

  test('of members are not confused by spaces in ids', async () => {
    world.file('members.csv', 'room_id,user_id\nx,y z\nx y,z\n')
    expect((await run('members import members.csv')).stderr).not.toMatch(/the same/)
  })

  test('of rooms have the same id; names may repeat', async () => {
    world.file('rooms.csv', 'id,name,type\n,A,open\n,A,open\nx,B,open\nx,C,open\n')
    expect(await run('rooms import rooms.csv')).toMatchObject({
      code: 2,
      stderr:
        'error: rooms.csv:5: the same id as line 4\n' +
        `error: 1 of 4 rows are invalid; nothing was sent\n${mending}`,
    })
    world.file('rooms.csv', 'name,type\nA,open\nA,open\n')
    expect(await run('rooms import rooms.csv')).toMatchObject({ code: 0 })
    expect(await world.rooms()).toEqual(['A', 'A'])
  })

  test('are found among many rows', async () => {
    world.file('people.csv', `${usersCsv(20_000)}u1,x\nu20000,y\n`)
    expect((await run('users import people.csv')).stderr).toBe(
      'error: people.csv:20002: the same user_id as line 2\n' +
        'error: people.csv:20003: the same user_id as line 20001\n' +
        `error: 2 of 20002 rows are invalid; nothing was sent\n${mending}`,
    )
  })
})

describe('--skip-invalid', () => {
  test('imports the other rows and reports the ones it left out', async () => {
    world.file('people.csv', 'user_id,name\n,A\nada,Ada\nx,y,z\n')
    expect(await run('users import people.csv --skip-invalid')).toMatchObject({
      code: 8,
      stdout: '',
      stderr:
        'error: people.csv:2: user_id is missing\n' +
        'error: people.csv:4: 3 cells under 2 columns\n' +
        'error: imported 1 of 3 users; 2 failed\n',
    })
    expect(await world.users()).toEqual({ ada: 'Ada' })
  })

  test('fails when no row is left', async () => {
    world.file('people.csv', 'user_id,name\n,A\n')
    expect(await run('users import people.csv --skip-invalid')).toMatchObject({
      code: 1,
      stderr: 'error: people.csv:2: user_id is missing\nerror: imported 0 of 1 user; 1 failed\n',
    })
    expect(world.requests).toEqual([])
  })

  test('does not help with a file that cannot be parsed', async () => {
    world.file('people.csv', 'user_id,name\nada,Ada\ngrace,"Grace\n')
    expect(await run('users import people.csv --skip-invalid')).toMatchObject({ code: 2 })
    expect(world.requests).toEqual([])
  })
})

test('--map of an unknown column is a usage error', async () => {
  world.file('people.csv', usersCsv(1))
  expect(await world.run(['users', 'import', 'people.csv', '--map', 'Nmae=name'])).toMatchObject({
    code: 2,
    stderr: 'error: --map: there is no column “Nmae”\nhint: columns are user_id, name\n',
  })
  expect(world.requests).toEqual([])
})
