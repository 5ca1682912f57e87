import { beforeEach, describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/api/wire.ts'
import { ServiceError } from '../../src/errors.ts'
import { createImportWorld, type ImportWorld, resultsOf } from '../helpers/imports.ts'
import { answer } from '../helpers/world.ts'

let world: ImportWorld
beforeEach(async () => {
  world = await createImportWorld()
})

/** A service that does what it is asked to, and says so in a way of its own. */
function accepting(response: WireResponse | ((body: any) => WireResponse)) {
  world.intercept = async ({ method, body = '{}' }) => {
    if (method === 'GET') return answer(200, { rooms: [], sessions: [{ id: 's1' }], members: [], users: [] })
    return typeof response === 'function' ? response(JSON.parse(body)) : response
  }
}

const page = '<!doctype html><title>Done</title>'
/** Answers that do not say what happened, and why they cannot be read. */
const silent: Record<string, [WireResponse, string]> = {
  'nothing (204)': [answer(204, ''), 'it is empty'],
  '{"ok":true}': [answer(200, { ok: true }), ''],
  'a list': [answer(200, []), 'it is not an object'],
  HTML: [answer(200, page, { 'content-type': 'text/html' }), 'it is text/html, not JSON'],
  text: [answer(202, 'OK', { 'content-type': 'text/plain; charset=utf-8' }), 'it is text/plain, not JSON'],
  'cut JSON': [answer(200, '{"room":{"id":"r'), 'it is not valid JSON'],
  'a damaged body': [
    { ...answer(200, ''), unreadable: 'its compression is damaged' },
    'its compression is damaged',
  ],
}

/** Deeper than anything is read. */
const deep = `{"room":{"id":"r1","deep":${'['.repeat(600)}${']'.repeat(600)}}}`

/** Writes to what the caller names: the id that is asked for, and the field that holds the result. */
const named: Record<string, [id: string, result: string, idField?: string]> = {
  'rooms update r1 --name New': ['r1', 'room'],
  'rooms terminate r1 --yes': ['r1', 'room'],
  'rooms reopen r1': ['r1', 'room'],
  'rooms delete r1 --yes': ['r1', 'room'],
  'members update r1 m1 --type host': ['m1', 'member'],
  'members block r1 m1 --yes --force': ['m1', 'member'],
  'members unblock r1 m1': ['m1', 'member'],
  'users create ada --overwrite': ['ada', 'user', 'user_id'],
  'users update ada --name Ada': ['ada', 'user', 'user_id'],
  'users delete ada --yes': ['ada', 'user', 'user_id'],
}

/** What gets its id from the service, and how to find out about it. */
const unnamed: Record<string, [result: string, hint: string]> = {
  'rooms create --name X --type open': [
    'room',
    'check with: meetroom rooms list --name X --base-url https://meet.test/v1',
  ],
  'members add r1 ada': ['member', 'check with: meetroom members list r1 --base-url https://meet.test/v1'],
  'pages create r1 --index 3': ['pages', 'look at the room before you send it again'],
}

const warning = (problem: string) =>
  `warning: the service accepted the change, but its answer cannot be read: ${problem}\n`

describe.each(Object.entries(silent))('a write answered with %s', (_what, [response, unreadable]) => {
  const isJson = (text: string) => text === '{"ok":true}' || text === '[]'
  const sent = new TextDecoder().decode(response.body)

  test.each(Object.entries(named))('has happened: %s', async (command, [id, result, idField = 'id']) => {
    accepting(response)
    const problem = unreadable || `${result} has no ${idField}`
    for (const [format, stdout] of Object.entries({
      ids: `${id}\n`,
      json: isJson(sent) ? sent : `{"${result}":{"${idField}":"${id}"}}\n`,
      ndjson: `{"${idField}":"${id}"}\n`,
      csv: expect.stringMatching(new RegExp(`^(.*,)?${idField},.*\\r\\n(.*,)?${id},`)),
      table: expect.stringContaining(id),
    })) {
      const { code, stderr, ...run } = await world.run(`${command} -o ${format}`)
      expect({ format, code, stdout: run.stdout }).toEqual({ format, code: 0, stdout })
      expect(stderr.startsWith(warning(problem)), stderr).toBe(true)
      expect(stderr).not.toContain('error')
    }
  })

  test.each(Object.entries(unnamed))(
    'has happened, to nobody knows what: %s',
    async (command, [result, hint]) => {
      accepting(response)
      const problem = unreadable || (result === 'pages' ? 'pages is not a list' : `${result} has no id`)
      const message = `the service accepted it, but its answer cannot be read: ${problem}`
      for (const format of ['table', 'ids', 'csv'])
        expect(await world.run(`${command} -o ${format}`)).toMatchObject({
          code: 7,
          stdout: '',
          stderr: `error: ${message}\nhint: ${hint}\n`,
        })
      for (const format of ['json', 'ndjson']) {
        const { code, stdout, stderr } = await world.run(`${command} -o ${format}`)
        expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
        expect(JSON.parse(stderr).error).toMatchObject({
          code: 'unknown_outcome',
          message,
          hint,
          status: response.status,
          retryable: false,
          accepted: true,
          body: isJson(sent) ? JSON.parse(sent) : sent,
        })
      }
    },
  )

  test('has been sent: message send', async () => {
    accepting(response)
    const problem = unreadable || 'it has no field “message”'
    const done = { code: 0, stderr: warning(problem) }
    expect(await world.run('message send r1 hi')).toMatchObject({ ...done, stdout: 'message  hi\n' })
    expect(await world.run('message send r1 hi --json')).toMatchObject({
      ...done,
      stdout: isJson(sent) ? sent : '{"message":"hi"}\n',
    })
  })

  test('has happened to each of several ids, with one warning', async () => {
    accepting(response)
    expect(await world.run('rooms delete r1 r2 r3 --yes -o ids')).toMatchObject({
      code: 0,
      stdout: 'r1\nr2\nr3\n',
      stderr: `${warning(unreadable || 'room has no id')}deleted 3 rooms\n`,
    })
    expect((await world.run('rooms delete r1 r2 --yes --json -q')).stdout).toMatch(
      /^\{"rooms":\[\{"id":"r1"\},\{"id":"r2"\}\]\}\n$/,
    )
  })

  test('with --quiet has happened without a word', async () => {
    accepting(response)
    expect(await world.run('rooms delete r1 --yes -o ids --quiet')).toMatchObject({ code: 0, stderr: '' })
  })

  test('is not retried', async () => {
    accepting(response)
    for (const command of [...Object.keys(named), ...Object.keys(unnamed)]) await world.run(command)
    const writes = world.writes()
    expect(writes).toHaveLength(Object.keys(named).length + Object.keys(unnamed).length)
  })

  test('through api has happened, and only JSON is printed', async () => {
    accepting(response)
    for (const line of ['api DELETE /rooms/r1 --yes', 'api POST /rooms/r1/things -f n=1'])
      for (const options of [{}, { tty: true, columns: 80 }]) {
        const { code, stdout, stderr } = await world.run(line, options)
        expect({ code, stdout: stdout.replace(/\s/g, '') }).toEqual({
          code: 0,
          stdout: isJson(sent) ? sent : '',
        })
        expect(stderr).toBe(isJson(sent) ? '' : warning(unreadable))
      }
  })

  test('that imports a user has imported it', async () => {
    accepting(response)
    world.file('users.csv', 'user_id,name\nada,Ada\ngrace,Grace\n')
    const { code, stdout, stderr } = await world.run('users import users.csv --if-exists overwrite -o ndjson')
    expect({ code, results: resultsOf(stdout) }).toMatchObject({
      code: 0,
      results: [
        { status: 'ok', id: 'ada' },
        { status: 'ok', id: 'grace' },
      ],
    })
    expect(stderr).toContain(`${warning(unreadable || 'user has no user_id')}imported 2 of 2 users`)
  })

  test('that imports a room has an unknown outcome, and is not sent again', async () => {
    accepting(response)
    world.file('rooms.csv', 'name,type\nOne,open\n')
    const { code, stdout } = await world.run('rooms import rooms.csv -o ndjson --failed-out again.csv')
    expect({ code, results: resultsOf(stdout) }).toMatchObject({
      code: 7,
      results: [
        { status: 'unknown', error: expect.stringMatching(/^the service accepted it, but its answer/) },
      ],
    })
    expect(world.read('again.csv')).toBeUndefined()
  })
})

describe('a write answered with what it made, and fields of odd types,', () => {
  const odd = {
    name: 5,
    type: null,
    record: 'true',
    meeting_time: '200000',
    created_at: 1767322000,
    is_blocked: 'no',
    default_member_type: ['guest'],
    entities: 'none',
  }
  const ids = { id: 'r1', user_id: 'ada' }
  const made = {
    room: { ...ids, ...odd },
    member: { ...ids, id: 'm1', ...odd },
    user: { ...ids, ...odd },
    pages: [{ ...ids, id: 'p1', ...odd }],
  }

  test.each([
    ...Object.entries(named).map(([command, [id]]) => [command, id]),
    ['rooms create --name X --type open', 'r1'],
    ['members add r1 ada', 'm1'],
    ['pages create r1 --index 3', 'p1'],
  ])('is nothing to warn of: %s', async (command, id) => {
    accepting(answer(200, made))
    for (const format of ['ids', 'json', 'ndjson', 'csv', 'table']) {
      const { code, stdout, stderr } = await world.run(`${command} -o ${format} --quiet`)
      expect({ format, code, stderr }).toEqual({ format, code: 0, stderr: '' })
      if (format === 'ids') expect(stdout).toBe(`${id}\n`)
      if (format === 'json' && !stdout.startsWith('{"rooms"')) expect(JSON.parse(stdout)).toEqual(made)
    }
  })
})

describe('a write answered without the id', () => {
  const text = '{"room": {"name":"New","meeting_time":12345678901234567890}, "at":1.10}'

  test('is what the service sent, byte for byte, in JSON', async () => {
    accepting(answer(200, text))
    expect((await world.run('rooms update r1 --name New --json')).stdout).toBe(text)
    const { stdout } = await world.run('rooms update r1 --name New --json', { tty: true })
    expect(stdout).toBe(
      '{\n  "room": {\n    "name": "New",\n    "meeting_time": 12345678901234567890\n  },\n  "at": 1.1\n}\n',
    )
  })

  test('is what the service sent, and the id, in other formats', async () => {
    accepting(answer(200, text))
    expect((await world.run('rooms update r1 --name New -o ndjson')).stdout).toBe(
      '{"name":"New","meeting_time":12345678901234567890,"id":"r1"}\n',
    )
    expect((await world.run('rooms update r1 --name New --columns id,meeting_time')).stdout).toBe(
      'id            r1\nmeeting_time  12345678901234567890\n',
    )
  })
})

test('a write that proposes an id has an unknown outcome where the service chooses the ids', async () => {
  accepting(answer(200, ''))
  expect(await world.run('rooms create --name X --type open --set id=mine')).toMatchObject({
    code: 7,
    stdout: '',
    stderr:
      'error: the service accepted it, but its answer cannot be read: it is empty\n' +
      'hint: check with: meetroom rooms list --name X --base-url https://meet.test/v1\n',
  })
})

test('a write answered with JSON that is too deep has happened', async () => {
  accepting(answer(200, deep))
  expect(await world.run('rooms update r1 --name New -o ndjson')).toMatchObject({
    code: 0,
    stdout: '{"id":"r1"}\n',
    stderr: warning('it is nested more than 500 levels deep'),
  })
})

test('a write answered with what is not HTTP has an unknown outcome', async () => {
  world.intercept = async () => {
    throw new ServiceError('the service’s answer cannot be read: it is not HTTP')
  }
  expect(await world.run('rooms delete r1 --yes')).toMatchObject({
    code: 7,
    stderr:
      'error: the service’s answer cannot be read: it is not HTTP; whether the change was made is not known\n' +
      'hint: check with: meetroom rooms get r1 --base-url https://meet.test/v1\n',
  })
  expect(await world.run('rooms get r1')).toMatchObject({ code: 6 })
  expect(world.requests).toHaveLength(2)
})

describe.each([502, 504, 520, 522, 524])('a write that ends in %i', (status) => {
  test.each([
    ...Object.keys(named),
    ...Object.keys(unnamed),
    'message send r1 hi',
    'api DELETE /rooms/r1 --yes',
    'api POST /rooms/r1/things -f n=1',
  ])('has an unknown outcome: %s', async (command) => {
    for (const body of [{ message: 'no answer' }, '<h1>no answer</h1>']) {
      accepting(answer(status, body))
      const { code, stdout, stderr } = await world.run(`${command} --quiet`)
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
      expect(stderr).toMatch(
        new RegExp(
          `^error: the service failed \\(${status}\\): no answer; whether the change was made is not known\nhint: (check with: meetroom|look at the room) .*\n$`,
        ),
      )
    }
  })

  test('is counted as unknown among several', async () => {
    world.intercept = async ({ url }) =>
      url.endsWith('r2') ? answer(status, {}) : answer(url.endsWith('r3') ? 422 : 200, { room: { id: 'r1' } })
    const { code, stderr } = await world.run('rooms delete r1 r2 r3 --yes -o ids --retries 0')
    expect(code).toBe(8)
    expect(stderr).toMatch(/error: deleted 1 of 3 rooms; 1 failed, 1 with an unknown outcome\n$/)
  })
})

test.each([502, 504, 520, 522, 524])('a read that ends in %i is a failure of the service', async (status) => {
  world.intercept = async () => answer(status, {})
  expect((await world.run('rooms get r1')).code).toBe(6)
})

test.each([521, 523, 525, 526])(
  'a write that ends in %i never reached the service, which failed',
  async (status) => {
    accepting(answer(status, '<h1>the origin is down</h1>'))
    expect((await world.run('rooms delete r1 --yes')).code).toBe(6)
  },
)
