import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { importFixture, journalOf, usersCsv } from '../../helpers/imports.ts'

const { world, run, user, testCases } = importFixture()
const suggestSkip = (command: string) =>
  `hint: fix the rows, or skip them with: meetroom ${command} --skip-invalid --base-url https://meet.test/v1\n`

describe('an import', () => {
  test.each<[what: string, file: string, content: string, stderr: string]>([
    [
      'every invalid row with its line',
      'people.csv',
      'user_id,name,profile_url,default_member_type\n' +
        'ada,Ada,https://img.test/a b.png,host\n' +
        ',Nobody,,\n' +
        'grace,"Grace\nMurray\n\nHopper",,chair\n' +
        'alan,,img.test/alan.png,\n' +
        'kay,Kay,,\n',
      'error: people.csv:3: user_id is missing\n' +
        'error: people.csv:8: profile_url must be a complete URL such as https://host/path, not “img.test/alan.png”\n' +
        'error: people.csv: 1 value is not guest, host or monitor: “chair” (1 row from line 4)\n' +
        'hint: name its role with --role-map: guest, host or monitor\n' +
        `error: invalid rows: 3 of 5; nothing was sent\n${suggestSkip('users import people.csv')}`,
    ],
    [
      'invalid cells of rooms',
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
        'J,open,,,ada:host; tweber,\n' +
        'K,open,,,"bob|ada:host, grace:Guest:Grace, kay",\n' +
        'L,Privat,,,"schmidt,anna, ben",\n' +
        'I,open,TRUE,60,"[{""user_id"":""ada""}]",False\n',
      'error: rooms.csv:2: record must be true or false, not “yes”\n' +
        'error: rooms.csv:3: max_meeting_seconds must be a duration such as 30s or 1m30s, at least 1s, not “1e3”\n' +
        'error: rooms.csv:4: max_meeting_seconds must be a duration such as 30s or 1m30s, at least 1s, not “-1”\n' +
        'error: rooms.csv:5: type must be open, public or private, not “shut”\n' +
        'error: rooms.csv:6: members must be USER, USER:ROLE or USER:ROLE:NAME, separated by |\n' +
        'error: rooms.csv:7: members[0].user_id is missing\n' +
        'error: rooms.csv:8: name is missing\n' +
        'error: rooms.csv:9: type is missing\n' +
        'error: rooms.csv:10: members must be separated by |, as in ada:host|tweber\n' +
        'error: rooms.csv:11: members must be separated by |, as in ada:host|grace:Guest:Grace|kay\n' +
        'error: rooms.csv:12: members must be separated by |, as in schmidt|anna|ben; type must be open, public or private, not “Privat” (did you mean “private”?)\n' +
        `error: invalid rows: 11 of 12; nothing was sent\n${suggestSkip('rooms import rooms.csv')}`,
    ],
    [
      'invalid cells of members',
      'members.csv',
      'room_id,user_id,type,is_blocked\nr,ada,owner,\nr,bob,chair,\nr,kay,Élève,\n,ada,,\nr,,,\nr,ada,host,maybe\n',
      'error: members.csv:5: room_id is missing\n' +
        'error: members.csv:6: user_id is missing\n' +
        'error: members.csv:7: is_blocked must be true or false, not “maybe”\n' +
        'error: members.csv: 3 values are not guest, host or monitor: “owner” (1 row from line 2), “chair” (1 row from line 3), “Élève” (1 row from line 4)\n' +
        "hint: name their roles with --role-map: guest, host or monitor, as in --role-map 'owner=host,Élève=guest'\n" +
        'error: invalid rows: 6 of 6; nothing was sent\nhint: fix the rows\n',
    ],
    [
      'roles that --role-map cannot name',
      'members.csv',
      'room_id,user_id,type\nr,ada,"host, Guest"\nr,kay,host kay\n',
      'error: members.csv: 2 values are not guest, host or monitor: “host, Guest” (1 row from line 2), “host kay” (1 row from line 3)\n' +
        'hint: change them in the file\n' +
        'error: invalid rows: 2 of 2; nothing was sent\nhint: fix the rows\n',
    ],
    [
      'a repeated key with the line of its first row',
      'people.csv',
      'user_id,name\n"ada","A\nB"\ngrace,G\nada,C\nGrace,g\nada,D\ngrace,H\n',
      'error: people.csv:5: the same user_id as line 2\n' +
        'error: people.csv:7: the same user_id as line 2\n' +
        'error: people.csv:8: the same user_id as line 4\n' +
        `error: invalid rows: 3 of 6; nothing was sent\n${suggestSkip('users import people.csv')}`,
    ],
  ])(
    'an import checks the whole file before any request and reports %s',
    async (_, file, content, stderr) => {
      world.file(file, content)
      const command = file === 'people.csv' ? 'users' : file.replace('.csv', '')
      expect(await run(`${command} import ${file}`)).toMatchObject({ code: 2, stdout: '', stderr })
      expect(world.requests).toEqual([])
      expect(world.read(journalOf(file, command))).toBeUndefined()
    },
  )

  test.each([
    ['line feeds', 'user_id,name\n"a","x\n\ny"\n,A\n\n,B\n', [5, 7]],
    ['carriage returns and line feeds', 'user_id,name\r\n"a","x\r\n\r\ny"\r\n,A\r\n\r\n,B\r\n', [5, 7]],
    ['line feeds only in cells', 'user_id,name\r\n"a","x\n\ny"\r\n,A\r\n,B\r\n', [5, 6]],
    ['carriage returns', 'user_id,name\r"a","x y"\r,A\r,B\r', [3, 4]],
    ['carriage returns only in cells', 'user_id,name\n"a","x\ry"\n,A\n,B\n', [3, 4]],
  ])(
    'users import reports the line numbers that an editor shows for a file with %s',
    async (_what, content, lines) => {
      world.file('people.csv', content)
      const { stderr } = await run('users import people.csv')
      expect([...stderr.matchAll(/people.csv:(\d+)/g)].map(([, line]) => Number(line))).toEqual(lines)
    },
  )

  test('members import adds members without a room ID to the room that --room names', async () => {
    const [a, b] = [await world.room('A'), await world.room('B')]
    for (const id of ['ada', 'grace']) await user(id)
    world.file('one.csv', 'user_id\nada\n')
    world.file('two.csv', `user_id,room_id\ngrace,\nada,${b}\n`)
    expect((await run('members import one.csv')).stderr).toBe(
      'error: there is no column room_id\nhint: columns are user_id; pass --map to map one of them to room_id, or --room ROOM\n',
    )
    expect(await run(`members import one.csv --room ${a}`)).toMatchObject({ code: 0 })
    expect(await run(`members import two.csv --room ${a}`)).toMatchObject({ code: 0 })
    expect(await world.members(a)).toEqual(['ada guest -', 'grace guest -'])
    expect(await world.members(b)).toEqual(['ada guest -'])
  })

  test('users import refuses IDs that are invalid in a URL path', async () => {
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

  test('users import sends no changed row of a file that changes after the file was checked', async () => {
    // The compressed rows exceed the memory limit, so the import reads the file twice.
    const texts = randomBytes(9_000_000)
      .toString('base64')
      .match(/.{30000}/g)
    const rows = (first: string) =>
      `user_id,name\n${(texts ?? []).map((text, i) => `u${i},${first}${text}\n`).join('')}`
    world.file('people.csv', rows('a'))
    world.intercept = (_request, next) => {
      if (world.requests.length === 1) world.file('people.csv', rows('b'))
      return next()
    }
    expect(await run('users import people.csv --concurrency 1 --if-exists overwrite')).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(
        /\nerror: \d+ users were created, but a later step failed: people.csv changed while it was being read\n$/,
      ),
    })
    const { stdout } = await run('users list --all -o csv --columns name')
    expect(new Set(stdout.split('\n').map((name) => name[0]))).toEqual(new Set(['n', 'a', undefined]))
  })

  test.each([
    ['--curl', 'error: --curl cannot be used with an import, which sends many requests\n'],
    [
      '-o csv --columns row,shoe',
      'error: no result has a field “shoe”\nhint: fields are row, key, status, id, error\n',
    ],
    ['--rate 0', 'error: --rate must be a number above 0, not “0”\n'],
    ['--rate fast', 'error: --rate must be a number above 0, not “fast”\n'],
    ['--concurrency 0', 'error: --concurrency must be a whole number, from 1 to 256, not “0”\n'],
    ['--max-errors -1', 'error: --max-errors must be a whole number, at least 0, not “-1”\n'],
    [
      '--if-exists merge',
      expect.stringMatching(
        /^error: --if-exists must be overwrite, update, skip or fail, not “merge”\nhint: did you mean: meetroom users import \S+ .*--if-exists update/,
      ),
    ],
  ])('users import refuses the flags %s', async (flags, stderr) => {
    world.file('people.csv', usersCsv(1))
    expect(await run(`users import people.csv ${flags}`)).toMatchObject({ code: 2, stdout: '', stderr })
    expect(world.requests).toEqual([])
  })
})

