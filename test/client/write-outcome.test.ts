import { beforeEach, describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/api/wire.ts'
import { createImportWorld, entriesOf, type ImportWorld } from '../helpers/imports.ts'
import { answer } from '../helpers/world.ts'

let world: ImportWorld
beforeEach(async () => {
  world = await createImportWorld()
  world.file('rooms.csv', 'name,type\nNew,open\n')
  world.file('users.csv', 'user_id,name\nada,Ada\n')
  world.file('members.csv', 'user_id,type\nada,host\n')
})

const room = { id: 'r1', name: 'R', type: 'private' }
const member = { id: 'm1', user_id: 'ada', room_id: 'r1', type: 'host' }

/** A service that reads as usual, executes no write and answers each with this. Reads show a block once it was requested. */
function executingNothing(response: WireResponse | ((path: string) => WireResponse)): void {
  let isBlocked = false
  world.intercept = async ({ method, url, body = '' }) => {
    const path = url.replace(/^https:\/\/meet\.test\/v1|\?.*/g, '')
    if (method !== 'GET') {
      isBlocked ||= body.includes('"is_blocked":true')
      return typeof response === 'function' ? response(path) : response
    }
    if (path === '/rooms/r2/members') return answer(200, { members: [] })
    if (path.endsWith('/members')) return answer(200, { members: [member] })
    if (path.includes('/members/')) return answer(200, { member: { ...member, is_blocked: isBlocked } })
    if (path.startsWith('/users/')) return answer(200, { user: { user_id: path.slice(7), name: 'Ada' } })
    if (path.startsWith('/rooms/')) return answer(200, path.endsWith('s') ? { sessions: [] } : { room })
    return answer(200, { rooms: [room], users: [] })
  }
}

/** Runs a command and reads the outcomes from the audit log. */
async function outcomesOf(line: string | readonly string[]) {
  const name = `audit-${Math.random()}.ndjson`
  const run = await world.run(line, { env: { MEETROOM_AUDIT_LOG: world.path(name) } })
  const audit = entriesOf(world.read(name)).flatMap(({ event, outcome }) =>
    event === 'outcome' ? outcome : [],
  )
  return { ...run, audit }
}

/** Every command that writes, by who chooses the ID of what it writes. */
const commands = {
  caller: [
    'rooms update r1 --name New',
    'rooms terminate r1 --yes',
    'rooms reopen r1',
    'rooms delete r1 --yes',
    'members update r1 m1 --type host',
    'members block r1 m1 --yes',
    'members unblock r1 m1',
    'users create ada --name Ada --overwrite',
    'users update ada --name Ada',
    'users delete ada --yes',
    'message send r1 hi',
  ],
  service: [
    'rooms create --name New --type open',
    'members add r1 ada --type host',
    'pages create r1 --index 3',
  ],
  api: ['api PUT /rooms/r1 -f name=New', 'api DELETE /users/ada --yes'],
  'api service': ['api POST /rooms -f name=New -f type=open'],
  'api other': ['api POST /rooms/r1/things -f n=1'],
  'import caller': ['users import users.csv --if-exists overwrite --no-journal'],
  'import service': [
    'rooms import rooms.csv --no-journal',
    'members import members.csv --room r2 --no-journal',
  ],
  offboard: ['users offboard ada --yes'],
} as const
type Kind = keyof typeof commands

/** What each command has written, in one body. */
const resource = {
  room: { id: 'r1', name: 'New', type: 'open' },
  member: { id: 'm1', user_id: 'ada', type: 'host' },
  user: { user_id: 'ada', name: 'Ada' },
  pages: [{ id: 'p1' }],
  message: 'hi',
}

type Outcome = 'shown' | 'acknowledged' | 'refused' | 'unknown'
const html = (text: string) => answer(200, text, { 'content-type': 'text/html' })

/** Responses to a write, and what they prove. */
const responses: Record<string, readonly [WireResponse, Outcome]> = {
  HTML: [html('<!doctype html><title>Log in</title>'), 'unknown'],
  text: [answer(202, 'OK', { 'content-type': 'text/plain' }), 'unknown'],
  'only white space': [answer(200, ' \n'), 'unknown'],
  null: [answer(200, 'null'), 'unknown'],
  '[]': [answer(200, []), 'unknown'],
  '"ok"': [answer(200, '"ok"'), 'unknown'],
  true: [answer(200, 'true'), 'unknown'],
  'a cut body': [answer(200, '{"room":{"id":"r'), 'unknown'],
  'a damaged body': [{ ...answer(200, ''), unreadable: 'its compression is damaged' }, 'unknown'],
  'JSON that is too deep': [answer(200, `{"ok":${'['.repeat(600)}${']'.repeat(600)}}`), 'unknown'],
  'an error message': [answer(200, { error: 'not today' }), 'refused'],
  'an error with a code': [answer(200, { error: { code: 'x', message: 'not today' } }), 'refused'],
  'a list of errors': [answer(200, { errors: ['not today'] }), 'refused'],
  'errors by field': [answer(200, { errors: { name: ['not today'] } }), 'refused'],
  'an error and a message': [answer(200, { error: true, message: 'not today' }), 'refused'],
  'an error and no item': [answer(200, { error: 'not today', room: null, user: null }), 'refused'],
  '{"success":false}': [answer(200, { success: false, message: 'not today' }), 'refused'],
  '{"ok":false}': [answer(200, { ok: false, reason: 'not today' }), 'refused'],
  '{"ok":"false"}': [answer(200, { ok: 'false', reason: 'not today' }), 'refused'],
  'the item and {"ok":false}': [
    answer(200, { ...resource, message: undefined, ok: false, error: 'not today' }),
    'refused',
  ],
  '{}': [answer(200, {}), 'acknowledged'],
  '{"ok":true}': [answer(200, { ok: true }), 'acknowledged'],
  '{"success":true}': [answer(200, { success: true, error: null, errors: [] }), 'acknowledged'],
  '{"ok":1}': [answer(200, { ok: 1, errors: { name: [] } }), 'acknowledged'],
  'no body (200)': [answer(200, ''), 'acknowledged'],
  'no body (204)': [answer(204, ''), 'acknowledged'],
  'the item': [answer(200, resource), 'shown'],
  'the item and no error': [answer(200, { error: null, errors: [], ...resource }), 'shown'],
  'the item and an empty error': [answer(200, { error: '', ...resource }), 'shown'],
  'the item and an error': [answer(200, { error: 'the cache is cold', ...resource }), 'shown'],
}

/** Exit code, standard output and outcomes in the audit log. */
function expected(kind: Kind, outcome: Outcome, body: string) {
  const isJson = !['', ' \n', 'OK'].includes(body) && !/^<|^\{"room":\{"id":"r$|\[\[\[/.test(body)
  const printed = (text: string) => (kind.startsWith('api') ? (isJson ? body : '') : text)
  const unknown = { code: 7, stdout: printed(''), audit: ['unknown'] }
  if (kind === 'offboard')
    return outcome === 'shown' || outcome === 'acknowledged'
      ? { code: 0, audit: ['ok', 'ok'] }
      : { code: 8, audit: [outcome === 'refused' ? 'failed' : 'unknown'] }
  // Which field holds the item of an operation that the API does not list is unknown.
  if (kind === 'api other' && body.includes('the cache is cold'))
    return { code: 1, stdout: body, audit: ['failed'] }
  if (kind.startsWith('import')) {
    if (outcome === 'refused') return { code: 1, audit: ['failed'] }
    const isUnknown = outcome === 'unknown' || (outcome === 'acknowledged' && kind === 'import service')
    return isUnknown ? { code: 7, audit: ['unknown'] } : { code: 0, audit: ['ok'] }
  }
  switch (outcome) {
    case 'shown':
      return { code: 0, stdout: body, audit: ['ok'] }
    case 'refused':
      return { code: 1, stdout: printed(''), audit: ['failed'] }
    case 'acknowledged':
      return kind.endsWith('service') ? unknown : { code: 0, stdout: body, audit: ['ok'] }
    case 'unknown':
      return unknown
  }
}

describe.each(Object.entries(responses))('a write with the response %s', (_what, [response, outcome]) => {
  test.each(Object.keys(commands) as Kind[])(
    'of the kind “%s” has the outcome that the response proves',
    async (kind) => {
      executingNothing(response)
      const body = new TextDecoder().decode(response.body)
      for (const command of commands[kind]) {
        const { code, stdout, stderr, audit } = await outcomesOf(`${command} -o json`)
        const wanted = expected(kind, outcome, body)
        const got = 'stdout' in wanted ? { code, stdout, audit } : { code, audit }
        expect({ command, ...got }, stderr).toEqual({ command, ...wanted })
        if (outcome === 'refused' && kind !== 'offboard') expect(stdout + stderr).toContain('not today')
      }
    },
  )
})

describe('a write accepted without its item in the response', () => {
  test.each([
    ['rooms update r1 --name New', 'r1', 'updated room r1'],
    ['rooms terminate r1 --yes', 'r1', 'terminated 1 room'],
    ['rooms delete r1 r2 --yes', 'r1\nr2', 'deleted 2 rooms'],
    ['members update r1 m1 --type host', 'm1', 'updated member m1'],
    ['members block r1 m1 --yes', 'm1', 'blocked 1 member'],
    ['users create ada --overwrite', 'ada', 'created user ada'],
    ['users update ada --name Ada', 'ada', 'updated user ada'],
    ['users delete ada --yes', 'ada', 'deleted 1 user'],
  ])('prints no item, and prints the requested ID with -o ids: %s', async (command, ids, notice) => {
    for (const response of [answer(204, ''), answer(200, { ok: true })]) {
      executingNothing(response)
      for (const [format, stdout] of [
        ['table', ''],
        ['ids', `${ids}\n`],
        ['ndjson', ''],
      ] as const)
        expect(await world.run(`${command} -o ${format}`)).toMatchObject({
          code: 0,
          stdout,
          stderr: `${notice}\n`,
        })
      expect(await world.run(`${command} -o table --quiet`)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '',
      })
      for (const options of [{}, { tty: true }])
        expect((await world.run(`${command} --query room.id`, options)).code).toBe(0)
    }
  })

  test('reports a message as sent', async () => {
    executingNothing(answer(204, ''))
    expect(await world.run('message send r1 hi')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'sent the message\nnobody is connected to the room\n',
    })
  })
})

describe('a write whose response contains the item without its ID', () => {
  const text = '{"room": {"name":"New","meeting_time":12345678901234567890}, "at":1.10}'
  const line = 'rooms update r1 --name New'

  test('prints the item as received, and its ID with -o ids', async () => {
    executingNothing(answer(200, text))
    expect((await world.run(`${line} --json`)).stdout).toBe(text)
    expect((await world.run(`${line} -o ndjson`)).stdout).toBe(
      '{"name":"New","meeting_time":12345678901234567890}\n',
    )
    expect((await world.run(`${line} -o ids`)).stdout).toBe('r1\n')
    expect((await world.run(`${line} --columns name,meeting_time`)).stdout).toBe(
      'name          New\nmeeting_time  12345678901234567890\n',
    )
  })
})

const time = '2026-01-02T03:04:05.678Z'
const shown = (item: object, key = 'room') => ({ [key]: item })
const image = '[{"entities":[{"type":"Image","src":"https://img.test/a.png","fixed":true}]}]'

/** Commands, the body that each is answered with, and the words that name the contradiction. */
const contradictions: readonly (readonly [command: string, body: object, words: string])[] = [
  ['rooms update r1 --name New', shown({ id: 'r2', name: 'New' }), 'id is “r2”, not “r1”'],
  ['rooms update r1 --record', shown({ id: 'r1', record: 0 }), 'record is 0, not true'],
  ['rooms terminate r1 --yes', shown({ id: 'r1', terminated_at: null }), 'terminated_at is null, not a time'],
  ['rooms terminate r1 --yes', shown({ terminated_at: '' }), 'terminated_at is “”, not a time'],
  [
    'rooms terminate r1 --yes',
    shown({ id: 'r1', terminated_at: '0001-01-01T00:00:00Z', is_terminated: true }),
    'terminated_at is “0001-01-01T00:00:00Z”, not a time',
  ],
  ['rooms terminate r1 --yes', shown({ id: 'r1', is_terminated: false }), 'is_terminated is false, not true'],
  ['rooms reopen r1', shown({ id: 'r1', is_terminated: true }), 'is_terminated is true, not false'],
  [
    'rooms reopen r1',
    shown({ id: 'r1', is_terminated: 'true', terminated_at: time }),
    'is_terminated is “true”, not false',
  ],
  ['rooms delete r1 --yes', shown({ id: 12 }), 'id is 12, not “r1”'],
  [
    'rooms create --name New --type private',
    shown({ id: 'r9', type: 'open' }),
    'type is “open”, not “private”; it created r9',
  ],
  [
    'rooms create --name New --type open --record',
    shown({ id: 'r9', record: 'false' }),
    'record is “false”, not true; it created r9',
  ],
  [
    'members add r1 ada',
    shown({ id: 'm9', user_id: 'bob' }, 'member'),
    'user_id is “bob”, not “ada”; it created m9',
  ],
  [
    'members add r1 ada',
    shown({ id: 'm9', room_id: 'r2' }, 'member'),
    'room_id is “r2”, not “r1”; it created m9',
  ],
  [
    'members add r1 ada --type host',
    shown({ id: 'm9', type: 'GUEST' }, 'member'),
    'type is “GUEST”, not “host”; it created m9',
  ],
  [
    'members update r1 m1 --type host',
    shown({ id: 'm1', type: 'guest' }, 'member'),
    'type is “guest”, not “host”',
  ],
  ['members update r1 m1 --type host', shown({ id: 'm2' }, 'member'), 'id is “m2”, not “m1”'],
  ...[false, 'false', 0].map(
    (is_blocked) =>
      [
        'members block r1 m1 --yes',
        shown({ id: 'm1', is_blocked }, 'member'),
        `is_blocked is ${is_blocked === 'false' ? '“false”' : is_blocked}, not true`,
      ] as const,
  ),
  ['members unblock r1 m1', shown({ id: 'm1', is_blocked: true }, 'member'), 'is_blocked is true, not false'],
  ['users create ada --overwrite', shown({ user_id: 'bob' }, 'user'), 'user_id is “bob”, not “ada”'],
  [
    'users update ada --default-member-type host',
    shown({ user_id: 'ada', default_member_type: 'guest' }, 'user'),
    'default_member_type is “guest”, not “host”',
  ],
  ['users delete ada --yes', shown({ user_id: 'bob' }, 'user'), 'user_id is “bob”, not “ada”'],
  ['api DELETE /users/ada --yes', shown({ user_id: 'bob' }, 'user'), 'user_id is “bob”, not “ada”'],
  [
    'api PUT /rooms/r1 -f is_terminated=true --yes',
    shown({ terminated_at: null }),
    'terminated_at is null, not a time',
  ],
  [
    `pages create r1 --data ${image}`,
    { pages: [{ id: 'p1', entities: [{ type: 'Image', fixed: false }] }] },
    'entities[0].fixed is false, not true',
  ],
]

describe('a write whose response contradicts the request', () => {
  test.each(contradictions)(
    'fails with the code not_applied: %s with the response %j',
    async (command, body, words) => {
      executingNothing(answer(200, body))
      const { code, stdout, stderr, audit } = await outcomesOf(`${command} --json`)
      expect({ code, stdout, audit }).toEqual({
        code: 1,
        stdout: command.startsWith('api') ? JSON.stringify(body) : '',
        audit: ['failed'],
      })
      expect(JSON.parse(stderr).error).toMatchObject({
        code: 'not_applied',
        message: `the service responded with 200, but its response contradicts the request: ${words}`,
        status: 200,
        retryable: false,
        body,
      })
    },
  )

  test('counts as one failure of several, and sets the exit code if all fail', async () => {
    const half = (path: string) =>
      answer(200, { room: { id: path.slice(7), terminated_at: path.endsWith('r2') ? null : time } })
    executingNothing(half)
    expect(await outcomesOf('rooms terminate r1 r2 r3 --yes -o ids')).toMatchObject({
      code: 8,
      stdout: 'r1\nr3\n',
      stderr: expect.stringContaining('error: terminated 2 of 3 rooms; 1 failed\n'),
      audit: expect.arrayContaining(['ok', 'ok', 'failed']),
    })
    executingNothing((path) => answer(200, { room: { id: path.slice(7), terminated_at: null } }))
    const { code, stderr } = await world.run('rooms terminate r1 r2 --yes --json')
    expect(code).toBe(1)
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({ code: 'not_applied' })
  })

  test('fails the row of an import', async () => {
    executingNothing(answer(200, { user: { user_id: 'bob' } }))
    const { code, stdout, audit } = await outcomesOf(
      'users import users.csv --if-exists update -o csv --no-header',
    )
    expect({ code, audit }).toEqual({ code: 1, audit: ['failed'] })
    expect(stdout).toContain('1,ada,failed,')
  })

  test('is not repeated when the import is resumed', async () => {
    executingNothing(answer(200, { room: { id: 'r9', name: 'New', type: 'private' } }))
    const { code, stdout } = await world.run('rooms import rooms.csv -o csv --no-header')
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('failed,r9,') })
    world.requests.length = 0
    await world.run('rooms import rooms.csv --resume')
    expect(world.writes()).toEqual([])
  })
})

