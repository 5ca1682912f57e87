import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

interface Row {
  id: string
  time: number
  seq: number
}

interface SortedList {
  path: string
  key: string
  id: string
  /** Field of `sort_by`. */
  field: string
  /** Adds the row with this `seq` (?1), time (?2) and ID (?3). */
  insert: string
  holds?: (seq: number) => boolean
}

const setUp = `
  INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at) VALUES ('room', 'open', 'R', 'default', 0, 0, 0)`

const lists: SortedList[] = [
  {
    path: '/rooms?layout=grid&is_terminated=false',
    key: 'rooms',
    id: 'id',
    field: 'created_at',
    insert: `INSERT INTO rooms (seq, id, type, name, layout, record, terminated_at, created_at, updated_at)
      VALUES (?1 + 1, ?3, 'open', 'R', iif(?1 % 3, 'grid', 'default'), 0, iif(?1 % 4, NULL, 1), ?2, 0)`,
    holds: (seq) => seq % 3 > 0 && seq % 4 > 0,
  },
  {
    path: '/rooms?name=R',
    key: 'rooms',
    id: 'id',
    field: 'created_at',
    insert: `INSERT INTO rooms (seq, id, type, name, layout, record, created_at, updated_at)
      VALUES (?1 + 1, ?3, 'open', iif(?1 % 2, 'R', 'S'), 'grid', 0, ?2, 0)`,
    holds: (seq) => seq % 2 > 0,
  },
  ...['/users?', '/users?email_search_query=EXAMPLE'].map((path) => ({
    path,
    key: 'users',
    id: 'user_id',
    field: 'created_at',
    insert: `INSERT INTO users (seq, id, user_id, email, default_member_type, access_token, created_at, updated_at)
      VALUES (?1, ?3, ?3, iif(?1 % 2, 'a@example.com', NULL), 'guest', ?3, ?2, 0)`,
    ...(path.endsWith('EXAMPLE') && { holds: (seq: number) => seq % 2 > 0 }),
  })),
  {
    path: '/rooms/room/members?',
    key: 'members',
    id: 'id',
    field: 'created_at',
    insert: `INSERT INTO members (seq, id, room_id, type, created_at, updated_at)
      VALUES (?1, ?3, iif(?1 % 2, 'room', 'other'), 'guest', ?2, 0)`,
    holds: (seq) => seq % 2 > 0,
  },
  ...['/rooms/room/sessions?user_id=ada', '/rooms/room/sessions?is_connecting=true'].map((path, i) => ({
    path,
    key: 'sessions',
    id: 'id',
    field: 'connected_at',
    insert: `INSERT INTO sessions (seq, id, room_id, member_id, user_id, connected_at, disconnected_at)
      VALUES (?1, ?3, 'room', 'm', iif(?1 % 2, 'ada', 'grace'), ?2, iif(?1 % 3, NULL, ?2))`,
    holds: (seq: number) => seq % (2 + i) > 0,
  })),
  {
    path: '/rooms/room/pages?',
    key: 'pages',
    id: 'id',
    field: 'created_at',
    insert: `INSERT INTO pages (seq, id, room_id, position, entities, created_at)
      VALUES (?1, ?3, 'room', 1000 - ?1, '[]', ?2)`,
  },
]

async function fill({ store }: TestWorkspace, insert: string, times: readonly number[]): Promise<void> {
  await store.write(() => {
    store.run(setUp)
    for (const [i, time] of times.entries()) store.run(insert, i + 1, time, `r${i + 1}`)
  })
}

async function listIds({ send }: TestWorkspace, path: string, { key, id }: SortedList): Promise<string[]> {
  const { status, body } = await send('GET', path)
  expect({ status, path }).toEqual({ status: 200, path })
  return (
    (body as unknown as Record<string, Record<string, string>[]>)[key]?.map((item) => item[id] ?? '') ?? []
  )
}

const sorted = (rows: readonly Row[], sign: number) =>
  rows.toSorted((a, b) => sign * (a.time - b.time || a.seq - b.seq)).map(({ id }) => id)

