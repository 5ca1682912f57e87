import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/api/wire.ts'
import { describeErrorResponse } from '../../src/client/error-message.ts'
import { perTest } from '../helpers/per-test.ts'
import { answer, answering, createWorld } from '../helpers/world.ts'

const world = perTest(createWorld)

const text = (status: number, body: string, type = 'text/plain') =>
  answer(status, body, { 'content-type': type })
const problem = { 'content-type': 'application/problem+json' }

const shapes: [shape: string, response: WireResponse, words: string][] = [
  [
    '{error:{code,message}}',
    answer(422, { error: { code: 'taken', message: 'the name is taken' } }),
    'the name is taken',
  ],
  ['{message}', answer(422, { message: 'the name is taken' }), 'the name is taken'],
  [
    '{message:[…]}',
    answer(422, { statusCode: 422, message: ['too short', 'taken'], error: 'Unprocessable' }),
    'too short; taken',
  ],
  ['{error}', answer(422, { error: 'the name is taken' }), 'the name is taken'],
  [
    '{error,error_description}',
    answer(422, { error: 'invalid', error_description: 'the name is taken' }),
    'the name is taken',
  ],
  ['{detail}', answer(422, { detail: 'the name is taken' }), 'the name is taken'],
  [
    '{detail:[{msg}]}',
    answer(422, { detail: [{ loc: ['body', 'name'], msg: 'field required' }] }),
    'field required',
  ],
  [
    '{title,detail}',
    answer(422, { type: 'about:blank', title: 'Taken', status: 422, detail: 'choose another' }, problem),
    'Taken: choose another',
  ],
  ['{title}', answer(422, { title: 'Taken', status: 422 }, problem), 'Taken'],
  ['{reason}', answer(422, { reason: 'the name is taken' }), 'the name is taken'],
  ['{errors:["…"]}', answer(422, { errors: ['too short', 'taken'] }), 'too short; taken'],
  [
    '{errors:[{message}]}',
    answer(422, { errors: [{ message: 'too short' }, { message: 'taken' }] }),
    'too short; taken',
  ],
  [
    '{errors:{name:[…]}}',
    answer(422, { title: 'Invalid', errors: { name: ['too short', 'taken'], type: 'odd' } }),
    'name: too short; taken; type: odd',
  ],
  ['{err}', answer(422, { err: 'the name is taken' }), 'the name is taken'],
  ['{code,msg}', answer(422, { code: 1001, msg: 'the name is taken' }), 'the name is taken'],
  ['{description}', answer(422, { status: 'error', description: 'the name is taken' }), 'the name is taken'],
  ['"…"', answer(422, '"the name is taken"'), 'the name is taken'],
  ['[{…}]', answer(422, [{ message: 'the name is taken' }]), 'the name is taken'],
  [
    'JSON of an unknown shape',
    answer(422, { fault: { faultstring: 'the name is taken' } }),
    '{"fault":{"faultstring":"the name is taken"}}',
  ],
  ['text/plain', text(422, 'the name is taken\n'), 'the name is taken'],
  [
    'HTML',
    text(
      422,
      '<!doctype html><html><head><title>\n Name\n taken </title></head><body>x</body></html>',
      'text/html',
    ),
    'Name taken',
  ],
  [
    'HTML whose title is Error',
    text(422, '<title>Error</title><body><pre>Cannot GET\n/rooms</pre></body>', 'text/html'),
    'Cannot GET /rooms',
  ],
  [
    'HTML without a title',
    text(422, '<style>b{}</style><h1>Name</h1>\n<p>is <b>taken</b></p><script>go()</script>', 'text/html'),
    'Name is taken',
  ],
  [
    'XML',
    text(422, '<Error><Code>Taken</Code><Message>the name is taken</Message></Error>', 'application/xml'),
    'Taken the name is taken',
  ],
]

describe('the message of an error response', () => {
  test.each(shapes)(
    'rooms update prints the message of an error response (format: %s)',
    async (_shape, response, words) => {
      world.intercept = async () => response
      const message = `the service refuses the request (422): ${words}`
      expect(await world.run('rooms update r1 --name New')).toMatchObject({
        code: 1,
        stderr: `error: ${message}\n`,
      })
      const { stderr } = await world.run('rooms update r1 --name New --json')
      const sent = new TextDecoder().decode(response.body)
      expect(JSON.parse(stderr).error).toMatchObject({
        message,
        body: response.headers['content-type']?.includes('json') ? JSON.parse(sent) : sent,
      })
    },
  )

  test.each([
    ['400', 1, 'rooms update r1 --name New', 'the service refuses the request (400)'],
    ['401', 4, 'rooms get r1', 'the service refuses the API key (401)'],
    ['404', 3, 'rooms get r1', 'no such room: r1'],
    ['500', 1, 'rooms get r1', 'the service reports a validation exception (500)'],
    ['503', 6, 'rooms get r1 --retries 0', 'the service failed (503)'],
  ])('$2 prints the message of a %s response and exits %i', async (status, code, command, message) => {
    world.intercept = answering(answer(Number(status), { detail: 'because' }))
    const run = await world.run(command)
    expect({ code: run.code, first: run.stderr.split('\n')[0] }).toEqual({
      code,
      first: `error: ${message}: because`,
    })
  })
})

test.each([
  ['', ''],
  [' \n', ''],
  ['<html></html>', ''],
  ['{}', ''],
  ['[]', ''],
  ['null', ''],
  ['""', ''],
  ['{"error":{}}', ': {"error":{}}'],
  ['{"message":null}', ': {"message":null}'],
])('rooms update prints the status of a 422 response without a message (body: %j)', async (body, shown) => {
  world.intercept = async () => answer(422, body)
  expect((await world.run('rooms update r1 --name New')).stderr).toBe(
    `error: the service refuses the request (422)${shown}\n`,
  )
})

