import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { expect, test } from 'vitest'
import { importFixture, journalOf, usersCsv } from '../../../helpers/imports.ts'

const { world, run, user, testCases } = importFixture()

async function importFixedRejects(
  name: string,
  content: string,
  mend: (rejects: string) => string,
  ...flags: string[]
) {
  await user('ada', { name: 'Old' })
  world.file(name, content)
  const first = await world.run(['users', 'import', name, '--failed-out', `again-${name}`, ...flags])
  const rejects = world.read(`again-${name}`) ?? ''
  world.file(`again-${name}`, mend(rejects))
  const second = await world.run(['users', 'import', `again-${name}`])
  return { codes: [first.code, second.code], stderr: first.stderr, rejects, users: await world.users() }
}

test('the file of --failed-out in CSV contains the original rows with the reasons for the failures', async () => {
  expect(
    await importFixedRejects(
      'people.csv',
      '\ufeffname,user_id,Notes\r\n"Lovelace, ""Ada""\nof London",ada,\'=1\r\nGrace,grace,x\r\n\'=Kay,,x\r\n',
      (text) => text.replace(',ada,', ',ada2,').replace("'=Kay,,", "'=Kay,kay,").replace('Notes', 'email'),
      '--map',
      'Notes=email',
      '--skip-invalid',
      '--concurrency',
      '1',
    ),
  ).toEqual({
    codes: [8, 0],
    stderr:
      'warning: people.csv:2: email “=1” has no @\n' +
      'warning: people.csv:4: email “x” has no @\n' +
      'warning: people.csv:5: email “x” has no @\n' +
      'error: people.csv:2 (ada): the user already exists\n' +
      'error: people.csv:5: user_id is missing\n' +
      'error: imported 1 of 3 users; 1 failed; 1 invalid row\n' +
      'hint: fix again-people.csv and import it\n',
    rejects:
      'name,user_id,Notes,reason\r\n' +
      '"Lovelace, ""Ada""\nof London",ada,\'=1,the user already exists\r\n' +
      "'=Kay,,x,user_id is missing\r\n",
    users: { ada: 'Old', ada2: 'Lovelace, "Ada"\nof London', grace: 'Grace', kay: '=Kay' },
  })
})

test.each<
  [format: string, content: string, mend: (text: string) => string, rejects: string, ada2: string | null]
>([
  [
    'ndjson',
    '{"user_id":"ada","name":"Ada","n":12345678901234567890}\n{"user_id":"grace"}\n{"name":"Kay"}\n',
    (text) => text.replace(/,"n":\d+/, ''),
    '{"user_id":"ada","name":"Ada","n":12345678901234567890,"reason":"the user already exists"}\n' +
      '{"name":"Kay","reason":"user_id is missing"}\n',
    'Ada',
  ],
  [
    'json',
    '[{"user_id":"ada"},{"user_id":"grace"},{"name":"Kay"}]',
    (text) => text,
    '[\n{"user_id":"ada","reason":"the user already exists"},\n{"name":"Kay","reason":"user_id is missing"}\n]\n',
    null,
  ],
])(
  'the file of --failed-out in %s contains the original objects with the reasons for the failures',
  async (format, content, mend, rejects, ada2) => {
    const fix = (text: string) =>
      mend(text).replace('"ada"', '"ada2"').replace('{"name"', '{"user_id":"kay","name"')
    const flags = [
      '--skip-invalid',
      '--concurrency',
      '1',
      ...(format === 'ndjson' ? ['--map', 'n=number'] : []),
    ]
    expect(await importFixedRejects(`people.${format}`, content, fix, ...flags)).toMatchObject({
      codes: [8, 0],
      rejects,
      users: { ada: 'Old', ada2, grace: null, kay: 'Kay' },
    })
  },
)

