import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Transport, WireResponse } from '../../src/api/wire.ts'
import { createClient } from '../../src/client/client.ts'
import { MeetroomError, NotFoundError } from '../../src/errors.ts'
import { testHost } from '../helpers/host.ts'
import { importFixture } from '../helpers/imports.ts'
import { answer, baseUrl } from '../helpers/world.ts'
import { sized } from '../suites/size.ts'

function clientOf(transport: Transport) {
  return createClient({
    baseUrl,
    open: async () => ({ transport, apiKey: 'a-working-key-0123456789' }),
    beforeSend: () => undefined,
    readList: async function* () {},
    userAgent: 'meetroom/test',
    policy: { timeoutMs: 1000, retries: 0, timing: testHost() },
  })
}

const statuses = fc.constantFrom(200, 204, 302, 400, 401, 403, 404, 405, 410, 422, 429, 500, 502, 503)
const codes = ['not_found', 'unauthorized', 'invalid_parameters', 'unknown_operation', 'other']
const bodies = fc.oneof(
  fc.constantFrom(...codes).map((code) => ({ error: { code, message: 'no' } })),
  fc.constantFrom(...codes).map((code) => ({ code })),
  fc.constantFrom({}, { user: { user_id: 'ada' } }, { rooms: [] }, '<h1>Not Found</h1>', ''),
)
const responses = fc.tuple(statuses, bodies).map(([status, body]) => answer(status, body))

async function read(how: 'find' | 'call', response: WireResponse, probe: WireResponse) {
  const urls: string[] = []
  const client = clientOf(async ({ url }) => {
    urls.push(url.slice(baseUrl.length))
    return url.endsWith('/rooms?limit=1') ? probe : response
  })
  const input = { params: { user_id: 'ada' } }
  try {
    const found = await (how === 'find' ? client.find('getUser', input) : client.call('getUser', input))
    return { value: found?.value, urls }
  } catch (error) {
    if (!(error instanceof MeetroomError)) throw error
    const { name, message, status, hint } = error
    return error instanceof NotFoundError ? { urls } : { error: { name, message, status, hint }, urls }
  }
}

test('client.find resolves to undefined if and only if client.call throws a NotFoundError', async () => {
  await fc.assert(
    fc.asyncProperty(responses, responses, async (response, probe) => {
      expect(await read('find', response, probe)).toEqual(await read('call', response, probe))
    }),
    { numRuns: sized(50, 1000) },
  )
})

test('client.find resolves to undefined for a missing user', async () => {
  for (const status of [400, 404, 410]) {
    const client = clientOf(async ({ url }) =>
      url.endsWith('/rooms?limit=1') ? answer(200, { rooms: [] }) : answer(status, { code: 'not_found' }),
    )
    expect(await client.find('getUser', { params: { user_id: 'ada' } })).toBeUndefined()
  }
})

describe('users import', () => {
  const { world, run } = importFixture()

  test.each<[string, WireResponse]>([
    ['404 with JSON', answer(404, { message: 'no such user' })],
    ['404 with HTML', answer(404, '<h1>404 Not Found</h1>', { 'content-type': 'text/html' })],
    ['410 without a body', answer(410, '')],
    ['400 with the code not_found', answer(400, { error: { code: 'not_found' } })],
    ['400 with plain text', answer(400, 'no such user', { 'content-type': 'text/plain' })],
  ])(
    'users import creates all users after one probe if the lookups get the response %s',
    async (_what, missing) => {
      world.intercept = async (request, next) => (request.url.includes('/users/') ? missing : next())
      world.file('people.csv', 'user_id,name\nada,Ada\ngrace,Grace\nkay,Kay\n')
      expect(await run('users import people.csv --concurrency 1 --no-journal')).toMatchObject({
        code: 0,
        stdout: '',
        stderr: 'imported 3 of 3 users\n',
      })
      expect(world.sent()).toEqual([
        'GET /users/ada',
        'GET /rooms?limit=1',
        'POST /users',
        'GET /users/grace',
        'POST /users',
        'GET /users/kay',
        'POST /users',
      ])
      expect(await world.users()).toEqual({ ada: 'Ada', grace: 'Grace', kay: 'Kay' })
    },
  )
})
