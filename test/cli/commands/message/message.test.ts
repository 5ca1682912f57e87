import { beforeEach, expect, test } from 'vitest'
import { answer, createWorld, type World } from '../../../helpers/world.ts'

let world: World
let room: string
beforeEach(async () => {
  world = await createWorld()
  room = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room.id
})

const sent = () =>
  world.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url, body }) => [method, url.slice(20), body])

test('message send sends the text and prints the response', async () => {
  expect(await world.run(['message', 'send', room, 'We close in five minutes'])).toMatchObject({
    code: 0,
    stdout: 'message  We close in five minutes\n',
    stderr: 'nobody is connected to the room\n',
  })
  expect(sent()).toEqual([['POST', `/rooms/${room}/message`, '{"message":"We close in five minutes"}']])
})

test.each([
  ['json', '{"message":"hi"}\n'],
  ['ndjson', '{"message":"hi"}\n'],
  ['csv', 'message\r\nhi\r\n'],
  ['table', 'message  hi\n'],
])('message send -o %s prints the message', async (format, stdout) => {
  expect(await world.run(`message send ${room} hi -o ${format} --quiet`)).toMatchObject({
    code: 0,
    stdout,
    stderr: '',
  })
})

test('message send -o ids exits 2 before any request because a message has no ID', async () => {
  expect(await world.run(`message send ${room} hi -o ids`)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'error: a message has no ID to print\n',
  })
  expect(world.requests).toEqual([])
})

test.each([
  ['from a pipe\n', 'from a pipe'],
  ['two\nlines\n', 'two\nlines'],
  ['windows\r\n', 'windows'],
  ['one of two\n\n', 'one of two\n'],
  ['no line break', 'no line break'],
  ['  blanks stay ', '  blanks stay '],
  ['{"type":"poll","😀":1}\n', '{"type":"poll","😀":1}'],
  ['“All quoted”\n', '“All quoted”'],
])('message send ROOM - reads %j from stdin', async (stdin, message) => {
  expect(await world.run(`message send ${room} - --json --quiet`, { stdin })).toMatchObject({
    code: 0,
    stderr: '',
  })
  expect(sent()).toEqual([['POST', `/rooms/${room}/message`, JSON.stringify({ message })]])
})

test('message send ROOM - rejects stdin with invalid UTF-8', async () => {
  expect(await world.run(`message send ${room} -`, { stdin: Uint8Array.of(0xff, 0x0a) })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'error: standard input is not valid UTF-8\n',
  })
  expect(world.requests).toEqual([])
})

test('message send accepts a text that starts with a hyphen after “--”', async () => {
  expect(await world.run(['message', 'send', room, '--', '--json'])).toMatchObject({
    code: 0,
    stdout: 'message  --json\n',
  })
  expect(await world.run(['message', 'send', '-o', 'csv', room, '--no-header', '--', '-y'])).toMatchObject({
    code: 0,
    stdout: "'-y\r\n",
  })
})

test('message send rejects a text in one pair of typographic quotes', async () => {
  expect((await world.run(['message', 'send', room, '“Maths”'])).stderr).toMatch(
    /^error: the text: the quotes of “Maths” are part of the text\n/,
  )
  expect((await world.run(['message', 'send', room, '“Maths” or “Physics”'])).code).toBe(0)
  expect(sent()[0]?.[2]).toBe('{"message":"“Maths” or “Physics”"}')
})

test('message send sends unlisted fields from --set and --data', async () => {
  await world.run([
    'message',
    'send',
    room,
    'hi',
    '--set',
    'urgent=true',
    '--data',
    '{"to":"all","message":"x"}',
  ])
  expect(sent()[0]?.[2]).toBe('{"to":"all","message":"hi","urgent":true}')
})

test('message send exits 2 if the text and --data are both read from stdin', async () => {
  const { code, stdout } = await world.run(`message send ${room} - --data -`, { stdin: '{"a":1}' })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(world.requests).toEqual([])
})

test('message send without a text exits 2 and names the missing argument', async () => {
  expect(await world.run(`message send ${room}`)).toMatchObject({
    code: 2,
    stderr:
      'error: the argument “text” is missing\n' +
      `hint: from a pipe: meetroom message send ${room} - --base-url https://meet.test/v1; ` +
      `else as in: meetroom message send ${room} TEXT --base-url https://meet.test/v1\n`,
  })
})

test('message send to a terminated room exits 1 after a 500 response', async () => {
  await world.send('PUT', `/rooms/${room}`, { is_terminated: true })
  expect(await world.run(`message send ${room} hi`)).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'error: the service reports a validation exception (500): the room is terminated\n' +
      'hint: fix the request: in this API, 500 means that it is invalid\n',
  })
  expect(world.requests).toHaveLength(1)
})

test('message send exits 7 without a retry after a 503 response', async () => {
  world.intercept = async () => answer(503, {})
  expect((await world.run(`message send ${room} hi`)).code).toBe(7)
  expect(world.requests).toHaveLength(1)
})

test('message send retries after a 429 response', async () => {
  world.intercept = async (_, next) => (world.requests.length === 1 ? answer(429, {}) : next())
  const { code, stderr } = await world.run(`message send ${room} hi`)
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'the service responded with 429; retrying in 0.1 s\nnobody is connected to the room\n',
  })
  expect(sent()).toHaveLength(2)
})

test('message send prints a JSON array from the response unchanged', async () => {
  world.intercept = async () => answer(200, { message: [null, 'hi'] })
  expect(await world.run(`message send ${room} hi --quiet`)).toMatchObject({
    code: 0,
    stdout: 'message  [null,"hi"]\n',
  })
})
