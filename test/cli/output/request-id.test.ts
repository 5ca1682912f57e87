import { expect, test } from 'vitest'
import { answer, answering, createWorld } from '../../helpers/world.ts'

const failed = (id: string) => answering(answer(503, { error: 'down' }, { 'x-request-id': id }))

async function runFailing(id: string, ...flags: string[]) {
  const world = await createWorld()
  world.intercept = failed(id)
  return world.run(['rooms', 'get', 'x', '--retries', '0', ...flags])
}

test('an error message contains the request ID of the response', async () => {
  expect(await runFailing('5f0c2a9b71de-1')).toMatchObject({
    code: 6,
    stderr: 'error: the service failed (503): down\nrequest ID: 5f0c2a9b71de-1\n',
  })
})

test('a JSON error contains the request ID of the response', async () => {
  const { stderr } = await runFailing('5f0c2a9b71de-1', '--json')
  expect(JSON.parse(stderr).error).toMatchObject({ status: 503, request_id: '5f0c2a9b71de-1' })
})

test.each(['two words', '', '\u001b[31mred', 'x'.repeat(201)])(
  'an error message omits the invalid request ID %j',
  async (id) => {
    expect((await runFailing(id)).stderr).toBe('error: the service failed (503): down\n')
  },
)

test('an error message omits a request ID that equals the API key', async () => {
  const world = await createWorld()
  world.intercept = failed(world.apiKey)
  const { stderr } = await world.run('rooms get x --retries 0')
  expect(stderr).toContain('error: the service failed (503): down\n')
  expect(stderr).not.toContain(world.apiKey)
})

test('an error message contains no request ID if the response has none', async () => {
  const world = await createWorld()
  world.intercept = answering(answer(503, { error: 'down' }))
  expect((await world.run('rooms get x --retries 0')).stderr).toBe('error: the service failed (503): down\n')
})