test.each(lists)('sort_by sorts $path in one response and across pages', async (list) => {
  const { path, field, insert, holds = () => true } = list
  await fc.assert(
    fc.asyncProperty(
      // The clock may be set back, and many rows may be created in one millisecond.
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      async (times, limit) => {
        const workspace = await openTestWorkspace()
        await fill(workspace, insert, times)
        const rows = times
          .map((time, i) => ({ id: `r${i + 1}`, time, seq: i + 1 }))
          .filter(({ seq }) => holds(seq))
        for (const [sign, order] of [
          [1, `%2B${field}`],
          [1, `+${field}`],
          [-1, `-${field}`],
        ] as const) {
          const all = sorted(rows, sign)
          const query = `${path}&sort_by=${order}`
          // Rows of the same name and the room itself are not part of this list.
          const own = (ids: string[]) => ids.filter((id) => id !== 'room')
          expect(own(await listIds(workspace, `${query}&limit=1000`, list))).toEqual(all)
          const paged: string[] = []
          for (let offset = 0; offset <= rows.length; offset += limit)
            paged.push(...(await listIds(workspace, `${query}&limit=${limit}&offset=${offset}`, list)))
          expect(own(paged)).toEqual(all)
          if (['sessions', 'pages'].includes(list.key))
            expect(await listIds(workspace, query, list)).toEqual(all)
        }
        workspace.close()
      },
    ),
    { numRuns: 15 },
  )
})

test.each(lists)('a page of $path with thousands of items is sorted', async (list) => {
  const { path, key, field, insert, holds = () => true } = list
  const times = Array.from({ length: 16_000 }, (_, i) => (i * 7919) % 1000)
  const workspace = await openTestWorkspace(tempDir())
  await fill(workspace, insert, times)
  const rows = times.map((time, i) => ({ id: `r${i + 1}`, time, seq: i + 1 })).filter(({ seq }) => holds(seq))
  const { body } = await workspace.send('GET', `${path}&sort_by=-${field}&limit=30&offset=4000`)
  const { [key]: items, paging } = body as unknown as Record<string, Record<string, string>[]>
  // The room itself is the oldest.
  expect(items?.map((item) => item[list.id])).toEqual(sorted(rows, -1).slice(4000, 4030))
  expect(paging).toEqual({ limit: 30, offset: 4000, total: rows.length + (path === '/rooms?name=R' ? 1 : 0) })
})

test('pages in ascending order stay the same while rows are added', async () => {
  const workspace = await openTestWorkspace()
  const ids: string[] = []
  for (let i = 0; i < 20; i++)
    ids.push((await workspace.send('POST', '/rooms', { name: `R${i}`, type: 'open' })).body.room.id)
  const paged: string[] = []
  for (let offset = 0; offset < 20; offset += 5) {
    const { body } = await workspace.send('GET', `/rooms?sort_by=%2Bcreated_at&limit=5&offset=${offset}`)
    paged.push(...body.rooms.map(({ id }) => id))
    await workspace.send('POST', '/rooms', { name: 'new', type: 'open' })
  }
  expect(paged).toEqual(ids)
})

test.each([
  ['/rooms', 'name', 'created_at'],
  ['/rooms', 'created_at', 'created_at'],
  ['/rooms', '', 'created_at'],
  ['/users', '-connected_at', 'created_at'],
  ['/rooms/{room}/members', '--created_at', 'created_at'],
  ['/rooms/{room}/sessions', '-created_at', 'connected_at'],
  ['/rooms/{room}/pages', '-index', 'created_at'],
])('the request GET %s?sort_by=%s is refused because of an invalid parameter', async (path, value, field) => {
  const { send } = await openTestWorkspace()
  const { id } = (await send('POST', '/rooms', { name: 'R', type: 'open' })).body.room
  expect(await send('GET', `${path.replace('{room}', id)}?sort_by=${value}`)).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'invalid_parameters',
        message: `sort_by must be +${field} or -${field}, not “${value}”`,
      },
    },
  })
})
