import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { school, session } from '../../helpers/school.ts'
import { turns } from '../../helpers/still-time.ts'
import { latch } from '../../helpers/waiting.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const names = (count: number) => Array.from({ length: count }, (_, i) => `r${i}`)
const roomOf = (url: string) => /\/rooms\/(\w+)\/sessions/.exec(url)?.[1]

/** Simulates rooms with one session each. A name in the session prevents requests for users. */
function rooms(count: number): void {
  const lesson = { sessions: [session('ada', '08:00', '08:30', { name: 'Ada' })] }
  school(world, Object.fromEntries(names(count).map((id) => [id, lesson])))
}

function hold(held: (room: string) => boolean) {
  const { intercept } = world
  const gates = new Map<string, { reached: ReturnType<typeof latch>; gate: ReturnType<typeof latch> }>()
  const gateOf = (room: string) => {
    const known = gates.get(room) ?? { reached: latch(), gate: latch() }
    gates.set(room, known)
    return known
  }
  const asked: string[] = []
  world.intercept = async (request, next, signal) => {
    const room = roomOf(request.url)
    if (room !== undefined) asked.push(room)
    if (room !== undefined && held(room)) {
      gateOf(room).reached.open()
      await gateOf(room).gate.opened
    }
    return intercept?.(request, next, signal) ?? next()
  }
  return {
    asked,
    /** Resolves when the request for a room is held. */
    reached: (room: string) => gateOf(room).reached.opened,
    release: (room: string) => gateOf(room).gate.open(),
  }
}

const report = ['sessions', 'report', '--all-rooms', '-o', 'ndjson']
const printed = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).room_id)

test('sessions report --all-rooms prints rooms in list order regardless of the response order', async () => {
  rooms(6)
  const { reached, release } = hold(() => true)
  const { done } = world.start([...report, '--concurrency', '3'])
  for (const room of ['r2', 'r1', 'r0', 'r5', 'r4', 'r3']) {
    await reached(room)
    release(room)
    await turns()
  }
  const { code, stdout } = await done
  expect({ code, rooms: printed(stdout) }).toEqual({ code: 0, rooms: names(6) })
})

test('sessions report --concurrency 4 requests at most eight rooms while the first response is pending', async () => {
  rooms(100)
  const { asked, reached, release } = hold((room) => room === 'r0')
  const { host, done } = world.start([...report, '--concurrency', '4'])
  await reached('r0')
  for (let i = 0; i < 200; i++) await turns(5)
  expect(asked).toEqual(names(8))
  expect(host.stdout.text).toBe('')
  release('r0')
  const { code, stdout } = await done
  expect({ code, rooms: printed(stdout) }).toEqual({ code: 0, rooms: names(100) })
})

test('sessions report stops sending requests after EPIPE on stdout', async () => {
  rooms(100)
  const { asked } = hold(() => false)
  const { host, done } = world.start([...report, '--concurrency', '2'])
  host.stdout.failure = Object.assign(new Error(), { code: 'EPIPE' })
  expect(await done).toMatchObject({ code: 0, stderr: '' })
  expect(asked.length).toBeLessThan(10)
})

test('sessions report exits 8 and lists the missing rooms after a 401 response', async () => {
  rooms(50)
  const { intercept } = world
  world.intercept = async (request, next, signal) =>
    /r[3-9]\/|r\d\d\//.test(request.url) ? answer(401, {}) : (intercept?.(request, next, signal) ?? next())
  const { code, stdout, stderr } = await world.run([...report.slice(0, 3), '-o', 'csv', '--concurrency', '1'])
  expect(code).toBe(8)
  expect(stdout.split('\r\n')).toHaveLength(5)
  expect(stderr).toContain('error: reported on 3 of 50 rooms; 1 failed; 46 not tried\n')
  expect(stderr).toContain('hint: not in the report: r3, r4, r5, r6, r7, r8, r9, r10, r11, r12 and 37 more\n')
})

test('sessions report --fail-fast stops after the first failed room', async () => {
  rooms(20)
  const ids = ['r0', 'nowhere', ...names(20).slice(1)]
  const { code, stderr } = await world.run([
    'sessions',
    'report',
    ...ids,
    '-o',
    'csv',
    '--concurrency',
    '1',
    '--fail-fast',
  ])
  expect(code).toBe(8)
  expect(stderr).toContain('reported on 1 of 21 rooms; 1 failed; 19 not tried')
})

test('sessions report prints the completed rooms and exits 130 after ^C', async () => {
  rooms(50)
  const { release, reached } = hold((room) => room === 'r5')
  const { host, done } = world.start([...report, '--concurrency', '1'])
  await reached('r5')
  host.signal('SIGINT')
  release('r5')
  const { code, stdout } = await done
  expect(code).toBe(130)
  expect(printed(stdout)).toEqual(names(6))
})
