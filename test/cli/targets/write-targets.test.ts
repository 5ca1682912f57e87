import { describe, expect, test } from 'vitest'
import { TransportError, type WireResponse } from '../../../src/api/wire.ts'
import type { TestHost } from '../../helpers/host.ts'
import { perTest } from '../../helpers/per-test.ts'
import { oneSleeper, stillTime, turns } from '../../helpers/still-time.ts'
import { latch } from '../../helpers/waiting.ts'
import { answer, baseUrl, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const lines = (text: string) => text.split('\n').slice(0, -1)
const written = () =>
  world.requests.filter(({ method }) => method !== 'GET').map(({ url }) => url.split('/').at(-1) ?? '')
const idOf = ({ url }: { url: string }) => url.split('/').at(-1) ?? ''
const names = (count: number) => Array.from({ length: count }, (_, i) => `u${i + 1}`)

async function users(count: number): Promise<string[]> {
  for (const user_id of names(count)) await world.send('POST', '/users', { user_id })
  return names(count)
}
const left = async (): Promise<string[]> =>
  (await world.send('GET', '/users?limit=1000')).body.users.map(({ user_id }: any) => user_id).reverse()
const deleting = (ids: readonly string[], flags = '') => [
  ...['users', 'delete', ...ids, '--yes', '--max', '999', '-o', 'ids'],
  ...flags.split(' ').filter((word) => word !== ''),
]

function hold() {
  const held = new Map<string, () => void>()
  world.intercept = async (request, next) => {
    if (request.method !== 'GET') await new Promise<void>((go) => held.set(idOf(request), go))
    return next()
  }
  return {
    waiting: () => [...held.keys()],
    async go(id: string) {
      const go = held.get(id)
      if (!go) throw new Error(`${id} does not wait`)
      held.delete(id)
      go()
      await turns()
    },
    async until(count: number) {
      for (let i = 0; held.size < count; i++) {
        if (i > 10_000) throw new Error(`${held.size} wait, and not ${count}`)
        await turns(1)
      }
      await turns()
    },
  }
}

describe('the concurrency of a batch', () => {
  test.each([
    ['', 8],
    ['--concurrency 1', 1],
    ['--concurrency 3', 3],
    ['--concurrency 256', 30],
  ])('users delete with 30 IDs and the flags “%s” reaches a concurrency of %i', async (flags, most) => {
    const ids = await users(30)
    let under = 0
    let seen = 0
    world.intercept = async (_request, next) => {
      seen = Math.max(seen, ++under)
      await turns()
      under--
      return next()
    }
    expect(await world.run(deleting(ids, flags))).toMatchObject({
      code: 0,
      stdout: ids.map((id) => `${id}\n`).join(''),
      stderr: 'deleted 30 users\n',
    })
    expect(seen).toBe(most)
    expect(written().sort()).toEqual([...ids].sort())
    expect(await left()).toEqual([])
  })

  test.each(['0', '257', '1e1', '-1', ''])('users delete --concurrency=%s exits 2', async (text) => {
    expect(await world.run(['users', 'delete', 'a', '--yes', `--concurrency=${text}`])).toMatchObject({
      code: 2,
      stderr: `error: --concurrency must be a whole number, from 1 to 256, not “${text}”\n`,
    })
    expect(world.requests).toEqual([])
  })

  test('users delete completes other items during one slow request', async () => {
    const ids = await users(6)
    const slow = latch()
    world.intercept = async (request, next) => {
      if (idOf(request) === 'u1') await slow.opened
      return next()
    }
    const { done } = world.start(deleting(ids, '--concurrency 2'))
    for (let i = 0; i < 200 && written().length < 6; i++) await turns()
    const meanwhile = await left()
    slow.open()
    expect(await done).toMatchObject({ code: 0 })
    expect(meanwhile).toEqual(['u1'])
  })
})

describe('results of a batch', () => {
  test('users delete prints results in the order of the IDs as soon as possible', async () => {
    const ids = await users(4)
    const held = hold()
    const { host, done } = world.start(deleting(ids))
    await held.until(4)
    await held.go('u3')
    await held.go('u2')
    expect(host.stdout.text).toBe('')
    await held.go('u1')
    expect(host.stdout.text).toBe('u1\nu2\nu3\n')
    await held.go('u4')
    expect(await done).toMatchObject({ code: 0, stdout: 'u1\nu2\nu3\nu4\n', stderr: 'deleted 4 users\n' })
  })

  test('users delete prints errors in the order of the IDs', async () => {
    const ids = (await users(5)).toSpliced(1, 0, 'gone').toSpliced(4, 0, 'lost')
    const held = hold()
    const { done } = world.start(deleting(ids))
    await held.until(7)
    for (const id of [...ids].reverse()) await held.go(id)
    const { code, stdout, stderr } = await done
    expect({ code, stdout, stderr }).toEqual({
      code: 8,
      stdout: 'u1\nu2\nu3\nu4\nu5\n',
      stderr:
        'error: no such user: gone\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n' +
        'error: no such user: lost\n' +
        'error: deleted 5 of 7 users; 2 failed\n',
    })
  })

  test('commands with several IDs print one JSON document, one table, or one NDJSON line per item', async () => {
    const ids = await users(3)
    const room = async (name: string) =>
      (await world.send('POST', '/rooms', { name, type: 'open' })).body.room.id
    const rooms = [await room('a'), await room('b')]
    const json = await world.run(['rooms', 'terminate', ...rooms, '--yes', '--json'])
    expect(JSON.parse(json.stdout).rooms.map(({ id }: any) => id)).toEqual(rooms)
    const ndjson = await world.run(['users', 'delete', ...ids, '--yes', '-o', 'ndjson'])
    expect(lines(ndjson.stdout).map((line) => JSON.parse(line).user_id)).toEqual(ids)
    const table = await world.run(['rooms', 'reopen', ...rooms, '--columns', 'name,status'])
    expect(table.stdout).toBe('NAME  STATUS\n────  ──────\na     active\nb     active\n')
    const csv = await world.run(['rooms', 'delete', ...rooms, '--yes', '-o', 'csv', '--columns', 'name'])
    expect(csv.stdout).toBe('name\r\na\r\nb\r\n')
  })

  test('users delete with an unknown column in --columns exits 2 before the first request', async () => {
    const ids = await users(2)
    expect(await world.run(['users', 'delete', ...ids, '--yes', '--columns', 'user_id,nope'])).toMatchObject({
      code: 2,
      stdout: '',
    })
    expect(world.requests).toEqual([])
  })
})

describe('--rate of a batch', () => {
  test.each([
    ['2', [500, 500, 500]],
    ['2/s', [500, 500, 500]],
    ['0.5', [2000, 2000, 2000]],
    ['20', [50, 50, 50]],
  ])('users delete --rate %s --concurrency 1 pauses for %j ms between requests', async (rate, slept) => {
    const ids = await users(4)
    const { code, host } = await world.run(deleting(ids, `--rate ${rate} --concurrency 1`))
    expect({ code, slept: host.slept }).toEqual({ code: 0, slept })
  })

  test('users delete --rate limits the combined rate of concurrent requests', async () => {
    const ids = await users(12)
    const began: number[] = []
    const { host, done } = world.start(deleting(ids, '--rate 4'))
    stillTime(host)
    world.intercept = (_request, next) => {
      began.push(host.monotonic())
      return next()
    }
    expect(await done).toMatchObject({ code: 0 })
    expect(began).toEqual(ids.map((_, i) => i * 250))
  })

  test.each(['0', '-1', 'fast', '1e3', '', '5/m'])('users delete --rate=%s exits 2', async (rate) => {
    expect(await world.run(['users', 'delete', 'a', '--yes', `--rate=${rate}`])).toMatchObject({
      code: 2,
      stderr: `error: --rate must be a number above 0, not “${rate}”\n`,
    })
    expect(world.requests).toEqual([])
  })
})

describe('a busy service in a batch', () => {
  test.each([
    [429, { 'retry-after': '7' }, 7000, 'the service is busy; pausing for 7 s\n'],
    [429, {}, 150, ''],
    [503, { 'retry-after': '2' }, 2000, ''],
  ])(
    'users delete pauses all requests after one response with the status %i and the headers %j',
    async (status, headers, waitMs, notice) => {
      const ids = await users(20)
      const began: [string, number][] = []
      const { host, done } = world.start(deleting(ids))
      stillTime(host)
      let refused = false
      world.intercept = async (request, next) => {
        began.push([idOf(request), host.monotonic()])
        if (!refused) {
          refused = true
          return answer(status, {}, headers as Record<string, string>)
        }
        // Requests that have started get their responses after the refusal.
        await turns(3)
        return next()
      }
      expect(await done).toMatchObject({
        code: 0,
        stdout: ids.map((id) => `${id}\n`).join(''),
        stderr: `${notice}deleted 20 users\n`,
      })
      expect(began.filter(([, at]) => at < waitMs).map(([id]) => id)).toEqual(ids.slice(0, 8))
      expect(began).toHaveLength(21)
      expect(await left()).toEqual([])
    },
  )

  test('users delete completes every item after 24 responses with the status 429', async () => {
    const ids = await users(12)
    let refusals = 24
    world.intercept = async (_request, next) =>
      refusals-- > 0 ? answer(429, {}, { 'retry-after': '1' }) : next()
    const { host, done } = world.start(deleting(ids))
    stillTime(host)
    expect(await done).toMatchObject({ code: 0, stderr: 'deleted 12 users\n' })
    expect(host.monotonic()).toBe(3000)
    expect(await left()).toEqual([])
  })

  test('users delete fails only for the ID whose requests all get a 429 response', async () => {
    const ids = await users(3)
    world.intercept = async (request, next) => (idOf(request) === 'u2' ? answer(429, {}) : next())
    const { code, stdout, stderr } = await world.run(deleting(ids))
    expect({ code, stdout }).toEqual({ code: 8, stdout: 'u1\nu3\n' })
    expect(stderr).toMatch(
      /\nerror: user u2: the service refuses the request \(429\)\nerror: deleted 2 of 3 users; 1 failed\n$/,
    )
  })
})

test('users delete retries only the request that a connection reset interrupts', async () => {
  const ids = await users(12)
  const { host, done } = world.start(deleting(ids, '--concurrency 2'))
  const { slept, wake } = oneSleeper(host)
  world.intercept = async (_request, next) => {
    if (world.requests.length === 1) throw new TransportError('the connection was reset', true)
    if (world.requests.length === 12) wake()
    return next()
  }
  expect(await done).toMatchObject({ code: 0, stderr: 'deleted 12 users\n' })
  expect({ slept, sent: written() }).toEqual({ slept: [150], sent: [...ids, 'u1'] })
})

describe('a wall clock that is set back by an hour', () => {
  const hour = 3_600_000

  test('users delete --rate keeps its intervals if the wall clock is set back by an hour', async () => {
    const ids = await users(4)
    const { host, done } = world.start(deleting(ids, '--rate 2 --concurrency 1'))
    world.intercept = (_request, next) => {
      host.setWallClock(-hour)
      return next()
    }
    expect(await done).toMatchObject({ code: 0 })
    expect(host.slept).toEqual([500, 500, 500])
  })

  test('users delete keeps the pause for a busy service if the wall clock is set back by an hour', async () => {
    const ids = await users(12)
    const { host, done } = world.start(deleting(ids))
    stillTime(host)
    let refused = false
    world.intercept = async (_request, next) => {
      if (refused) return next()
      refused = true
      setImmediate(() => host.setWallClock(-hour))
      return answer(429, {}, { 'retry-after': '7' })
    }
    expect(await done).toMatchObject({ code: 0 })
    expect(host.monotonic()).toBe(7000)
  })
})

function refuse(refused: readonly string[], how: () => WireResponse = () => answer(422, {})): void {
  world.intercept = async (request, next) => (refused.includes(idOf(request)) ? how() : next())
}
const reset = () => {
  throw new TransportError('connection reset', true)
}

describe('failures of a batch', () => {
  test.each([
    [[], 0, 'deleted 4 users\n'],
    [['u2'], 8, 'error: deleted 3 of 4 users; 1 failed\n'],
    [['u1', 'u2', 'u3'], 8, 'error: deleted 1 of 4 users; 3 failed\n'],
    [['u1', 'u2', 'u3', 'u4'], 1, 'error: deleted 0 of 4 users; 4 failed\n'],
  ])('users delete with the failing IDs %j exits %i', async (refused, code, summary) => {
    const ids = await users(4)
    refuse(refused)
    const run = await world.run(deleting(ids))
    expect(run).toMatchObject({
      code,
      stdout: ids
        .filter((id) => !refused.includes(id))
        .map((id) => `${id}\n`)
        .join(''),
      stderr: `${refused.map((id) => `error: user ${id}: the service refuses the request (422)\n`).join('')}${summary}`,
    })
    expect(await left()).toEqual(refused)
  })

  test('users delete with unknown outcomes exits 7 if no item succeeds, and 8 otherwise', async () => {
    const ids = await users(3)
    refuse(['u1', 'u2'], reset)
    const some = await world.run(deleting(ids, '--retries 0'))
    expect(some).toMatchObject({ code: 8, stdout: 'u3\n' })
    expect(some.stderr).toContain('check with: meetroom users get u1 --base-url https://meet.test/v1')
    expect(some.stderr).toContain('check with: meetroom users get u2 --base-url https://meet.test/v1')
    expect(await world.run(deleting(['u1', 'u2'], '--retries 0'))).toMatchObject({ code: 7, stdout: '' })
    refuse(['u1'], reset)
    world.intercept = async (request) => (idOf(request) === 'u1' ? reset() : answer(422, {}))
    expect(await world.run(deleting(['u1', 'u2'], '--retries 0'))).toMatchObject({ code: 7, stdout: '' })
  })

  test('users delete with a single ID exits with the code of its failure', async () => {
    await users(1)
    const codes: number[] = []
    for (const how of [() => answer(422, {}), () => answer(404, {}), () => answer(401, {}), reset]) {
      refuse(['u1'], how)
      codes.push((await world.run(deleting(['u1'], '--retries 0'))).code)
    }
    expect(codes).toEqual([1, 3, 4, 7])
  })

  test.each([
    ['--fail-fast', ['u1', 'u2', 'u3'], 'error: deleted 2 of 9 users; 1 failed; 6 not tried\n'],
    ['--max-errors 0', ['u1', 'u2', 'u3'], 'error: deleted 2 of 9 users; 1 failed; 6 not tried\n'],
    ['--max-errors 1', ['u1', 'u2', 'u3', 'u4'], 'error: deleted 2 of 9 users; 2 failed; 5 not tried\n'],
    [
      '--max-errors 2',
      ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'],
      'error: deleted 3 of 9 users; 3 failed; 3 not tried\n',
    ],
    ['--max-errors 4', names(9), 'error: deleted 5 of 9 users; 4 failed\n'],
  ])('users delete %s stops only if the failures exceed its limit', async (flags, sent, summary) => {
    const ids = await users(9)
    refuse(['u3', 'u4', 'u6', 'u8'])
    const { code, stderr } = await world.run(deleting(ids, `${flags} --concurrency 1`))
    expect({ code, summary: stderr.replace(/^error: user \w+: the service refuses.*\n/gm, '') }).toEqual({
      code: 8,
      summary,
    })
    expect(written()).toEqual(sent)
  })

  test('users delete --fail-fast completes pending requests and prints their results', async () => {
    const ids = await users(6)
    const held = hold()
    const intercept = world.intercept
    world.intercept = async (request, next, signal) =>
      idOf(request) === 'u2' ? answer(422, {}) : (intercept?.(request, next, signal) ?? next())
    const { done } = world.start(deleting(ids, '--fail-fast --concurrency 3'))
    await held.until(2)
    expect(held.waiting()).toEqual(['u1', 'u3'])
    await held.go('u3')
    await held.go('u1')
    expect(await done).toMatchObject({
      code: 8,
      stdout: 'u1\nu3\n',
      stderr:
        'error: user u2: the service refuses the request (422)\nerror: deleted 2 of 6 users; 1 failed; 3 not tried\n',
    })
    expect(await left()).toEqual(['u2', 'u4', 'u5', 'u6'])
  })

  test('users delete --fail-fast exits 1 if the first ID fails', async () => {
    const ids = await users(3)
    refuse(ids)
    expect(await world.run(deleting(ids, '--fail-fast --concurrency 1'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: user u1: the service refuses the request (422)\n' +
        'error: deleted 0 of 3 users; 1 failed; 2 not tried\n',
    })
  })
})

describe('failures of the whole batch', () => {
  const dead = () => {
    throw new TransportError('connection refused', false)
  }
  const refusedKey = () => answer(401, {})
  const key =
    'error: the service refuses the API key (401)\nhint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n'
  const gone =
    'error: no response from meet.test: connection refused\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n'

  test.each([
    ['a refused key', refusedKey, 4, key],
    ['a refused connection', dead, 5, gone],
  ])('users delete stops at %s and reports the failure once', async (_what, how, code, stderr) => {
    const ids = await users(40)
    refuse(ids, how)
    expect(await world.run(deleting(ids, '--retries 0'))).toMatchObject({ code, stdout: '', stderr })
    expect(written()).toEqual(ids.slice(0, 8))
    expect(await left()).toEqual(ids)
  })

  test.each([
    ['a refused key', refusedKey, key],
    ['a refused connection', dead, gone],
  ])(
    'users delete stops at %s after five deletions and reports the failure once',
    async (_what, how, stderr) => {
      const ids = await users(40)
      refuse(ids.slice(5), how)
      const run = await world.run(deleting(ids, '--retries 0 --concurrency 1'))
      expect(run).toMatchObject({
        code: 8,
        stdout: 'u1\nu2\nu3\nu4\nu5\n',
        stderr: `${stderr}error: deleted 5 of 40 users; 1 failed; 34 not tried\n`,
      })
      expect(written()).toEqual(ids.slice(0, 6))
      expect(await left()).toEqual(ids.slice(5))
    },
  )

  // The responses may arrive in any order.
  test.each([
    ['a refused key', refusedKey, key],
    ['a refused connection', dead, gone],
  ])('users delete reports %s once and exits 8 if another item succeeds', async (_what, how, stderr) => {
    const ids = await users(2)
    refuse(['u1'], how)
    expect(await world.run(deleting(ids, '--retries 0'))).toMatchObject({
      code: 8,
      stdout: 'u2\n',
      stderr: `${stderr}error: deleted 1 of 2 users; 1 failed\n`,
    })
  })

  test('users delete --ignore-not-found reports a refused key even if another user does not exist', async () => {
    await users(1)
    world.intercept = async (request, next) => (idOf(request) === 'u1' ? refusedKey() : next())
    expect(await world.run(deleting(['u1', 'lost'], '--ignore-not-found'))).toMatchObject({
      code: 8,
      stdout: '',
      stderr: `${key}error: deleted 0 of 2 users; 1 did not exist; 1 failed\n`,
    })
  })
})

describe('a signal during a batch', () => {
  /** Sends a signal; the grace period for requests in flight ends immediately. */
  function signalTo({ host }: { host: TestHost }, name: 'SIGINT' | 'SIGTERM' = 'SIGINT'): void {
    host.hurry()
    host.signal(name)
  }

  /** Responds to the first `answered` requests; the others hang until they are aborted. */
  function hangAfter(answered: number, onHang: () => void): void {
    let count = 0
    world.intercept = (_request, next, signal) => {
      if (count++ < answered) return next()
      const cut = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(new TransportError('aborted', true))),
      )
      onHang()
      return cut
    }
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('users delete sends no further requests after %s and exits %i', async (signal, code) => {
    const ids = await users(30)
    hangAfter(0, () => world.requests.length === 8 && signalTo(run, signal))
    const run = world.start(deleting(ids))
    const { stderr, ...ended } = await run.done
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(stderr).toMatch(
      /^waiting for pending requests; press \^C again to stop immediately\ndeleted 0 of 30 users; 8 with an unknown outcome; 22 not tried\nerror: interrupted\nhint: the change may have been made; check with: .*\n$/,
    )
    expect(written()).toEqual(ids.slice(0, 8))
  })

  test('users delete prints its results and the error only once after a signal', async () => {
    const ids = await users(30)
    hangAfter(3, () => signalTo(run))
    const run = world.start(deleting(ids, '--concurrency 1'))
    const { code, stdout, stderr } = await run.done
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'u1\nu2\nu3\n' })
    expect(stderr.match(/^error: interrupted$/gm)).toHaveLength(1)
    expect(stderr).toContain('check with: meetroom users get u4 --base-url https://meet.test/v1')
    expect(written()).toEqual(['u1', 'u2', 'u3', 'u4'])
  })

  test('users delete completes pending requests after a signal', async () => {
    const ids = await users(30)
    world.intercept = async (_request, next) => {
      if (world.requests.length === 10) run.host.signal('SIGINT')
      return next()
    }
    const run = world.start(deleting(ids, '--concurrency 8'))
    const { code, stdout, stderr } = await run.done
    const gone = lines(stdout)
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: `deleted ${gone.length} of 30 users; ${30 - gone.length} not tried\nerror: interrupted\n`,
    })
    expect(gone).toEqual(written())
    expect(await left()).toEqual(ids.slice(gone.length))
  })

  test('users delete prints the number of deleted users after a signal', async () => {
    const ids = await users(30)
    hangAfter(3, () => signalTo(run))
    const run = world.start(deleting(ids, '--concurrency 1'))
    expect((await run.done).stderr).toMatch(/deleted 3 of 30 users/)
  })

  test('a signal interrupts the pause of users delete for a busy service', async () => {
    const ids = await users(3)
    world.intercept = async () => answer(429, {}, { 'retry-after': '20' })
    const run = world.start(deleting(ids, '--concurrency 1'))
    run.host.sleep = (_ms, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
        signalTo(run)
      })
    expect(await run.done).toMatchObject({ code: 130, stdout: '' })
    expect(written()).toEqual(['u1'])
  })

  test('a signal interrupts the pause of users delete --rate', async () => {
    const ids = await users(3)
    const run = world.start(deleting(ids, '--concurrency 1 --rate 0.01'))
    run.host.sleep = (_ms, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
        signalTo(run)
      })
    expect(await run.done).toMatchObject({ code: 130, stdout: 'u1\n' })
    expect(await left()).toEqual(['u2', 'u3'])
  })
})

