import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { addDelivery } from '../../../helpers/deliveries.ts'
import { testNow } from '../../../helpers/host.ts'
import { talk } from '../../../helpers/talk.ts'
import { openTestWorkspace } from '../../../helpers/wire.ts'
import { answer, answering, createWorld, type World } from '../../../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})

const second = 1000
const minute = 60 * second

async function addDeliveries(): Promise<void> {
  await addDelivery(world.store, { id: 'msg_a', ago: 20 * minute })
  await addDelivery(world.store, {
    ...{ id: 'msg_b', room_id: 'room-2', action: 'sessionLeft', state: 'waiting', ago: 5 * minute },
    ...{ last_status: 503, next_at: testNow + minute },
  })
  await addDelivery(world.store, {
    ...{ id: 'msg_c', state: 'given_up', ago: minute },
    ...{ last_status: null, last_error: 'connection refused', attempts: 11 },
  })
}

const redelivered = () =>
  world.requests.filter(({ method }) => method === 'POST').map(({ url }) => /msg_\w+/.exec(url)?.[0])

describe('webhooks deliveries', () => {
  test('webhooks deliveries prints a table with the status and the last response of each delivery', async () => {
    await addDeliveries()
    const { stdout, stderr, code } = await world.run('webhooks deliveries')
    expect({ stdout, stderr, code }).toEqual({
      stdout: [
        'ID     ROOM ID  ACTION         STATE      ATTEMPTS  LAST RESPONSE       NEXT ATTEMPT AT       CREATED AT',
        '─────  ───────  ─────────────  ─────────  ────────  ──────────────────  ────────────────────  ────────────────────',
        'msg_c  room-1   sessionJoined  given_up   11        connection refused                        2026-01-02T03:03:05Z',
        'msg_b  room-2   sessionLeft    waiting    1         503                 2026-01-02T03:05:05Z  2026-01-02T02:59:05Z',
        'msg_a  room-1   sessionJoined  delivered  1         200                                       2026-01-02T02:44:05Z',
        '',
      ].join('\n'),
      stderr: '',
      code: 0,
    })
  })

  test('webhooks deliveries prints the deliveries of the service as JSON and as CSV', async () => {
    await addDelivery(world.store, { id: 'msg_a' })
    const { body } = await world.send('GET', '/webhooks/deliveries')
    expect(JSON.parse((await world.run('webhooks deliveries --json')).stdout).deliveries).toEqual(
      body.deliveries,
    )
    expect((await world.run('webhooks deliveries -o csv')).stdout).toBe(
      [
        'id,room_id,action,user_id,state,attempts,last_status,last_error,last_body,last_attempt_at,next_attempt_at,redeliveries,url,created_at,finished_at\r',
        'msg_a,room-1,sessionJoined,ada,delivered,1,200,,,2026-01-02T03:04:05.678Z,,0,https://hooks.test/a,2026-01-02T03:04:05.678Z,2026-01-02T03:04:05.678Z\r',
        '',
      ].join('\n'),
    )
  })

  test.each([
    ['room-1', 'msg_c msg_a'],
    ['--status waiting', 'msg_b'],
    ['--since 10m', 'msg_c msg_b'],
    ['--since 2026-01-02T02:50Z --state given_up', 'msg_c'],
    ['--where attempts>1', 'msg_c'],
    ['--where state=waiting', 'msg_b'],
    ['--sort created_at', 'msg_a msg_b msg_c'],
    ['--limit 1', 'msg_c'],
  ])('webhooks deliveries %s lists %s', async (flags, ids) => {
    await addDeliveries()
    const { stdout } = await world.run(`webhooks deliveries -o ids ${flags}`)
    expect(stdout.trim().replaceAll('\n', ' ')).toBe(ids)
  })

  test('webhooks deliveries accepts name:NAME, --count and --count-by', async () => {
    const { room } = (await world.send('POST', '/rooms', { name: 'Weekly', type: 'open' })).body
    await addDelivery(world.store, { id: 'msg_d', room_id: room.id })
    expect((await world.run('webhooks deliveries name:Weekly -o ids')).stdout).toBe('msg_d\n')
    expect((await world.run('webhooks deliveries --count')).stdout).toBe('1\n')
    expect((await world.run('webhooks deliveries --count-by state')).stdout).toContain('delivered')
  })

  test('webhooks deliveries prints “no deliveries” for an empty list', async () => {
    expect(await world.run('webhooks deliveries')).toMatchObject({ code: 0, stderr: 'no deliveries\n' })
  })

  test.each([
    ['--state lost', 2],
    ['--since noon', 2],
  ])('webhooks deliveries %s exits %i before any request', async (flags, code) => {
    expect((await world.run(`webhooks deliveries ${flags}`)).code).toBe(code)
    expect(world.requests).toEqual([])
  })
})

