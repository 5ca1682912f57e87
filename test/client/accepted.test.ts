import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/api/wire.ts'
import { ServiceError } from '../../src/errors.ts'
import { createImportWorld } from '../helpers/imports.ts'
import { perTest } from '../helpers/per-test.ts'
import { answer } from '../helpers/world.ts'

const world = perTest(createImportWorld)

/** A service that answers every write with this. */
function accepting(response: WireResponse) {
  world.intercept = async ({ method }) => {
    if (method === 'GET') return answer(200, { rooms: [], sessions: [{ id: 's1' }], members: [], users: [] })
    return response
  }
}

const writes = [
  'rooms update r1 --name New',
  'rooms terminate r1 --yes',
  'rooms reopen r1',
  'rooms delete r1 --yes',
  'members update r1 m1 --type host',
  'members block r1 m1 --yes --force',
  'members unblock r1 m1',
  'users create ada --overwrite',
  'users update ada --name Ada',
  'users delete ada --yes',
  'rooms create --name X --type open',
  'members add r1 ada',
  'pages create r1 --index 3',
]

test('rooms create with a proposed ID has an unknown outcome if the response is empty', async () => {
  accepting(answer(200, ''))
  expect(await world.run('rooms create --name X --type open --set id=mine')).toMatchObject({
    code: 7,
    stdout: '',
    stderr:
      'error: the service accepted it, but its response cannot be read: it is empty\n' +
      'hint: check with: meetroom rooms list --name X --base-url https://meet.test/v1\n',
  })
})

test('a write with a response that is not HTTP has an unknown outcome', async () => {
  world.intercept = async () => {
    throw new ServiceError('the service’s response cannot be read: it is not HTTP')
  }
  expect(await world.run('rooms delete r1 --yes')).toMatchObject({
    code: 7,
    stderr:
      'error: the service’s response cannot be read: it is not HTTP; whether the change was made is not known\n' +
      'hint: check with: meetroom rooms get r1 --base-url https://meet.test/v1\n',
  })
  expect(await world.run('rooms get r1')).toMatchObject({ code: 6 })
  expect(world.requests).toHaveLength(2)
})

describe.each([502, 504, 520, 522, 524])('a write with the response status %i', (status) => {
  test.each([
    ...writes,
    'message send r1 hi',
    'api DELETE /rooms/r1 --yes',
    'api POST /rooms/r1/things -f n=1',
  ])('has an unknown outcome: %s', async (command) => {
    for (const body of [{ message: 'no response' }, '<h1>no response</h1>']) {
      accepting(answer(status, body))
      const { code, stdout, stderr } = await world.run(`${command} --quiet`)
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
      expect(stderr).toMatch(
        new RegExp(
          `^error: the service failed \\(${status}\\): no response; whether the change was made is not known\nhint: (check with: meetroom|check the room) .*\n$`,
        ),
      )
    }
  })

  test('counts as an unknown outcome in a batch', async () => {
    world.intercept = async ({ url }) =>
      url.endsWith('r2') ? answer(status, {}) : answer(url.endsWith('r3') ? 422 : 200, { room: { id: 'r1' } })
    const { code, stderr } = await world.run('rooms delete r1 r2 r3 --yes -o ids --retries 0')
    expect(code).toBe(8)
    expect(stderr).toMatch(/error: deleted 1 of 3 rooms; 1 failed, 1 with an unknown outcome\n$/)
  })
})

test.each([502, 504, 520, 522, 524])(
  'a read with the response status %i is a failure of the service and exits 6',
  async (status) => {
    world.intercept = async () => answer(status, {})
    expect((await world.run('rooms get r1')).code).toBe(6)
  },
)

test.each([303, 408, 500, 501, 503, 505, 511, 521, 523, 525, 526, 530, 599])(
  'a write with the response status %i and a page has an unknown outcome and exits 7',
  async (status) => {
    accepting(answer(status, '<h1>the origin is down</h1>'))
    for (const line of [
      'rooms delete r1 --yes',
      'rooms create --name N --type open',
      'users update ada --name N',
    ])
      expect(await world.run(`${line} --retries 0`), line).toMatchObject({ code: 7, stdout: '' })
  },
)