describe('a long error response', () => {
  const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ')

  test('a long plain-text error is truncated between two words after about 200 characters', async () => {
    world.intercept = async () => text(422, words)
    const { stderr } = await world.run('rooms update r1 --name New')
    expect(stderr).toMatch(/^error: the service refuses the request \(422\): w0 w1 (w\d+ )+…\n$/)
    expect(stderr.length).toBeGreaterThan(220)
    expect(stderr.length).toBeLessThan(260)
  })

  test('a JSON error truncates the response body at 4,096 characters and reports its full length', async () => {
    const page = `<html><title>Busy</title>${words}</html>`
    for (const [response, all] of [
      [text(422, page), page],
      [answer(422, { message: 'Busy', words }), JSON.stringify({ message: 'Busy', words })],
    ] as const) {
      world.intercept = async () => response
      const { stderr } = await world.run('rooms update r1 --name New --json')
      expect(JSON.parse(stderr).error).toMatchObject({
        message: 'the service refuses the request (422): Busy',
        body: `${all.slice(0, 4096)}… (cut off: ${all.length} characters in all)`,
      })
    }
  })

  test('a JSON error contains a response body of 4,096 characters unchanged', async () => {
    const body = { message: 'Busy', more: 'x'.repeat(4068) }
    expect(JSON.stringify(body)).toHaveLength(4096)
    world.intercept = async () => answer(422, body)
    const { stderr } = await world.run('rooms update r1 --name New --json')
    expect(JSON.parse(stderr).error.body).toEqual(body)
  })

  test('a truncated error response does not reveal the first eight characters of the API key', async () => {
    for (const [length, make] of [
      [200, (key: string, n: number) => text(422, `${'x '.repeat((n - 20) / 2)}${key} y`)],
      [200, (key: string, n: number) => text(422, `<title>${'x '.repeat((n - 20) / 2)}${key}</title>`)],
      [10_000, (key: string, n: number) => text(422, `<b a="${'x'.repeat(n - 40)}">hi</b> ${key}`)],
      [4096, (key: string, n: number) => text(422, `${'x'.repeat(n - 20)}${key}`)],
      [4096, (key: string, n: number) => answer(422, { m: 'x'.repeat(n - 30), key })],
      [4096, (key: string, n: number) => answer(422, { m: 'x'.repeat(n - 30), [key]: 1 })],
    ] as const) {
      world.intercept = async () => make(world.apiKey, length)
      for (const format of ['table', 'json']) {
        const { stderr } = await world.run(`rooms update r1 --name New -o ${format}`)
        expect(stderr).not.toContain(world.apiKey.slice(0, 8))
      }
    }
  })

  test('rooms update exits 1 for an error response with 400 levels of nesting and no message', async () => {
    for (const field of ['error', 'errors', 'message']) {
      world.intercept = async () => answer(422, `${`{"${field}":`.repeat(400)}{}${'}'.repeat(400)}`)
      expect((await world.run('rooms update r1 --name New')).code).toBe(1)
    }
  })

  test('rooms update exits 1 for an error response with 50,000 levels of nesting', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    for (const body of [deep, `{"error":${deep}}`, `{"message":"no","more":${deep}}`]) {
      world.intercept = async () => answer(422, body)
      for (const format of ['table', 'json']) {
        const { code, stderr } = await world.run(`rooms update r1 --name New -o ${format}`)
        expect({ code, bug: stderr.includes('bug') }).toEqual({ code: 1, bug: false })
      }
    }
  })
})

test('describeErrorResponse returns no empty message and at most 202 characters for HTML', () => {
  const bodies = fc.oneof(
    fc.json().map((json) => [json, Number.POSITIVE_INFINITY] as const),
    fc.string({ maxLength: 2000 }).map((body) => [`<p>${body}`, 202] as const),
    fc.uint8Array().map((bytes) => [new TextDecoder().decode(bytes), Number.POSITIVE_INFINITY] as const),
  )
  fc.assert(
    fc.property(bodies, ([body, most]) => {
      const { message } = describeErrorResponse(answer(400, body))
      expect(message).not.toBe('')
      expect(message?.length ?? 0).toBeLessThanOrEqual(most)
    }),
  )
})

describe('a 500 response', () => {
  const reads = ['rooms get r1', 'rooms list']
  const writes = ['rooms update r1 --name New', 'rooms delete r1 --yes']
  const run = async (command: string) => {
    const { code, stderr } = await world.run(`${command} --json`)
    return { code, error: JSON.parse(stderr).error }
  }

  test.each(['{}', '{"error":"no"}'])(
    'reads and writes exit 1 after a 500 response with the JSON object %s',
    async (body) => {
      world.intercept = async () => answer(500, body)
      for (const command of [...reads, ...writes])
        expect(await run(command)).toMatchObject({
          code: 1,
          error: { code: 'refused', status: 500, retryable: false },
        })
      expect(world.requests).toHaveLength(4)
    },
  )

  test.each(['"no"', 'null', '', '<h1>oops</h1>', '{"cut'])(
    'writes exit 7 after a 500 response with the body %j',
    async (body) => {
      world.intercept = async () => answer(500, body)
      for (const command of writes)
        expect(await run(command)).toMatchObject({ code: 7, error: { code: 'unknown_outcome', status: 500 } })
    },
  )

  test.each(['', '<h1>oops</h1>', '{"cut'])(
    'reads exit 6 after a 500 response with the body %j',
    async (body) => {
      world.intercept = async () => answer(500, body)
      for (const command of reads)
        expect(await run(command)).toMatchObject({
          code: 6,
          error: { code: 'service', status: 500, retryable: true },
        })
    },
  )
})