testCases({
  'the file of --failed-out has a single reason column if the input file already has this column': {
    users: ['ada'],
    files: { 'people.csv': 'reason,user_id\nolder,ada\n' },
    line: 'users import people.csv --failed-out again.csv',
    expected: { code: 1, files: { 'again.csv': 'reason,user_id\r\nthe user already exists,ada\r\n' } },
  },
  'the file of --failed-out contains every cell of a row with too many cells': {
    files: { 'people.csv': 'user_id,name\nada,Lovelace, Ada\ngrace,G\n' },
    line: 'users import people.csv --skip-invalid --failed-out again.csv',
    expected: {
      code: 8,
      files: {
        'again.csv':
          'user_id,name,reason\r\nada,Lovelace, Ada,"3 cells instead of 2; quote a cell that contains “,”"\r\n',
      },
    },
  },
  'the file of --failed-out contains lines that cannot be parsed': {
    files: { 'people.ndjson': '{"user_id":"grace"}\n{"user_id":"ada",name:"Ada"}\n["kay"]\n' },
    line: 'users import people.ndjson --skip-invalid --failed-out again.ndjson',
    expected: { code: 8, files: { 'again.ndjson': expect.stringMatching(/ada[\s\S]*kay/) } },
  },
  'users import --failed-out writes the invalid rows when it refuses the file': {
    files: { 'people.csv': '\ufeffname;user_id\nA;a\n;;\nB;\nC;a\nD;d;e\n' },
    line: 'users import people.csv --failed-out again.csv --bom',
    expected: {
      code: 2,
      sent: [],
      stderr: expect.stringContaining(
        'error: invalid rows: 3 of 4; nothing was sent\n' +
          'hint: fix the rows in again.csv, which shows the reason for each row, or skip them with: meetroom users import people.csv --failed-out again.csv --bom --skip-invalid --base-url https://meet.test/v1\n',
      ),
      files: {
        'again.csv':
          '\ufeffname;user_id;reason\r\nB;;user_id is missing\r\nC;a;the same user_id as line 2\r\nD;d;e;"3 cells instead of 2; quote a cell that contains “;”"\r\n',
      },
    },
  },
  'the file of --failed-out contains only the rows with an invalid member of a room': {
    users: ['u'],
    files: { 'r.csv': 'name,type,user_id,member_type\nA,open,u,guest\nB,open,u,Boss\nB,,v,\n' },
    line: 'rooms import r.csv --group-by name --failed-out again.csv',
    expected: {
      code: 2,
      sent: [],
      files: {
        'again.csv':
          'name,type,user_id,member_type,reason\r\n' +
          'B,open,u,Boss,"member_type must be guest, host or monitor, not “Boss”"\r\n',
      },
    },
  },
  'rooms import --failed-out writes the invalid members when it refuses the file': {
    files: { 'm.ndjson': '{"room_id":"r","user_id":"u"}\n{"room_id":"r"}\n' },
    line: 'members import m.ndjson --failed-out again.ndjson',
    expected: {
      code: 2,
      sent: [],
      files: { 'again.ndjson': '{"room_id":"r","reason":"user_id is missing"}\n' },
    },
  },
  '--failed-out refuses the path of the input file': {
    files: { 'people.csv': 'user_id,name\n,A\nu1,N1\n' },
    line: 'users import people.csv --skip-invalid --failed-out ./people.csv',
    expected: { code: 2, sent: [], files: { 'people.csv': 'user_id,name\n,A\nu1,N1\n' } },
  },
  '--failed-out in a directory that does not exist exits 74 before any request': {
    files: { 'people.csv': usersCsv(4) },
    line: 'users import people.csv --failed-out nowhere/again.csv',
    expected: {
      code: 74,
      stdout: '',
      stderr: 'error: nowhere/again.csv cannot be written: no such directory\n',
      sent: [],
    },
  },
})

test('the file of --failed-out is created only if rows fail, and has owner-only access', async () => {
  world.file('people.csv', usersCsv(2))
  await run('users import people.csv --failed-out again.csv')
  expect(world.read('again.csv')).toBeUndefined()
  await run('users import people.csv --failed-out again.csv')
  expect(statSync(world.path('again.csv')).mode & 0o777).toBe(0o600)
  expect(world.read('again.csv')).toBe(
    'user_id,name,reason\r\nu1,N1,the user already exists\r\nu2,N2,the user already exists\r\n',
  )
})

test('--failed-out in a missing directory exits 74 and does not change the journal of a resumed import', async () => {
  world.file('people.csv', usersCsv(4))
  await world.cutOff('users import people.csv')
  const before = world.read(journalOf('people.csv'))
  expect(await run('users import people.csv --failed-out nowhere/again.csv --resume')).toMatchObject({
    code: 74,
  })
  expect(world.read(journalOf('people.csv'))).toBe(before)
  expect(await run('users import people.csv')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did not finish'),
  })
})

test('the file of --failed-out is removed if a resumed run imports every row', async () => {
  await user('u1')
  world.file('people.csv', usersCsv(3))
  expect(await run('users import people.csv --failed-out again.csv')).toMatchObject({ code: 8 })
  expect(world.read('again.csv')).toContain('u1,N1,')
  await world.send('DELETE', '/users/u1')
  expect(await run('users import people.csv --failed-out again.csv --resume')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('deleted again.csv of an earlier run, because no row failed\n'),
  })
  expect(world.read('again.csv')).toBeUndefined()
})

