import { expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

const at = '2026-01-01T08:00:00.000Z'
const rooms = [
  {
    id: 'r1',
    type: 'private',
    name: 'A',
    status: 'published',
    online: 7,
    age: 3,
    created_at: at,
    terminated_at: null,
  },
  {
    id: 'r2',
    type: 'private',
    name: 'B',
    status: 'active',
    online: 7,
    age: 3,
    created_at: at,
    terminated_at: at,
  },
]
const members = [
  { id: 'm1', user_id: 'ada', type: 'guest', status: 'accepted', is_blocked: true },
  { id: 'm2', user_id: 'eve', type: 'guest', status: 'blocked', is_blocked: false },
]
const sessions = [
  { id: 's1', user_id: 'ada', member_id: 'm1', status: 'closed', connected_at: at, disconnected_at: null },
  { id: 's2', user_id: 'eve', member_id: 'm2', status: 'online', connected_at: at, disconnected_at: at },
]

/** Simulates a service whose fields have the names of computed fields. */
function serveComputedNames() {
  world.intercept = async ({ url, method }) => {
    const { pathname, searchParams } = new URL(url)
    const [, , list = '', id, below = ''] = pathname.split('/')
    const room = rooms.find((each) => each.id === id)
    if (method !== 'GET') return answer(200, { room: { ...room, terminated_at: at } })
    const online = sessions.filter((session) => session.disconnected_at === null)
    const inRoom = { members, sessions: searchParams.has('is_connecting') ? online : sessions }
    if (below)
      return answer(200, {
        [below]: inRoom[below as 'members'],
        paging: { total: inRoom[below as 'members'].length },
      })
    return answer(200, id ? { room } : { [list]: rooms, paging: { total: rooms.length } })
  }
}

test.each([
  ['rooms list --where status=active -o ids', 'r1\n'],
  ['rooms list --where status=terminated -o ids', 'r2\n'],
  ['rooms list --columns id,status --no-header -o csv', 'r1,active\r\nr2,terminated\r\n'],
  ['rooms list --count-by status --no-header -o csv', 'active,1\r\nterminated,1\r\n'],
  ['rooms list --sort -status -o ids', 'r2\nr1\n'],
  ['rooms list --where online=1 -o ids', 'r1\nr2\n'],
  ['rooms list --where age<1d -o ids', 'r1\nr2\n'],
  ['rooms wait r2 --for terminated --timeout 1s -o ids', 'r2\n'],
  ['members list r1 --where status=blocked -o ids', 'm1\n'],
  ['sessions list r1 --where status=online -o ids', 's1\n'],
])(
  'the command “%s” uses a computed field instead of a service field of the same name',
  async (line, stdout) => {
    serveComputedNames()
    expect(await world.run(line)).toMatchObject({ code: 0, stdout })
  },
)

test('rooms list prints the computed status instead of the status from the service', async () => {
  serveComputedNames()
  const { stdout } = await world.run('rooms list --no-header --columns id,status')
  expect(stdout.split('\n').map((line) => line.split(/\s+/))).toEqual([
    ['r1', 'active'],
    ['r2', 'terminated'],
    [''],
  ])
})

test('rooms list --json prints the fields of the service instead of computed fields', async () => {
  serveComputedNames()
  expect(JSON.parse((await world.run('rooms list --json')).stdout).rooms).toEqual(rooms)
})

test('rooms terminate --where status=active matches the computed status', async () => {
  serveComputedNames()
  await world.run('rooms terminate --where status=active --yes')
  expect(
    world.requests.filter(({ method }) => method === 'PUT').map(({ url }) => url.split('/').at(-1)),
  ).toEqual(['r1'])
})