describe('a write whose response agrees with the request', () => {
  test.each([
    [
      'rooms terminate r1 --yes',
      shown({ id: 'r1', terminated_at: 1767322000, is_terminated: '#DEPRECATED#' }),
    ],
    ['rooms terminate r1 --yes', shown({ id: 'r1', is_terminated: '#DEPRECATED#' })],
    ['rooms terminate r1 --yes', shown({ id: 'r1', is_terminated: 1 })],
    ['rooms reopen r1', shown({ id: 'r1', terminated_at: null, is_terminated: '#DEPRECATED#' })],
    ['rooms reopen r1', shown({ id: 'r1', terminated_at: time, is_terminated: false })],
    ['rooms reopen r1', shown({ id: 'r1', terminated_at: '0001-01-01T00:00:00Z' })],
    ['rooms delete 12345678901234567890 --yes', '{"room":{"id":12345678901234567890}}'],
    ['rooms delete 7 --yes', shown({ id: 7 })],
    [
      'rooms create --name New --type open --max-meeting-seconds 60',
      shown({ id: 'r9', max_meeting_seconds: '60' }),
    ],
    ['rooms create --name New --type open --set id=mine', shown({ id: 'r9' })],
    ['members update r1 m1 --type host', shown({ id: 'm1', type: 'HOST' }, 'member')],
    ['members update r1 m1 --type host', shown({ id: 'm1', type: null }, 'member')],
    ['members block r1 m1 --yes', shown({ id: 'm1', is_blocked: 'true' }, 'member')],
    ['members block r1 m1 --yes', shown({ id: 'm1', is_blocked: 1 }, 'member')],
    ['members block r1 m1 --yes', shown({ id: 'm1', is_blocked: 'no' }, 'member')],
    ['members block r1 m1 --yes', shown({ id: 'm1' }, 'member')],
    ['users update ada --name Ada', shown({ user_id: null, name: 'Ada' }, 'user')],
  ])('succeeds: %s with the response %j', async (command, body) => {
    executingNothing(answer(200, body))
    const { code, stderr, audit } = await outcomesOf(command)
    expect({ code, audit }, stderr).toEqual({ code: command.includes('set id') ? 0 : 0, audit: ['ok'] })
    if (!command.includes('set id')) expect(stderr).not.toContain('warning')
  })
})

