import { describe, expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const at = '2026-01-01T08:00:00.000Z'
const rooms = numbers(250).map((i) => ({
  ...{ id: `r${i}`, type: 'private', name: `Room ${i % 5}`, layout: `l${i % 2}` },
  terminated_at: i % 3 === 2 ? at : null,
}))
const sessions = numbers(60).map((i) => ({
  ...{ id: `s${i}`, member_id: 'm1', user_id: `u${i % 2}`, connected_at: at },
  disconnected_at: i % 3 === 0 ? null : at,
}))
const deliveries = numbers(9).map((i) => ({
  id: `d${i}`,
  room_id: `r${i % 2}`,
  state: 'given_up',
  attempts: 1,
}))

function ignoreFilters(change: (item: Record<string, unknown>) => object = (item) => item) {
  world.intercept = async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const key = pathname.split('/').at(-1) ?? ''
    const items = { rooms, sessions, deliveries }[key]
    if (!items) return answer(404, {})
    const offset = Number(searchParams.get('offset') ?? 0)
    const page = items.slice(offset, offset + Number(searchParams.get('limit') ?? 30))
    return answer(200, { [key]: page.map(change), paging: { total: items.length } })
  }
}

const lines: readonly (readonly [string, string])[] = [
  ['rooms list --terminated', '--where status=terminated'],
  ['rooms list --active', '--where status=active'],
  ['rooms list --name "Room 1"', "--where 'name=Room 1'"],
  ['rooms list --layout l1', '--where layout=l1'],
  ['sessions list r1 --user u1', '--where user_id=u1'],
  ['sessions list r1 --online', '--where status=online'],
  ['sessions list r1 --offline', '--where status=offline'],
  ['webhooks deliveries r1', '--where room_id=r1'],
  ['webhooks deliveries --state waiting', '--where state=waiting'],
]
const words = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

describe('a list of a service that ignores the filter', () => {
  test.each(lines)(
    'the command “%s” exits 8 before any output if the service ignores the filter',
    async (line, where) => {
      for (const more of [
        '-o ids',
        '--all -o ids',
        '--all --json',
        '--sort id -o csv',
        '--count',
        '--limit 5 -o ids',
      ]) {
        ignoreFilters()
        const { code, stdout, stderr } = await world.run([...words(line), ...more.split(' ')])
        expect({ more, code, stdout }).toEqual({ more, code: 8, stdout: '' })
        expect(stderr).toContain('the service ignores the filter')
        expect(stderr).toContain(where)
      }
    },
  )

  test.each(lines)(
    'the command “%s --json” prints the error code filter_ignored if the service ignores the filter',
    async (line) => {
      ignoreFilters()
      const { stderr } = await world.run([...words(line), '--json'])
      expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({
        code: 'filter_ignored',
      })
    },
  )

  test('rooms list --terminated --all prints the pages before the first mismatch, and exits 8', async () => {
    ignoreFilters((item) =>
      Number(String(item['id']).slice(1)) < 100 ? { ...item, terminated_at: at } : item,
    )
    const { code, stdout } = await world.run('rooms list --terminated --all --page-size 50 -o ids')
    expect({ code, count: stdout.split('\n').length - 1 }).toEqual({ code: 8, count: 100 })
  })

  test('rooms list --where status=terminated prints only the matching rooms of a service that ignores filters', async () => {
    ignoreFilters()
    const { code, stdout } = await world.run(['rooms', 'list', '--where', 'status=terminated', '-o', 'ids'])
    expect({ code, count: stdout.split('\n').length - 1 }).toEqual({ code: 0, count: 83 })
  })

  test('rooms list --terminated exits 0 if the rooms omit terminated_at', async () => {
    ignoreFilters(({ terminated_at: _, ...item }) => item)
    expect(await world.run('rooms list --terminated --limit 3 -o ids')).toMatchObject({ code: 0 })
  })

  test('webhooks redeliver --room exits 8 and sends no write if the service ignores the filter', async () => {
    ignoreFilters()
    const { code } = await world.run('webhooks redeliver --since 10m --room r1 --yes')
    expect({ code, writes: world.requests.filter(({ method }) => method !== 'GET') }).toEqual({
      code: 8,
      writes: [],
    })
  })
})

describe('a room with a numeric name', () => {
  const numbered = () => {
    world.intercept = async ({ url, method }) => {
      const room = { id: 'r1', type: 'open', name: 123 }
      if (method !== 'GET') return answer(200, { room: { ...room, id: 'r2' } })
      return answer(200, url.includes('/rooms/') ? { room } : { rooms: [room], paging: { total: 1 } })
    }
  }

  test('rooms get, rooms list and rooms create find a room by name if the service sends the name as a number', async () => {
    numbered()
    expect(await world.run('rooms get name:123 -o ids')).toMatchObject({ code: 0, stdout: 'r1\n' })
    expect(await world.run('rooms list --name 123 -o ids')).toMatchObject({ code: 0, stdout: 'r1\n' })
    expect(await world.run('rooms create --name 123 --type open --if-not-exists -o ids')).toMatchObject({
      code: 0,
      stdout: 'r1\n',
    })
    expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })
})
