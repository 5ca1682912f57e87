import { beforeEach, describe, expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

/** Simulates a service with `count` rooms. Rooms r1, r101, … are public and have one member each. */
function serve(count: number, { hasTotal = true, latencyMs = 0 } = {}) {
  const rooms = Array.from({ length: count }, (_, i) => ({
    id: `r${i + 1}`,
    type: i % 100 === 0 ? 'public' : 'open',
    name: `Room ${i + 1}`,
  }))
  let sleep = async (_ms: number) => {}
  world.intercept = async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const [, , , room, list, member] = pathname.split('/')
    const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 1)]
    if (room === undefined)
      return answer(200, {
        rooms: rooms.slice(offset, offset + limit),
        paging: { limit, offset, ...(hasTotal && { total: count }) },
      })
    if (list === undefined) return answer(200, { room: rooms[Number(room.slice(1)) - 1] })
    if (member) return answer(200, { member: { id: 'm1', user_id: 'ada' } })
    await sleep(latencyMs)
    const members = rooms[Number(room.slice(1)) - 1]?.type === 'public' ? [{ id: 'm1', user_id: 'ada' }] : []
    return list === 'members'
      ? answer(200, { members: members.slice(offset), paging: { limit, offset, total: members.length } })
      : answer(200, { sessions: [] })
  }
  return {
    on: (host: { sleep(ms: number): Promise<void> }) => {
      sleep = (ms) => host.sleep(ms)
    },
  }
}

const notice = (rooms: string) => `reading ${rooms} rooms takes at least one request for each room\n`
const ids = (count: number) => Array.from({ length: count / 100 }, (_, i) => `r${i * 100 + 1}\n`).join('')

describe('the notice about reading each of 1,200 rooms', () => {
  beforeEach(() => {
    serve(1200)
  })

  test.each([
    ['--all --where members>0', notice('1200')],
    ['--where members>0 --limit 100', notice('up to 1200')],
    ['--all --where members>0 --where name~^Room', notice('about 1200')],
    ['--where members>0 --where name~^Room --limit 100', notice('up to about 1200')],
    ['--all --where members>0 --where type=public', ''],
    ['--all --where members>0 --quiet', ''],
    ['--all --where type=public', ''],
  ])('rooms list %s prints %j on standard error if the service has 1,200 rooms', async (flags, stderr) => {
    const { code, ...run } = await world.run(`rooms list -o ids ${flags}`)
    expect({ code, stdout: run.stdout, stderr: run.stderr }).toEqual({ code: 0, stdout: ids(1200), stderr })
  })

  test('rooms list prints the notice about reading each of 1,200 rooms before it reads the first room', async () => {
    const { intercept } = world
    const seen = new Set<string>()
    const run = world.start('rooms list --all -o ids --where members>0'.split(' '))
    world.intercept = (request, ...rest) => {
      if (/\/members/.test(request.url)) seen.add(run.host.stderr.text)
      return intercept?.(request, ...rest) ?? Promise.reject(new Error('no service'))
    }
    await run.done
    expect([...seen]).toEqual([notice('1200')])
  })

  test('users rooms prints the notice about reading each of 1,200 rooms', async () => {
    const { code, stdout, stderr } = await world.run('users rooms ada -o ids')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ids(1200), stderr: notice('1200') })
  })

  test('sessions report --all-rooms prints the notice about reading each of 1,200 rooms', async () => {
    const { code, stdout, stderr } = await world.run('sessions report --all-rooms -o csv --no-header')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: notice('1200') })
  })

  test('members export --all-rooms prints the notice about reading each of 1,200 rooms', async () => {
    const { code, stderr } = await world.run('members export --all-rooms --columns user_id')
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 0, stderr: notice('1200').trimEnd() })
  })

  test('members export of given rooms prints the notice about reading each of 1,200 rooms', async () => {
    const stdin = Array.from({ length: 1200 }, (_, i) => `r${i + 1}\n`).join('')
    const { code, stderr } = await world.run('members export - --columns user_id', { stdin })
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 0, stderr: notice('1200').trimEnd() })
  })
})

test('rooms list prints no notice about the number of rooms if it reads each of 1,000 rooms', async () => {
  serve(1000)
  const { code, stderr } = await world.run('rooms list --all -o ids --where members>0')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test.each(['rooms list --all -o ids --where members>0', 'users rooms ada -o ids'])(
  'the command “%s” prints a notice after it finds more than 1,000 rooms in a list without a total',
  async (command) => {
    serve(2200, { hasTotal: false })
    const { code, stdout, stderr } = await world.run(command)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ids(2200), stderr: notice('more than 1000') })
  },
)

test('members export --all-rooms prints a notice after it finds more than 1,000 rooms in a list without a total', async () => {
  serve(2200, { hasTotal: false })
  const { code, stderr } = await world.run('members export --all-rooms --columns user_id')
  expect({ code, notice: stderr.startsWith(notice('more than 1000')) }).toEqual({ code: 0, notice: true })
})

test.each([
  'members export --all-rooms --columns user_id',
  'rooms list --all -o ids --where members>0 --page-size 100 --concurrency 1',
  'users rooms ada -o ids --concurrency 1',
])(
  'the command “%s” on a terminal shows the number of rooms read and the estimated remaining time',
  async (command) => {
    const service = serve(1200, { latencyMs: 100 })
    const { host, done } = world.start(command.split(' '), {
      tty: true,
      columns: 120,
      env: { NO_COLOR: '1' },
    })
    service.on(host)
    expect(await done).toMatchObject({ code: 0 })
    const bars = host.stderr.text
      .split('\u001b[K')
      .flatMap((part) => /\r([█░]+ .*)$/u.exec(part)?.slice(1) ?? [])
    expect(bars[0]).toMatch(/^[█░]{24} \d+\/1200 {2}\d+\/s {2}0 failed {2}\d+ (s|min) left$/)
    expect(bars.at(-1)).toMatch(/^█{24} (1200|119\d)\/1200 {2}\d+\/s {2}0 failed {2}[01] s left$/)
    expect(bars.every((bar) => bar.includes('/1200 '))).toBe(true)
  },
)