describe('a write whose response changes a text or number', () => {
  test.each([
    ['rooms update r1 --set name=A', shown({ id: 'r1', name: 'B' }), 'name: “B”, not “A”'],
    ['rooms update r1 --name New', shown({ id: 'r1', name: null }), 'name: null, not “New”'],
    [
      'rooms create --name New --type open --max-meeting-seconds 95',
      shown({ id: 'r9', max_meeting_seconds: 90 }),
      'max_meeting_seconds: 90, not 95',
    ],
    [
      'users update ada --profile-url https://x.test/?a=b',
      shown({ user_id: 'ada', profile_url: 'https://x.test/?a%3Db' }, 'user'),
      'profile_url: “https://x.test/?a%3Db”, not “https://x.test/?a=b”',
    ],
    ['rooms update r1 --set pin=1234', shown({ id: 'r1', pin: '****' }), 'pin'],
    ['rooms reopen r1', shown({ id: 'r1', terminated_at: time }), `terminated_at: “${time}”, not null`],
    ['message send r1 hi', { message: 'hi!' }, 'message: “hi!”, not “hi”'],
    [
      'pages create r1 --size 10x20',
      { pages: [{ id: 'p1', size: { width: 11, height: 20 } }] },
      'size.width: 11, not 10',
    ],
  ])('succeeds with a warning that names the field: %s', async (command, body, words) => {
    executingNothing(answer(200, body))
    const { code, stderr, stdout, audit } = await outcomesOf(`${command} --json`)
    expect({ code, stdout, audit }).toEqual({ code: 0, stdout: JSON.stringify(body), audit: ['ok'] })
    expect(stderr).toContain(`warning: the response has another value of ${words}\n`)
    expect((await world.run(`${command} --quiet`)).stderr).toBe('')
  })

  test('is reported in full for one row of an import, with the number of the other rows at the end', async () => {
    executingNothing((path) => answer(200, { user: { user_id: path.slice(7), name: 'Other' } }))
    world.file('users.csv', 'user_id,name\na,Ada\nb,Bob\nc,Cyd\n')
    const { code, stderr } = await world.run('users import users.csv --if-exists update --concurrency 1')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'warning: the response has another value of name: “Other”, not “Ada”\n' +
        'imported 3 of 3 users: updated 3\n' +
        'warning: the same in 2 more responses: name\n',
    })
  })
})

test('an error beside the item in a response is printed as a warning, and the write succeeds', async () => {
  executingNothing(answer(200, { room: resource.room, error: 'the cache is cold' }))
  expect(await world.run('rooms update r1 --name New')).toMatchObject({
    code: 0,
    stderr: 'warning: the response carries an error as well: the cache is cold\n',
  })
})

describe('pages create', () => {
  test('has an unknown outcome if the response contains only some of the pages', async () => {
    executingNothing(answer(200, { pages: [{ id: 'p1' }] }))
    const { code, stderr } = await world.run('pages create r1 --data [{"index":1},{"index":2}] --json')
    expect(code).toBe(7)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'unknown_outcome',
      accepted: true,
      message: 'the service accepted it, but its response cannot be read: it shows 1 of 2 pages',
    })
  })

  test('succeeds if the response contains additional pages', async () => {
    executingNothing(answer(200, { pages: [{ id: 'p0', index: 7 }, { id: 'p1' }] }))
    expect(await world.run('pages create r1 --index 1 -o ids')).toMatchObject({ code: 0, stdout: 'p0\np1\n' })
  })
})
