import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { TransportError, type WireRequest } from '../../../../src/api/wire.ts'
import { main } from '../../../../src/main.ts'
import { testHost } from '../../../helpers/host.ts'
import { startReceiver } from '../../../helpers/receiver.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
  world.intercept = async () => answer(200, 'thanks')
})

const to = 'http://127.0.0.1:4681/hooks?token=t'
const run = (line: string) => world.run(`webhooks trigger ${line} --to ${to}`)
const sent = () => world.requests.map(({ body }) => JSON.parse(body ?? ''))
const none: WireRequest = { url: '', method: '', headers: {}, body: '' }
const save = (name: string, text: string) => writeFileSync(join(world.dir, name), text)

describe('webhooks trigger', () => {
  test('webhooks trigger sends one event and prints the event with the response', async () => {
    const { code, stdout, stderr } = await run('sessionJoined --room r1 --user ada --json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const id = /^[0-9a-f]{24}$/
    const event = {
      action: 'sessionJoined',
      payload: {
        roomId: 'r1',
        userId: 'ada',
        memberId: expect.stringMatching(id),
        sessionId: expect.stringMatching(id),
        sessionsCount: 1,
        membersCount: 1,
        timestamp: '2026-01-02T03:04:05.678Z',
      },
    }
    expect(sent()).toEqual([event])
    const [{ url, method, headers } = none] = world.requests
    expect([method, url]).toEqual(['POST', to])
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^meetroom\//),
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{24}$/),
      'webhook-timestamp': '1767323045',
    })
    expect(JSON.parse(stdout)).toEqual({
      webhook_id: headers['webhook-id'],
      to: 'http://127.0.0.1:4681/hooks',
      sent: event,
      signature: null,
      status: 200,
      response: 'thanks',
    })
  })

  test('webhooks trigger --columns prints only the given fields, and exits 2 for an unknown field', async () => {
    expect((await run('sessionLeft --columns status,response')).stdout).toBe(
      'status    200\nresponse  thanks\n',
    )
    expect(await run('sessionLeft --columns stauts')).toMatchObject({ code: 2, stdout: '' })
    expect(world.requests).toHaveLength(1)
  })

  test('webhooks trigger --room name:NAME sends the ID of the room, and exits 3 for an unknown name', async () => {
    const { room } = (await world.send('POST', '/rooms', { name: 'Maths 7a', type: 'open' })).body
    world.intercept = async ({ method }, next) => (method === 'GET' ? next() : answer(200, 'thanks'))
    const argv = ['webhooks', 'trigger', 'sessionLeft', '--to', to, '--room']
    expect(await world.run([...argv, 'name:Maths 7a'])).toMatchObject({ code: 0 })
    expect(JSON.parse(world.requests.at(-1)?.body ?? '').payload.roomId).toBe(room.id)
    expect(await world.run([...argv, 'name:Maths 8'])).toMatchObject({ code: 3 })
  })

  test('webhooks trigger --secret sends a Standard Webhooks signature of the event, and prints no secret', async () => {
    save('secret', 'a-signing-secret\n')
    save('token', 'a-header-token\n')
    world.intercept = async ({ headers }) => answer(200, `a-signing-secret ${headers['x-token']}`)
    const { stdout, stderr } = await run('sessionLeft --secret @secret --header X-Token:@token --verbose')
    const [{ headers, body } = none] = world.requests
    const receiver = new Webhook(Buffer.from('a-signing-secret'), { format: 'raw' })
    expect(headers['x-token']).toBe('a-header-token')
    expect(new Date(1767323045 * 1000).toISOString()).toBe('2026-01-02T03:04:05.000Z')
    expect(headers['webhook-signature']).toBe(
      receiver.sign(headers['webhook-id'] ?? '', new Date(1767323045 * 1000), body ?? ''),
    )
    expect(stdout).toContain(`signature   ${headers['webhook-signature']}`)
    expect(stdout + stderr).not.toMatch(/a-signing-secret|a-header-token/)
  })

  test('webhooks trigger sets fields of the body with --set and --data', async () => {
    await run('sessionJoined --set payload.sessionsCount=3 --set payload.extra={"a":[1]}')
    save('event.json', '{"action":"x","payload":{"roomId":"r2"},"more":1}')
    await run('sessionLeft --user ada --data @event.json')
    expect(sent()).toMatchObject([
      { action: 'sessionJoined', payload: { sessionsCount: 3, extra: { a: [1] }, membersCount: 1 } },
      { action: 'sessionLeft', payload: { roomId: 'r2', userId: 'ada' }, more: 1 },
    ])
    expect(Object.keys(sent()[1].payload)).toEqual(['roomId', 'userId'])
  })

  test('webhooks trigger warns about a payload field that is set at the top level of the body', async () => {
    expect((await run('sessionLeft --set sessionsCount=3')).stderr).toBe(
      '--set sessionsCount: did you mean payload.sessionsCount? The field is sent unchanged\n',
    )
    expect(sent()).toMatchObject([{ sessionsCount: 3, payload: { sessionsCount: 0 } }])
  })

  test.each([
    [302, 6],
    [401, 1],
    [404, 1],
    [410, 1],
    [429, 1],
    [500, 6],
    [503, 6],
  ])(
    'webhooks trigger sends the event once if the receiver responds with %i, and exits %i',
    async (status, code) => {
      world.intercept = async () => answer(status, 'no', { 'retry-after': '0' })
      const { code: exit, stdout } = await run('sessionJoined --json')
      expect(exit).toBe(code)
      expect(JSON.parse(stdout)).toMatchObject({ status, response: 'no' })
      expect(world.requests).toHaveLength(1)
    },
  )

  test.each([
    ['refused connection', false, 5],
    ['reset connection', true, 7],
  ])('webhooks trigger exits without a retry after a %s', async (reason, maybeSent, code) => {
    world.intercept = async () => {
      throw new TransportError(reason, maybeSent)
    }
    const { code: exit, stdout, stderr } = await run('sessionJoined')
    expect({ exit, stdout }).toEqual({ exit: code, stdout: '' })
    expect(stderr).toContain(`error: no response from 127.0.0.1:4681: ${reason}`)
    expect(world.requests).toHaveLength(1)
  })

  test('webhooks trigger --dry-run prints the request without sending it', async () => {
    const { code, stdout } = await run('sessionLeft --room r1 --dry-run')
    expect({ code, requests: world.requests }).toEqual({ code: 0, requests: [] })
    expect(stdout).toMatch(
      /^POST http:\/\/127\.0\.0\.1:4681\/hooks\S* {"action":"sessionLeft","payload":{"roomId":"r1"/,
    )
  })

  test('webhooks trigger exits 0 without settings, and sends no API key', async () => {
    const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
    const argv = ['webhooks', 'trigger', 'sessionJoined', '--to', to]
    expect((await world.run(argv, { env })).code).toBe(0)
    await world.run(argv)
    for (const { headers } of world.requests) expect(headers).not.toHaveProperty('authorization')
  })

  test.each([
    [
      'sessionJoin',
      'event must be sessionJoined or sessionLeft, not “sessionJoin”',
      'did you mean: meetroom webhooks trigger sessionJoined --to ',
    ],
    [
      'roomClosed',
      'event must be sessionJoined or sessionLeft, not “roomClosed”',
      'as in: meetroom webhooks',
    ],
    ['sessionLeft --room r1 --set payload.roomId=r2', '--room and --set payload.roomId both set', ''],
    ['sessionLeft --header webhook-id:x', '--header cannot set webhook-id, which meetroom sets itself', ''],
    ['sessionLeft --header X-Token:@none', '--header X-Token: none cannot be read: no such file', ''],
    ['sessionLeft --secret whsec_%', '--secret must be whsec_ followed by base64', ''],
    ['sessionLeft --curl', '--curl cannot be used with “webhooks trigger”', ''],
  ])('webhooks trigger %s exits 2 before any request', async (line, message, hint) => {
    const { code, stderr } = await run(line)
    expect({ code, requests: world.requests }).toEqual({ code: 2, requests: [] })
    expect(stderr).toContain(`error: ${message}`)
    expect(stderr).toContain(hint)
  })
})