test.each([
  ['people.csv', 'roster.csv', 'user_id,name\nada,Ada\n'],
  ['people.csv', 'notes.txt', 'no reason\n'],
  ['people.csv', 'binary', '\0\u0001'],
  ['people.csv', 'rows.ndjson', '{"reason":"x"}\n'],
  ['people.ndjson', 'rows.ndjson', '{"user_id":"ada"}\n[]\nreason\n'],
  ['people.json', 'rows.json', '[{"user_id":"ada"}]'],
  ['people.json', 'rows.csv', 'user_id,reason\nada,x\n'],
])(
  'an import of %s refuses --failed-out %s with other contents, and does not change the file',
  async (input, file, text) => {
    const rows: Record<string, string> = {
      'people.csv': usersCsv(2),
      'people.ndjson': '{"user_id":"u1"}\n',
      'people.json': '[{"user_id":"u1"}]',
    }
    world.file(input, rows[input] ?? '')
    world.file(file, text)
    expect(await run(`users import ${input} --failed-out ${file}`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: ${file} already exists, and is not a file of failed rows\nhint: pass a new file\n`,
    })
    expect(world.requests).toEqual([])
    expect(world.read(file)).toBe(text)
    expect(world.read(journalOf(input))).toBeUndefined()
  },
)

test.each([
  ['people.csv', ''],
  ['people.csv', '\ufeffuser_id;reason;"two\nlines"\nu1;x;y\n'],
  ['people.csv', 'user_id^reason\nu1^x\n', '--delimiter', '^'],
  ['people.csv', 'user_id,reason'],
  ['people.ndjson', 'not JSON\n{"user_id":"u1","reason":"x"}\n'],
  ['people.json', '[\nnot JSON,\n{"user_id":"u1","reason":"x"}\n]\n'],
])('an import of %s replaces an earlier --failed-out file with %j', async (input, text, ...flags) => {
  const rows: Record<string, string> = {
    'people.csv': flags.length > 0 ? 'user_id^name\nu1^A\n' : usersCsv(1),
    'people.ndjson': '{"user_id":"u1"}\n',
    'people.json': '[{"user_id":"u1"}]',
  }
  await user('u1')
  world.file(input, rows[input] ?? '')
  world.file('again', text)
  const { code } = await run(['users', 'import', input, '--failed-out', 'again', ...flags])
  expect(code).toBe(1)
  expect(world.read('again')).toContain('the user already exists')
})

test('the file of --failed-out remains if a run without failed rows does not finish', async () => {
  const rejects = 'user_id,name,reason\nx,X,old\n'
  world.file('people.csv', usersCsv(3))
  world.file('again.csv', rejects)
  await world.cutOff('users import people.csv --failed-out again.csv')
  expect(world.read('again.csv')).toBe(rejects)
})

test('a refused run or a dry run does not change the file of --failed-out', async () => {
  world.file('people.csv', usersCsv(3))
  world.file('again.csv', 'precious')
  await world.cutOff('users import people.csv')
  expect(await run('users import people.csv --failed-out again.csv')).toMatchObject({ code: 2 })
  expect(await run('users import people.csv --no-journal --dry-run --failed-out again.csv')).toMatchObject({
    code: 1,
  })
  expect(world.read('again.csv')).toBe('precious')
})

test.each([
  ['the path of the journal', journalOf('people.csv')],
  ['a hard link to the input', 'linked.csv'],
  ['a directory', 'folder'],
])('users import --failed-out refuses %s', async (_, name) => {
  world.file('people.csv', usersCsv(3))
  linkSync(world.path('people.csv'), world.path('linked.csv'))
  mkdirSync(world.path('folder'))
  const { code } = await run(`users import people.csv --failed-out ${name}`)
  expect(code).toBe(name === 'folder' ? 74 : 2)
  expect(world.read('people.csv')).toBe(usersCsv(3))
  expect(world.requests).toEqual([])
  expect(await run('users import people.csv')).toMatchObject({ code: 0 })
})

test('--failed-out replaces the file behind a symbolic link, and refuses a link to a missing file', async () => {
  world.file('people.csv', 'user_id\nada\nx,\n')
  world.file('rejects', 'user_id,reason\n')
  for (const target of ['rejects', 'nowhere']) symlinkSync(world.path(target), world.path(`to-${target}`))
  const args = 'users import people.csv --if-exists overwrite --skip-invalid --failed-out'
  expect(await run(`${args} to-nowhere`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`error: ${world.path('to-nowhere')} is a symbolic link\n`),
  })
  expect(world.read('nowhere')).toBeUndefined()
  expect(await run(`${args} to-rejects`)).toMatchObject({ code: 8 })
  expect(lstatSync(world.path('to-rejects')).isSymbolicLink()).toBe(true)
  expect(world.read('rejects')).toMatch(/^x,/m)
})

test.runIf(existsSync('/proc/self/fd'))(
  '--failed-out refuses a path in /proc/self/fd that leads to a regular file',
  async () => {
    world.file('people.csv', usersCsv(1))
    const redirected = openSync(world.path('redirected'), 'w')
    const { code, stderr } = await run(`users import people.csv --failed-out /proc/self/fd/${redirected}`)
    closeSync(redirected)
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a symbolic link')])
    expect(world.requests).toEqual([])
  },
)

test('--failed-out accepts a device or a link to a device', async () => {
  world.file('people.csv', 'user_id\nada\nx,\n')
  symlinkSync('/dev/null', world.path('again.csv'))
  for (const file of ['/dev/null', 'again.csv'])
    expect(
      await run(`users import people.csv --if-exists overwrite --skip-invalid --failed-out ${file}`),
    ).toMatchObject({
      code: 8,
    })
})
