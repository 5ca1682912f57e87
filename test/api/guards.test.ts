import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Endpoint, endpoints, type OperationName } from '../../src/api/endpoints.ts'
import { findResponseProblem, getIdField } from '../../src/api/guards.ts'

const names = Object.keys(endpoints) as OperationName[]
const json = fc.jsonValue()
const id = fc.oneof(fc.string({ minLength: 1 }), fc.integer())

function generateResponses(name: OperationName): fc.Arbitrary<unknown> {
  const endpoint: Endpoint = endpoints[name]
  const { result, many, bare } = endpoint
  const rest = fc.dictionary(fc.string(), json, { noNullPrototype: true })
  if (bare) return fc.tuple(rest, json).map(([other, value]) => ({ ...other, [result]: value }))
  const item = fc.tuple(rest, id).map(([other, value]) => ({ ...other, [getIdField(endpoint)]: value }))
  const held = many ? fc.array(item, { maxLength: 3 }) : item
  return fc.tuple(rest, held).map(([other, value]) => ({ ...other, [result]: value }))
}

describe.each(names)('the response guard of %s', (name) => {
  test(`the response guard of ${name} accepts a valid response with additional fields`, () => {
    fc.assert(
      fc.property(generateResponses(name), (answer) => findResponseProblem(name, answer) === undefined),
    )
  })

  test(`the response guard of ${name} rejects a non-object response`, () => {
    for (const value of [null, undefined, 1, 'text', true, [], [{}]])
      expect(findResponseProblem(name, value)).toBe('it is not an object')
  })
})

test.each<[OperationName, unknown, string]>([
  ['getRoom', {}, 'room has no id'],
  ['getRoom', { room: { id: '' } }, 'room has no id'],
  ['getRoom', { room: { id: null } }, 'room has no id'],
  ['getRoom', { room: [{ id: 'r' }] }, 'room has no id'],
  ['getUser', { user: { id: 'u' } }, 'user has no user_id'],
  ['listRooms', { rooms: { id: 'r' } }, 'rooms is not a list'],
  ['listRooms', { rooms: [{ id: 1 }, { id: 'r' }, { name: 'R' }] }, 'rooms[2] has no id'],
  ['createPages', { pages: [{}] }, 'pages[0] has no id'],
  ['sendMessage', { ok: true }, 'it has no field “message”'],
])('the response guard of %s rejects %j because %s', (name, value, problem) => {
  expect(findResponseProblem(name, value)).toBe(problem)
})
