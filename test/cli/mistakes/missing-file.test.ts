import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { importFixture } from '../../helpers/imports.ts'

const { world } = importFixture()

const hintOf = async (argv: readonly string[]) => {
  const { code, stderr } = await world.run(argv)
  return [code, stderr.split('\n')[1]?.replace(' --base-url https://meet.test/v1', '')]
}

const existing = 'roster.csv week-1.csv list.ndjson body.json no.csv class-a.csv ws.yaml ws.json'.split(' ')

test.each([
  ['users import rosters.csv --rate 5', 'users import roster.csv --rate 5'],
  ['users import ./Roster.csv', 'users import ./roster.csv'],
  [
    'workspace diff rostr.csv --rooms-from a --users-from b',
    'workspace diff roster.csv --rooms-from a --users-from b',
  ],
  ['rooms import list.csv', 'rooms import list.ndjson'],
  ['rooms create --data=@boddy.json', 'rooms create --data=@body.json'],
  ['users import roster.cvs', 'users import roster.csv'],
  ['workspace apply ws.yml', 'workspace apply ws.yaml'],
])('“%s” with a missing file suggests “%s” with an existing file', async (line, meant) => {
  for (const name of existing) world.file(name, '')
  expect(await hintOf(line.split(' '))).toEqual([2, `hint: did you mean: meetroom ${meant}`])
  expect(world.requests).toEqual([])
})

test.each([
  'members import members.csv --room-ids=lists.ndjson',
  'users import week-2.csv',
  'users import na.csv',
  'users import class-b.csv',
  'users import rosters.cvs',
  'users import elsewhere/roster.csv',
  'users import ws.csv',
])('“%s” with a missing file suggests no file if none has a similar name', async (line) => {
  for (const name of existing) world.file(name, '')
  expect(await hintOf(line.split(' '))).toEqual([2, ''])
  expect(world.requests).toEqual([])
})

test.each([
  ['~/people.csv', `the shell does not expand ~ in quotes: meetroom users import ${homedir()}/people.csv`],
  ['C:\\Users\\people.csv', 'this is a Windows path; did you mean: meetroom users import people.csv'],
  ['folder\\list.csv', 'this is a Windows path; did you mean: meetroom users import folder/list.csv'],
  [
    'C:\\Users\\other.csv',
    'this is a Windows path; pass a path of this system, such as /mnt/c/Users/other.csv in WSL',
  ],
  [
    'C:Usersother.csv',
    'this is a Windows path, and the shell removed its backslashes; pass a path of this system',
  ],
])('users import explains the path syntax of the missing file %s in a hint', async (path, hint) => {
  world.file('people.csv', 'user_id\nada\n')
  mkdirSync(world.path('folder'))
  world.file('folder/list.csv', 'user_id\nada\n')
  const { stderr } = await world.run(['users', 'import', path])
  expect(stderr.split('\n')[0]).toBe(`error: ${path} cannot be read: no such file`)
  expect(await hintOf(['users', 'import', path])).toEqual([2, `hint: ${hint}`])
})

test('members import --room-ids=~/FILE suggests the path in the home directory', async () => {
  world.file('members.csv', 'room_id,user_id\nx,ada\n')
  expect(await hintOf(['members', 'import', 'members.csv', '--room-ids=~/rooms.ndjson'])).toEqual([
    2,
    `hint: the shell does not expand ~ within a word: meetroom members import members.csv --room-ids=${homedir()}/rooms.ndjson`,
  ])
})

test('users import prints the path of an invalid file as typed', async () => {
  mkdirSync(world.path('sub'))
  world.file('sub/people.csv', 'user_id\n..\n')
  world.file('sub/people.yaml', '')
  expect((await world.run('users import ./sub/people.csv')).stderr).toMatch(/^error: .\/sub\/people.csv:2: /)
  expect((await world.run('users import sub/people.yaml')).stderr).toMatch(/^error: sub\/people.yaml is YAML/)
})

test('--data with a file name suggests --data @FILE', async () => {
  world.file('my data.json', '{"name":"A"}')
  const { code, stderr } = await world.run(['rooms', 'create', '--data', 'my data.json'])
  expect([code, stderr]).toEqual([
    2,
    'error: --data is not valid JSON: unexpected “m” at column 1; my data.json is a file\n' +
      "hint: did you mean: meetroom rooms create --data '@my data.json' --base-url https://meet.test/v1\n",
  ])
  expect(await hintOf(['api', 'POST', '/rooms', '--data', 'other.json'])).toEqual([
    2,
    'hint: did you mean: meetroom api POST /rooms --data @other.json',
  ])
})

test('the hint for a secret, header or message with a file name shows the syntax for files', async () => {
  for (const name of ['secret.txt', 'two words.txt']) world.file(name, 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0')
  world.file('body.json', '{}')
  const verify = ['webhooks', 'verify', 'body.json', '--headers', 'body.json']
  const room = '66f1a2b3c4d5e6f708192a3b'
  for (const [line, hint] of [
    [[...verify, '--secret', 'secret.txt'], `meetroom ${verify.join(' ')} --secret @secret.txt`],
    [
      ['rooms', 'create', '--name', 'X', '--webhook-url', 'https://h.test', '--webhook-secret', 'secret.txt'],
      'meetroom rooms create --name X --webhook-url https://h.test --webhook-secret @secret.txt',
    ],
    [['api', 'GET', '/rooms', '-H', 'x-token: secret.txt'], '“@secret.txt”?'],
    [['message', 'send', room, '@secret.txt'], `meetroom message send ${room} - < secret.txt`],
    [
      ['message', 'send', '--where', 'online>0', '--text', '@two words.txt', '--yes'],
      "meetroom message send --where 'online>0' --text - --yes < 'two words.txt'",
    ],
  ] as const)
    expect([line, await hintOf(line)]).toEqual([
      line,
      [2, `hint: did you mean${hint.startsWith('m') ? ':' : ''} ${hint}`],
    ])
  expect(world.requests).toEqual([])
})

test('message send accepts the text @all if no file with this name exists', async () => {
  expect(
    await world.run(['message', 'send', '--where', 'online>0', '--text', '@all', '--yes']),
  ).toMatchObject({
    code: 0,
  })
})

test('the error for unquoted strings in --data @FILE explains that JSON needs double quotes', async () => {
  world.file('bad.json', '{name: "X", type: "open"}\n')
  expect((await world.run('api POST /rooms --data @bad.json')).stderr).toBe(
    'error: --data @bad.json is not valid JSON: unexpected “n” at column 2; strings in JSON need double quotes\n',
  )
})

test('users delete suggests reading IDs from a file if the argument names an existing file', async () => {
  world.file('ids.txt', 'ada\n')
  expect(await hintOf(['users', 'delete', 'ids.txt', '--yes'])).toEqual([
    3,
    'hint: read the IDs from the file with: meetroom users delete - --yes < ids.txt',
  ])
  expect((await hintOf(['users', 'get', 'other.txt']))[1]).not.toContain('read the IDs')
})

test.each([
  ['undefined', '“u” at column 1'],
  ['["]",]', '“]” at column 6'],
  ['{name:1}', '“n” at column 2; strings in JSON need double quotes'],
  ['{“name”:1}', '““” at column 2; JSON needs ASCII quotes (")'],
])('the error for the invalid JSON %s in --data names the first invalid character', async (data, fault) => {
  const { stderr } = await world.run(['rooms', 'create', `--data=${data}`])
  expect(stderr.split('\n')[0]).toBe(`error: --data is not valid JSON: unexpected ${fault}`)
})
