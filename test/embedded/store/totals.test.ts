import { expect, test } from 'vitest'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

const layouts = ['default', 'grid', '', '=grid'] as const

async function fill({ store }: TestWorkspace, count: number): Promise<void> {
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)'
  await store.write(() => {
    store.run(
      `${numbers} INSERT INTO users (id, user_id, default_member_type, access_token, created_at, updated_at)
       SELECT 'u' || i, 'u' || i, 'guest', 't' || i, 0, 0 FROM n`,
      count,
    )
    store.run(
      `${numbers} INSERT INTO rooms (id, type, name, layout, record, terminated_at, created_at, updated_at)
       SELECT 'r' || i, 'open', 'R' || i % 7, CASE i % 5 WHEN 0 THEN 'grid' WHEN 1 THEN '' WHEN 2 THEN '=grid' ELSE 'default' END,
         0, CASE WHEN i % 3 = 0 THEN 1 END, 0, 0 FROM n`,
      count,
    )
    for (const table of ['users', 'rooms']) store.run(`DELETE FROM ${table} WHERE seq BETWEEN 900 AND 1100`)
  })
}

test.each<[path: string, sql: string]>([
  ['/users?', 'users'],
  ['/rooms?', 'rooms'],
  ['/rooms?is_terminated=true&', 'rooms WHERE terminated_at IS NOT NULL'],
  ['/rooms?is_terminated=false&', 'rooms WHERE terminated_at IS NULL'],
  ['/rooms?name=R3&is_terminated=false&', `rooms WHERE name = 'R3' AND terminated_at IS NULL`],
  ['/rooms?name=none&', `rooms WHERE name = 'none'`],
  ...layouts.flatMap((layout): [string, string][] => [
    [`/rooms?layout=${layout}&`, `rooms WHERE layout = '${layout}'`],
    [
      `/rooms?layout=${layout}&is_terminated=true&`,
      `rooms WHERE layout = '${layout}' AND terminated_at IS NOT NULL`,
    ],
  ]),
])('GET %slimit=3 returns the same pages and total as an SQL query', async (path, sql) => {
  const workspace = await openTestWorkspace(tempDir())
  await fill(workspace, 3000)
  const { store, send } = workspace
  const all = store.all<{ id: string }>(`SELECT id FROM ${sql} ORDER BY seq DESC`).map(({ id }) => id)
  // After a partial page, the total needs no count.
  for (const offset of [0, 3, all.length - 3, all.length - 2, all.length, all.length + 1]) {
    const { body } = await send('GET', `${path}limit=3&offset=${Math.max(0, offset)}`)
    const found = path.startsWith('/users') ? body.users : body.rooms
    expect({ offset, total: body.paging.total, ids: found.map(({ id }) => id) }).toEqual({
      offset,
      total: all.length,
      ids: all.slice(Math.max(0, offset)).slice(0, 3),
    })
  }
})