describe('webhooks redeliver', () => {
  test('webhooks redeliver -o ids queues one delivery and prints its ID', async () => {
    await addDeliveries()
    const { stdout, stderr, code } = await world.run('webhooks redeliver msg_c -o ids')
    expect({ stdout, stderr, code }).toEqual({ stdout: 'msg_c\n', stderr: 'queued 1 delivery\n', code: 0 })
    const { deliveries } = (await world.send('GET', '/webhooks/deliveries')).body
    expect(deliveries[0]).toMatchObject({ id: 'msg_c', state: 'waiting', redeliveries: 1, attempts: 11 })
  })

  test('webhooks redeliver reads IDs from standard input', async () => {
    await addDeliveries()
    expect(await world.run('webhooks redeliver -', { stdin: 'msg_a\nmsg_c\n' })).toMatchObject({
      code: 0,
      stderr: 'queued 2 deliveries\n',
    })
    expect(redelivered().toSorted()).toEqual(['msg_a', 'msg_c'])
  })

  test('webhooks redeliver --since selects completed deliveries, oldest first', async () => {
    await addDeliveries()
    expect(await world.run('webhooks redeliver --since 1h --yes --concurrency 1 -o ids')).toMatchObject({
      code: 0,
      stdout: 'msg_a\nmsg_c\n',
    })
    expect(redelivered()).toEqual(['msg_a', 'msg_c'])
  })

  test.each([
    ['--since 10m', ['msg_c']],
    ['--since 1h --status delivered', ['msg_a']],
    ['--since 1h --state waiting', ['msg_b']],
    ['--since 1h --room room-2', []],
    ['--since 1s', []],
  ])('webhooks redeliver %s redelivers %j', async (flags, ids) => {
    await addDeliveries()
    expect((await world.run(`webhooks redeliver ${flags} --yes`)).code).toBe(0)
    expect(redelivered()).toEqual(ids)
  })

  test('webhooks redeliver --since asks for confirmation and names the deliveries', async () => {
    await addDeliveries()
    const refused = await world.run('webhooks redeliver --since 1h')
    expect(refused).toMatchObject({
      code: 10,
      stderr:
        '1 delivery waits for a retry and is omitted; --status waiting sends them now\n' +
        'error: redelivering events needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n',
    })
    const asked = await talk(world, 'webhooks redeliver --since 1h', [['Type 2 to continue:', '2\n']], {
      columns: 400,
    })
    expect(stripVTControlCharacters(asked.stderr)).toContain(
      'Redeliver 2 deliveries “sessionJoined” (msg_a), “sessionJoined” (msg_c), since 2026-01-02T02:04:05.678Z, at https://meet.test (profile default).',
    )
    expect(redelivered().toSorted()).toEqual(['msg_a', 'msg_c'])
  })

  test('webhooks redeliver --dry-run prints each request and sends no write', async () => {
    await addDeliveries()
    const { stdout, code } = await world.run('webhooks redeliver --since 1h --dry-run')
    expect(code).toBe(0)
    expect(stdout.match(/POST \S+/g)).toEqual([
      'POST https://meet.test/v1/webhooks/deliveries/msg_a/redeliver',
      'POST https://meet.test/v1/webhooks/deliveries/msg_c/redeliver',
    ])
    expect(redelivered()).toEqual([])
  })

  test('webhooks redeliver exits 3 for an unknown ID, and 1 for a delivery that waits for its first attempt', async () => {
    await addDelivery(world.store, { id: 'msg_new', state: 'waiting', attempts: 0, last_status: null })
    expect(await world.run('webhooks redeliver msg_x')).toMatchObject({
      code: 3,
      stderr:
        'error: no such delivery: msg_x\nhint: list the deliveries with: meetroom webhooks deliveries --base-url https://meet.test/v1\n',
    })
    expect(await world.run('webhooks redeliver msg_new')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the delivery already waits for an attempt'),
    })
  })

  test.each([
    ['', 'the argument “id” is missing'],
    [' msg_a --since 10m', 'IDs and --since cannot be used together'],
    [' msg_a --state delivered', '--status needs --since'],
    [' msg_a --room room-1', '--room needs --since'],
    [' --since 10m --curl', '--curl cannot be used: this command reads the deliveries that --since selects'],
  ])('the command “webhooks redeliver%s” exits 2 and sends no write', async (flags, message) => {
    const { code, stderr } = await world.run(`webhooks redeliver${flags}`)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`error: ${message}\n`) })
    expect(redelivered()).toEqual([])
  })

  test('webhooks redeliver --local suggests meetroom serve if the local workspace is not served', async () => {
    const local = await openTestWorkspace(join(world.dir, 'data'))
    await addDelivery(local.store, { id: 'msg_a' })
    local.close()
    expect(await world.run('webhooks redeliver msg_a --local -o ids')).toMatchObject({
      code: 0,
      stdout: 'msg_a\n',
      stderr:
        'queued 1 delivery\nthe local workspace is not served, so it sends no webhooks; serve it with: meetroom serve\n',
    })
  })
})

describe.each([
  ['404', answer(404, { message: 'not found' })],
  ['400 with not_found', answer(400, { error: { code: 'not_found' } })],
  ['400 without a code', answer(400, {})],
  ['405', answer(405, {})],
  ['501', answer(501, {})],
])('webhook deliveries of a service that responds %s', (status, response) => {
  test.each(['webhooks deliveries', 'webhooks redeliver msg_a', 'webhooks redeliver --since 1h --yes'])(
    `the command “%s” exits 6 if the service responds ${status}`,
    async (line) => {
      world.intercept = answering(response)
      expect(await world.run(line)).toMatchObject({
        code: 6,
        stdout: '',
        stderr:
          'error: the service does not store webhook deliveries; only the embedded service does\nhint: see: meetroom help webhooks\n',
      })
      expect(redelivered()).toEqual([])
    },
  )
})
