import { describe, expect, test } from 'vitest'
import { endpoints, type OperationName } from '../../src/api/endpoints.ts'
import type { Operation } from '../../src/api/operation-types.ts'
import { operations } from '../../src/api/operations.ts'
import type { Transport, WireRequest } from '../../src/api/wire.ts'
import { createClient } from '../../src/client/client.ts'
import type { ResponseBody } from '../../src/client/parsed-response.ts'
import type { AnyInput } from '../../src/client/request.ts'
import { testHost } from '../helpers/host.ts'
import { fillCase, loadFixtures, sampleOf, type WireCase } from '../helpers/wire.ts'

const baseUrl = 'https://meet.test/v1'
const apiKey = 'key-of-the-test'
const names = {
  room_id: 'room-1',
  private_room_id: 'room-2',
  member_id: 'member-1',
  private_member_id: 'member-2',
}

function createClientOf(body: string) {
  const requests: WireRequest[] = []
  const transport: Transport = async (request) => {
    requests.push(request)
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(body),
    }
  }
  const client = createClient({
    open: async () => ({ transport, apiKey }),
    beforeSend: () => undefined,
    baseUrl,
    readList: async function* () {},
    userAgent: 'meetroom/test',
    policy: { timeoutMs: 1000, retries: 0, timing: testHost() },
  })
  return {
    requests,
    call: (name: OperationName, input: AnyInput): Promise<ResponseBody<any>> =>
      client.call(name, input as never),
  }
}

function findOperation(
  method: string,
  pathname: string,
): { name: OperationName; params: Record<string, string> } {
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const pattern = new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const match = endpoint.method === method ? pattern.exec(pathname) : null
    if (match)
      return {
        name: name as OperationName,
        params: Object.fromEntries(
          Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]),
        ),
      }
  }
  throw new Error(`no operation for ${method} ${pathname}`)
}

function toClientCall({ request }: WireCase): { name: OperationName; input: AnyInput } {
  const { pathname, searchParams } = new URL(baseUrl + request.path)
  const { name, params } = findOperation(request.method, pathname.slice('/v1'.length))
  const { query }: Operation = operations[name]
  return {
    name,
    input: {
      params,
      ...(query && { query: query.parse(Object.fromEntries(searchParams)) as Record<string, unknown> }),
      ...(request.body !== undefined && { body: request.body }),
    },
  }
}

/** Cases with the status 200, with sample values instead of placeholders. */
const successes = loadFixtures().flatMap(({ operation, cases }) =>
  operation === null
    ? []
    : [
        {
          operation,
          cases: cases
            .filter(({ response }) => response.status === 200)
            .map((wireCase) => fillCase(wireCase, names))
            .map((wireCase) => ({ ...wireCase, answer: sampleOf(wireCase.response.body) as object })),
        },
      ],
)

test('the wire fixtures contain a successful case for each operation of the API specification', () => {
  const shown = new Set(
    successes.flatMap(({ cases }) => cases.map((wireCase) => toClientCall(wireCase).name)),
  )
  const listed = Object.entries(operations).flatMap(([name, { unlisted }]) => (unlisted ? [] : [name]))
  expect([...shown].toSorted()).toEqual(listed.toSorted())
})

describe('the client', () => {
  for (const { operation, cases } of successes)
    describe(`the client for ${operation}`, () => {
      for (const wireCase of cases)
        test(`the client for ${operation} sends the documented request and accepts the response (case: ${wireCase.name})`, async () => {
          const { requests, call } = createClientOf(JSON.stringify(wireCase.answer))
          const { name, input } = toClientCall(wireCase)
          const { value } = await call(name, input)
          expect(value).toEqual(wireCase.answer)
          const { method, path, body } = wireCase.request
          expect(
            requests.map((request) => ({
              method: request.method,
              url: request.url,
              authorization: request.headers['authorization'],
              type: request.headers['content-type'],
              body: request.body && JSON.parse(request.body),
            })),
          ).toEqual([
            {
              method,
              url: baseUrl + path,
              authorization: `Bearer ${apiKey}`,
              type: body === undefined ? undefined : 'application/json',
              body,
            },
          ])
        })
    })
})

type Step = string | number

function findObjects(value: unknown, path: Step[] = []): { path: Step[]; object: Record<string, unknown> }[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => findObjects(item, [...path, i]))
  if (typeof value !== 'object' || value === null) return []
  const object = value as Record<string, unknown>
  return [
    { path, object },
    ...Object.entries(object).flatMap(([key, field]) => findObjects(field, [...path, key])),
  ]
}

describe('unlisted fields and numbers beyond double precision', () => {
  for (const { operation, cases } of successes)
    test(`the client returns a response to ${operation} with unlisted fields and large numbers unchanged`, async () => {
      for (const wireCase of cases) {
        const grown = structuredClone(wireCase.answer)
        for (const { object } of findObjects(grown))
          object['x_unlisted'] = { deep: [null, 'ü', { a: null }], count: '@digits@' }
        const body = ` ${JSON.stringify(grown, null, 1).replaceAll('"@digits@"', '12345678901234567890.50')}\r\n`
        const { call } = createClientOf(body)
        const { name, input } = toClientCall(wireCase)
        const { bytes, value } = await call(name, input)
        const text = new TextDecoder().decode(bytes)
        expect(new TextDecoder().decode(bytes)).toBe(body)
        expect(text).toBe(body)
        expect(value).toEqual(JSON.parse(body))
      }
    })
})

/** Returns a copy of the response for each nullable field, with null in this field. */
function listNullableFields(
  name: OperationName,
  { body }: AnyInput,
  answer: object,
): { path: string; nulled: object }[] {
  const result: string = endpoints[name].result
  const copies: { path: string; nulled: object }[] = []
  for (const { path, object } of findObjects(answer))
    for (const key of Object.keys(object)) {
      if (
        ['id', 'type', 'user_id', ...Object.keys(Object(body))].includes(key) ||
        (path.length === 0 && key === result)
      )
        continue
      // In the response to a termination, null means that the room is not terminated.
      if (name === 'updateRoom' && key === 'terminated_at') continue
      const nulled = structuredClone(answer)
      const owner = findObjects(nulled).find((other) => other.path.join() === path.join())
      if (owner) owner.object[key] = null
      copies.push({ path: [...path, key].join('.'), nulled })
    }
  return copies
}

describe('responses with null', () => {
  for (const { operation, cases } of successes)
    test(`the client accepts null in every nullable field of a response to ${operation}`, async () => {
      const refused = new Set<string>()
      for (const wireCase of cases) {
        const { name, input } = toClientCall(wireCase)
        for (const { path, nulled } of listNullableFields(name, input, wireCase.answer)) {
          const body = JSON.stringify(nulled)
          const text = await createClientOf(body)
            .call(name, input)
            .then(
              (answer) => new TextDecoder().decode(answer.bytes),
              () => undefined,
            )
          if (text !== body) refused.add(path)
        }
      }
      expect([...refused]).toEqual([])
    })
})

test.each(successes.filter(({ operation }) => /\.(get|list)$/.test(operation)))(
  'the client rejects a response to $operation without the requested item or list',
  async ({ cases: [wireCase] }) => {
    if (!wireCase) throw new Error('there is no success')
    const { name, input } = toClientCall(wireCase)
    await expect(createClientOf('{}').call(name, input)).rejects.toThrow(
      /^the service’s response cannot be read: \w+ (has no \w+|is not a list)$/,
    )
  },
)