describe('repeated IDs in an import', () => {
  testCases({
    'users import --skip-invalid reports each row that repeats a user_id as invalid': {
      files: { 'people.csv': 'user_id,name\nada,A\ngrace,G\nada,B\n' },
      line: 'users import people.csv --skip-invalid -o ndjson',
      expected: {
        code: 8,
        results: [
          { row: 1, key: 'ada', status: 'ok', id: 'ada' },
          { row: 2, key: 'grace', status: 'ok', id: 'grace' },
          { row: 3, status: 'invalid', error: 'the same user_id as line 2' },
        ],
        users: { ada: 'A', grace: 'G' },
      },
    },
    'members import accepts pairs of room_id and user_id that differ only in the position of a space': {
      files: { 'members.csv': 'room_id,user_id\nx,y z\nx y,z\n' },
      line: 'members import members.csv',
      expected: { code: 1, stderr: expect.not.stringMatching(/the same/) },
    },
    'rooms import refuses rows with the same ID': {
      files: { 'rooms.csv': 'id,name,type\n,A,open\n,A,open\nx,B,open\nx,C,open\n' },
      line: 'rooms import rooms.csv',
      expected: {
        code: 2,
        stderr: `error: rooms.csv:5: the same id as line 4\nerror: invalid rows: 1 of 4; nothing was sent\n${suggestSkip('rooms import rooms.csv')}`,
      },
    },
    'rooms import accepts rows with the same name but no IDs': {
      files: { 'rooms.csv': 'name,type\nA,open\nA,open\n' },
      line: 'rooms import rooms.csv',
      expected: { rooms: ['A', 'A'] },
    },
    'users import refuses repeated IDs in a file of 20,002 rows': {
      files: { 'people.csv': `${usersCsv(20_000)}u1,x\nu20000,y\n` },
      line: 'users import people.csv',
      expected: {
        code: 2,
        stderr:
          'error: people.csv:20002: the same user_id as line 2\n' +
          'error: people.csv:20003: the same user_id as line 20001\n' +
          `error: invalid rows: 2 of 20002; nothing was sent\n${suggestSkip('users import people.csv')}`,
      },
    },
  })

  test('users import accepts a row that repeats the user_id of an invalid row', async () => {
    world.file('people.csv', 'user_id,default_member_type\nada,chair\nada,host\n')
    expect(await run('users import people.csv --skip-invalid -o ids')).toMatchObject({
      code: 8,
      stdout: 'ada\n',
    })
    expect(await world.user('ada')).toMatchObject({ default_member_type: 'host' })
  })

  test('members import refuses a repeated member of a room, but not the same user in different rooms', async () => {
    const [a, b] = [await world.room('A'), await world.room('B')]
    await user('ada')
    world.file('members.csv', `room_id,user_id,type\n${a},ada,\n${b},ada,\n${a},ada,host\n`)
    expect(await run('members import members.csv')).toMatchObject({
      code: 2,
      stderr:
        'error: members.csv:4: the same room_id and user_id as line 2\n' +
        `error: invalid rows: 1 of 3; nothing was sent\n${suggestSkip('members import members.csv')}`,
    })
  })
})