describe('webhooks trigger over a real connection', () => {
  const trigger = (url: string, ...flags: string[]) => {
    const host = testHost({ cwd: world.dir, env: { MEETROOM_CONFIG_DIR: world.configDir } })
    return main(['webhooks', 'trigger', 'sessionJoined', '--to', url, ...flags], host)
  }

  test('webhooks trigger sends one event over a real connection', async () => {
    const { url, inbox } = await startReceiver()
    expect(await trigger(`${url}/hooks`)).toBe(0)
    expect(inbox.all).toMatchObject([{ path: '/hooks', body: expect.stringContaining('sessionJoined') }])
  })

  test('webhooks trigger exits 7 if the receiver closes the connection without a response', async () => {
    const { url, inbox } = await startReceiver((_, response) => void response.destroy())
    expect(await trigger(url)).toBe(7)
    expect(inbox.all).toHaveLength(1)
  })

  test('webhooks trigger exits 7 if the receiver does not respond before the timeout', async () => {
    const { url, inbox } = await startReceiver(() => {})
    expect(await trigger(url, '--timeout', '200ms')).toBe(7)
    expect(inbox.all).toHaveLength(1)
  })

  test('webhooks trigger exits 5 if no receiver listens on the port', async () => {
    expect(await trigger('http://127.0.0.1:9/')).toBe(5)
  })
})
