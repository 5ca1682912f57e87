import { expect, expectTypeOf, test } from 'vitest'
import { body } from '../../src/api/body.ts'
import { omitUndefined } from '../../src/api/defined.ts'
import type { Input } from '../../src/api/operation-types.ts'
import type { Operations } from '../../src/api/operations.ts'

test('body() drops undefined fields', () => {
  expect(body<'updateRoom'>({ name: undefined, is_terminated: false })).toEqual({ is_terminated: false })
  expect(Object.keys(body<'updateRoom'>({ name: undefined }))).toEqual([])
})

test('body() returns the request body type of the given operation', () => {
  expectTypeOf(body<'createRoom'>).returns.toEqualTypeOf<Input<Operations['createRoom']>['body']>()
  expectTypeOf(body<'createRoom'>).returns.toHaveProperty('max_meeting_seconds')
  expectTypeOf(body<'updateRoom'>).returns.not.toHaveProperty('max_meeting_seconds')
})

test('TypeScript rejects a request body with a misspelled, missing or invalid field', () => {
  // @ts-expect-error: misspelled
  body<'updateRoom'>({ is_trminated: true })
  // @ts-expect-error: a room cannot change its type
  body<'updateRoom'>({ type: 'open' })
  // @ts-expect-error: not a role
  body<'updateMember'>({ type: 'guess' })
  // @ts-expect-error: a user needs an ID
  body<'createUser'>({ name: 'Ada' })
  // @ts-expect-error: a required field cannot be undefined
  body<'createUser'>({ user_id: undefined })
  // @ts-expect-error: misspelled, without the helper
  const input: Input<Operations['updateMember']>['body'] = { is_bloked: true }
  expect(input).toBeDefined()
})

test('omitUndefined drops undefined and keeps other falsy values', () => {
  expect(omitUndefined({ a: null, b: false, c: 0, d: '', e: undefined })).toEqual({
    a: null,
    b: false,
    c: 0,
    d: '',
  })
})