test.each([
  ['', 2],
  [' --shard 1/1', 2],
])('users import%s skips a row that is equal to an earlier row', async (flags, imported) => {
  world.file('people.csv', 'user_id,name\nada,Ada\nbob,Bob\nada,Ada\n')
  for (const [line, stderr] of [
    [
      `users import people.csv${flags} --dry-run`,
      'would create 2, overwrite 0, skip 0 of 2 users; 0 would fail\n',
    ],
    [`users import people.csv${flags}`, `imported ${imported} of 2 users\n`],
  ] as const)
    expect(await run(line)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        new RegExp(`^skipped 1 row that is equal to an earlier row\n.*${stderr}$`),
      ),
    })
  expect(world.writes()).toEqual(['POST /users', 'POST /users'])
})

describe('import --skip-invalid', () => {
  testCases({
    'users import --skip-invalid imports the valid rows and reports the invalid rows': {
      files: { 'people.csv': 'user_id,name\n,A\nada,Ada\nx,y,z\n' },
      line: 'users import people.csv --skip-invalid',
      expected: {
        code: 8,
        stdout: '',
        stderr:
          'error: people.csv:2: user_id is missing\n' +
          'error: people.csv:4: 3 cells instead of 2; quote a cell that contains “,”\n' +
          'error: imported 1 of 3 users; 2 invalid rows\n',
        users: { ada: 'Ada' },
      },
    },
    'users import --skip-invalid exits 1 if no row is valid': {
      files: { 'people.csv': 'user_id,name\n,A\n' },
      line: 'users import people.csv --skip-invalid',
      expected: {
        code: 1,
        stderr: 'error: people.csv:2: user_id is missing\nerror: imported 0 of 1 user; 1 invalid row\n',
        sent: [],
      },
    },
    'users import --skip-invalid refuses a file that cannot be parsed': {
      files: { 'people.csv': 'user_id,name\nada,Ada\ngrace,"Grace\n' },
      line: 'users import people.csv --skip-invalid',
      expected: { code: 2, sent: [] },
    },
  })
})

testCases({
  'users import --map of an unknown column is a usage error': {
    files: { 'people.csv': usersCsv(1) },
    line: 'users import people.csv --map Nmae=name',
    expected: {
      code: 2,
      stderr:
        'error: --map: there is no column “Nmae”\nhint: did you mean: meetroom users import people.csv --map name=name --base-url https://meet.test/v1\n',
      sent: [],
    },
  },
})
