import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../../src/api/wire.ts'
import { perTest } from '../../helpers/per-test.ts'
import { stillTime, turns } from '../../helpers/still-time.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const ids = (count: number) => Array.from({ length: count }, (_, i) => `r${i + 1}`)
const stdin = (count: number) => ids(count).join('\n')

/** Simulates `count` rooms with `size` members each. Lists of rooms omit `created_at`. */
function serve(count: number, size = 1): (url: string) => WireResponse {
  const rooms = ids(count).map((id) => ({ id, type: 'open', name: id }))
  const members = Array.from({ length: size }, (_, i) => ({ id: `m${i}`, user_id: `u${i}`, type: 'guest' }))
  return (url) => {
    const { pathname, searchParams } = new URL(url)
    const [, , , room, list, member] = pathname.split('/')
    const [offset, limit] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 1)]
    const page = <T>(items: readonly T[]) => items.slice(offset, offset + limit)
    const paging = { limit, offset, total: room === undefined ? count : size }
    if (room === undefined) return answer(200, { rooms: page(rooms), paging })
    if (member !== undefined) return answer(200, { member: members[0] })
    if (list === 'members') return answer(200, { members: page(members), paging })
    return answer(200, { room: { id: room, type: 'open', name: room, created_at: '2026-01-02T03:04:05Z' } })
  }
}

/** Commands that read rooms one by one, and print each room ID in a separate line. */
const readers = [
  'members export - --columns room_id',
  'rooms export - --columns id',
  'rooms export --columns id',
  'rooms list --all --where created_at>2026-01-01 -o ids',
  'rooms list --all --sort created_at -o ids',
]

describe('a command that reads rooms one by one', () => {
  async function countInFlight(line: string, rooms: number): Promise<number> {
    const serviceAnswer = serve(rooms)
    let inFlight = 0
    let most = 0
    let elapsed = 0
    world.intercept = async ({ url }) => {
      most = Math.max(most, ++inFlight)
      await turns(3)
      elapsed += 50 / inFlight--
      return serviceAnswer(url)
    }
    const { host, done } = world.start(line.split(' '), line.includes(' - ') ? { stdin: stdin(rooms) } : {})
    host.monotonic = () => elapsed
    const { code, stdout, stderr } = await done
    const printed = stdout.match(/^r\d+$/gm) ?? []
    expect({ code, printed: new Set(printed).size }, stderr).toEqual({ code: 0, printed: rooms })
    return most
  }

  test.each([...readers, 'members export --all-rooms --columns room_id'])(
    '“%s” reaches 64 concurrent requests at a latency of 50 ms',
    async (line) => {
      expect(await countInFlight(line, 300)).toBe(64)
    },
  )

  test.each(readers)('“%s --concurrency 5” has a maximum of 5 concurrent requests', async (line) => {
    expect(await countInFlight(`${line} --concurrency 5`, 100)).toBe(5)
  })
})

describe('members export with a rate limit of 50 requests per second', () => {
  test.each([
    [429, 1.2, 0.05],
    [503, 1.4, 0.2],
  ])(
    'members export exports the members of all 1,000 rooms if a rate-limited service responds with %i',
    async (status, maxRatio, maxRefused) => {
      const rooms = 1000
      const serviceAnswer = serve(rooms)
      const argv = 'members export - --columns room_id --no-header'.split(' ')
      const { host, done } = world.start(argv, { stdin: stdin(rooms) })
      stillTime(host)
      const window = { second: 0, used: 0, refused: 0 }
      world.intercept = async ({ url }) => {
        const second = Math.floor(host.monotonic() / 1000)
        if (second !== window.second) Object.assign(window, { second, used: 0 })
        const isAllowed = ++window.used <= 50
        if (!isAllowed) window.refused++
        await host.sleep(50)
        return isAllowed ? serviceAnswer(url) : answer(status, {}, { 'retry-after': '1' })
      }
      const { code, stdout, stderr } = await done
      expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
        code: 0,
        stderr: `exported ${rooms} members`,
      })
      expect(stdout.split('\r\n').slice(0, -1)).toEqual(ids(rooms))
      expect(host.monotonic() / 1000 / ((rooms - 50) / 50)).toBeLessThan(maxRatio)
      expect(window.refused / rooms).toBeLessThan(maxRefused)
    },
  )
})

describe('members export --all-rooms', () => {
  test('members export --all-rooms exports the rooms read so far if a Retry-After exceeds the timeout', async () => {
    const serviceAnswer = serve(100)
    world.intercept = async ({ url }) =>
      url.includes('/r20/members?')
        ? answer(429, { error: { message: 'tomorrow' } }, { 'retry-after': '86400' })
        : serviceAnswer(url)
    const { code, stdout, stderr } = await world.run(
      'members export --all-rooms --columns room_id --no-header',
    )
    const exported = stdout.split('\r\n').slice(0, -1)
    const untried = 99 - exported.length
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr:
        'error: room r20: the service refuses the request (429): tomorrow\nhint: the service asks you to wait 86400 s\n' +
        `exported ${exported.length} members\n` +
        'an import elsewhere does not restore access tokens, IDs, anonymous participants, times and order\n' +
        `error: the members of 1 room could not be read in full; ${untried} rooms not tried\n`,
    })
    const others = ids(100).filter((id) => id !== 'r20')
    expect(exported).toEqual(others.slice(0, exported.length))
  })

  test.each([
    [1, 64],
    [1000, 30],
  ])(
    'members export --all-rooms limits its read-ahead during a slow request (members per room: %i, rooms: %i)',
    async (size, most) => {
      const rooms = 70
      const serviceAnswer = serve(rooms, size)
      let requested = 0
      let requestedBefore = 0
      world.intercept = async ({ url }) => {
        if (url.endsWith('/members?limit=1000')) requested++
        if (url.includes('/r1/members?')) {
          await turns(500)
          requestedBefore = requested
        }
        return serviceAnswer(url)
      }
      const { code, stderr } = await world.run('members export --all-rooms')
      expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
        code: 0,
        stderr: `exported ${rooms * size} members`,
      })
      expect(requestedBefore).toBeGreaterThan(most / 2)
      expect(requestedBefore).toBeLessThanOrEqual(most)
    },
  )
})