describe('a batch with an output failure', () => {
  const failing = (code: string) => Object.assign(new Error(`${code}: write`), { code })

  test.each(['ids', 'ndjson', 'json', 'csv', 'table'])(
    'users delete -o %s completes all items if stdout is a closed pipe',
    async (format) => {
      const ids = await users(40)
      const { host, done } = world.start(['users', 'delete', ...ids, '--yes', '--max', '40', '-o', format])
      host.stdout.failure = failing('EPIPE')
      expect(await done).toMatchObject({ code: 0, stdout: '', stderr: 'deleted 40 users\n' })
      expect(await left()).toEqual([])
    },
  )

  test('users delete completes all items if the pipe at stdout is closed after the first result', async () => {
    const ids = await users(20)
    const { host, done } = world.start(deleting(ids))
    world.intercept = async (_request, next) => {
      if (host.stdout.text !== '') host.stdout.failure = failing('EPIPE')
      return next()
    }
    expect(await done).toMatchObject({ code: 0, stderr: 'deleted 20 users\n' })
    expect(host.stdout.text).toMatch(/^u1\n/)
    expect(await left()).toEqual([])
  })

  test('users delete reports failed items even if stdout is a closed pipe', async () => {
    const ids = await users(10)
    refuse(['u9'])
    const { host, done } = world.start(deleting(ids))
    host.stdout.failure = failing('EPIPE')
    expect(await done).toMatchObject({
      code: 8,
      stderr:
        'error: user u9: the service refuses the request (422)\nerror: deleted 9 of 10 users; 1 failed\n',
    })
  })

  test('users delete exits 74 without further requests if the disk for its output is full', async () => {
    const ids = await users(40)
    const { host, done } = world.start(deleting(ids, '--concurrency 2'))
    host.stdout.failure = failing('ENOSPC')
    expect(await done).toMatchObject({
      code: 74,
      stderr:
        'error: 4 users were deleted, but their output could not be written: no space left on the disk\n',
    })
    const sent = world.requests.length
    await turns(50)
    expect(world.requests).toHaveLength(sent)
  })
})

test.each([
  ['rooms terminate', 'PUT', '{"is_terminated":true}'],
  ['rooms reopen', 'PUT', '{"is_terminated":false}'],
  ['rooms delete', 'DELETE', undefined],
])(
  '%s with 13 IDs sends one write per ID and exits 8 if one room does not exist',
  async (command, method, body) => {
    const ids: string[] = []
    for (let i = 0; i < 12; i++)
      ids.push((await world.send('POST', '/rooms', { name: `R${i}`, type: 'open' })).body.room.id)
    const given = ids.toSpliced(3, 0, 'gone')
    const { code, stdout } = await world.run([...command.split(' '), ...given, '--yes', '-o', 'ids'])
    expect({ code, ids: lines(stdout) }).toEqual({ code: 8, ids })
    expect(world.requests.map((request) => [request.method, request.url, request.body]).sort()).toEqual(
      [
        ...given.map((id) => [method, `${baseUrl}/rooms/${id}`, body]),
        // A missing room causes a probe.
        ['GET', `${baseUrl}/rooms?limit=1`, undefined],
      ].sort(),
    )
  },
)
