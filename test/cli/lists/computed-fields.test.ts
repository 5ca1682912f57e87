import { describe, expect, test } from 'vitest'
import type { Field, Resource } from '../../../src/api/resource-types.ts'
import { type ResourceName, resources, secretFields } from '../../../src/api/resources.ts'
import { conditionTypes } from '../../../src/cli/filter/where.ts'
import { views } from '../../../src/cli/output/views/views.ts'
import { perTest } from '../../helpers/per-test.ts'
import { type RoomInUse, withRoomsInUse } from '../../helpers/rooms-in-use.ts'
import { answer, createWorld } from '../../helpers/world.ts'

// Tests run at 2026-01-02T03:04:05.678Z.

const world = perTest(createWorld)

const at = '2025-01-01T00:00:00.000Z'

function exampleOf({ type }: Field): unknown {
  if (Array.isArray(type)) return type[0]
  if (type === 'time') return at
  if (type === 'boolean') return true
  return type === 'number' || type === 'integer' || type === 'seconds' ? 1 : 'x'
}

function serveOneOfEach() {
  world.intercept = async ({ url }) => {
    const list = new URL(url).pathname.split('/').at(-1)
    const resource = Object.values<Resource>(resources).find(({ plural }) => plural === list)
    if (!resource) return answer(404, { error: { message: 'not found' } })
    const item = Object.entries(resource.fields).map(([name, field]) => [name, exampleOf(field)])
    return answer(200, { [resource.plural]: [Object.fromEntries(item)], paging: { total: 1 } })
  }
}

const lists: [command: string, resource: ResourceName][] = [
  ['rooms list', 'room'],
  ['users list', 'user'],
  ['members list x', 'member'],
  ['sessions list x', 'session'],
]

describe.each(lists)('%s', (command, name) => {
  const types = conditionTypes(resources[name], views[name])

  test.each([...types])(
    `${command} accepts the field %s in --where, --sort, --count-by and --columns, except access tokens in --count-by`,
    async (field, type) => {
      serveOneOfEach()
      const condition = type === 'age' ? `${field}>=0s` : `${field}!=`
      for (const flag of [
        `--where ${condition}`,
        `--sort ${field}`,
        `--count-by ${field}`,
        `--columns ${field}`,
      ]) {
        const { code, stdout, stderr } = await world.run(`${command} ${flag} -o csv --show-tokens`)
        const isRefused = flag.startsWith('--count-by') && secretFields.has(field)
        expect(code, `${flag}: ${stderr}`).toBe(isRefused ? 2 : 0)
        if (flag.startsWith('--columns')) expect(stdout).toMatch(new RegExp(`^${field}\r\n.+\r\n$`))
      }
    },
  )
})

const room = (id: string) => ({ id, type: 'open', name: id.toUpperCase(), created_at: at })
const open = { id: 's1', disconnected_at: null }
const ended = { id: 's2', disconnected_at: '2026-01-01T00:00:00.000Z' }
const rooms: RoomInUse[] = [
  { room: room('busy'), sessions: [open, ended], members: 3 },
  { room: room('used'), sessions: [ended], members: 3 },
  { room: room('never'), members: 0 },
]

test.each([
  [
    '--columns id,online,sessions,members,last_active,idle,age',
    'busy,1,2,3,2026-01-02T03:04:05.678Z,0s,366d\r\n' +
      'used,0,1,3,2026-01-01T00:00:00.000Z,1d,366d\r\n' +
      'never,0,0,0,,366d,366d\r\n',
    6,
  ],
  ['--columns id,age', 'busy,366d\r\nused,366d\r\nnever,366d\r\n', 0],
  ['--sort idle --limit 2 --columns id,members', 'busy,3\r\nused,3\r\n', 5],
  ['--sort -id --limit 1 --columns id,online', 'used,0\r\n', 1],
  ['--where online>0 --columns id,online', 'busy,1\r\n', 3],
  ['--where members=3 --sort -online --columns id', 'busy\r\nused\r\n', 5],
  ['--count-by members', '3,2\r\n0,1\r\n', 3],
  ['--count-by idle', '0s,1\r\n1d,1\r\n366d,1\r\n', 3],
])(
  'rooms list %s prints room metrics and sends only the necessary requests',
  async (flags, stdout, count) => {
    const asked = withRoomsInUse(world, rooms)
    expect(await world.run(`rooms list ${flags} -o csv --no-header`)).toMatchObject({
      code: 0,
      stdout,
      stderr: expect.stringMatching(/^(--(sort|count-by) reads all rooms.*\n)?$/),
    })
    expect(asked()).toHaveLength(count)
  },
)

test('rooms list --json prints rooms sorted by a metric with only the fields of the service', async () => {
  withRoomsInUse(world, rooms)
  const { stdout } = await world.run('rooms list --sort members,-online --json')
  expect(JSON.parse(stdout).rooms).toEqual(['never', 'busy', 'used'].map(room))
})

test('rooms list omits a room whose metrics cannot be read, and exits 8', async () => {
  withRoomsInUse(world, rooms, {
    instead: (path) =>
      path.startsWith('/rooms/used/') ? answer(403, { error: { message: 'no' } }) : undefined,
  })
  const { code, stdout, stderr } = await world.run('rooms list --columns id,members -o csv --no-header')
  expect({ code, stdout }).toEqual({ code: 8, stdout: 'busy,3\r\nnever,0\r\n' })
  expect(stderr).toContain('could not read 1 of 3 rooms: used')
})
