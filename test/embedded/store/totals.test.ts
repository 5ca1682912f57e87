import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockRows, countBlocks } from '../../../src/embedded/store/counts.ts'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

const layouts = ['default', 'grid', '', '=grid'] as const

/** Adds many users and rooms at once: totals are kept per 1,024 of them. */
function grow({ store }: TestWorkspace, count: number) {
  const made = store.one<{ seq: number }>('SELECT max(seq) AS seq FROM sqlite_sequence')?.seq ?? 0
  fill(store, made + 1, count)
  for (const table of ['users', 'rooms'] as const) {
    // Conflicts use up numbers of users, and none of rooms.
    const last = store.one<{ seq: number }>(`SELECT max(seq) AS seq FROM ${table}`)?.seq ?? 0
    countBlocks(store, table, last - (last % blockRows))
  }
}

function fill(store: Pick<TestWorkspace['store'], 'run'>, first: number, count: number) {
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)'
  store.run(
    `${numbers} INSERT INTO users (id, user_id, default_member_type, access_token, created_at, updated_at)
     SELECT 'u' || i, 'u' || i, 'guest', 't' || i, 0, 0 FROM n`,
    first,
    first + count - 1,
  )
  store.run(
    `${numbers} INSERT INTO rooms (id, type, name, layout, record, terminated_at, created_at, updated_at)
     SELECT 'r' || i, 'open', 'R' || i % 7, CASE i % 5 WHEN 0 THEN 'grid' WHEN 1 THEN '' WHEN 2 THEN '=grid' ELSE 'default' END,
       0, CASE WHEN i % 3 = 0 THEN 1 END, 0, 0 FROM n`,
    first,
    first + count - 1,
  )
}

/** Something that a workspace goes through; `at` chooses where, from 0 to 1. */
const step = fc.record({
  what: fc.constantFrom('grow', 'grow', 'delete', 'terminate', 'reopen', 'relayout', 'override', 'fail'),
  count: fc.integer({ min: 1, max: 1500 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  layout: fc.constantFrom(...layouts),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class Rejected extends Error {}

/** Inside `store.write`. */
function apply(workspace: TestWorkspace, { what, count, at, layout }: Step): void {
  const { store } = workspace
  const made = store.one<{ seq: number }>('SELECT max(seq) AS seq FROM sqlite_sequence')?.seq ?? 0
  const from = Math.floor(at * made)
  const some = (sql: string) =>
    store.run(`${sql} WHERE seq IN (SELECT seq FROM rooms WHERE seq >= ? LIMIT ?)`, from, count)
  switch (what) {
    case 'grow':
      grow(workspace, count)
      return
    case 'delete':
      some('DELETE FROM rooms')
      store.run('DELETE FROM users WHERE seq BETWEEN ? AND ?', from, from + count)
      return
    case 'terminate':
      some('UPDATE rooms SET terminated_at = 1')
      return
    case 'reopen':
      some('UPDATE rooms SET terminated_at = NULL')
      return
    case 'relayout':
      some(`UPDATE rooms SET layout = '${layout}'`)
      return
    case 'override':
      // A conflict uses up a `seq`, so that some blocks have holes.
      for (let i = 0; i < count % 50; i++)
        store.run(
          `INSERT INTO users (id, user_id, default_member_type, access_token, created_at, updated_at)
           SELECT 'x' || user_id, user_id, 'guest', 'x' || user_id, 0, 0 FROM users WHERE true LIMIT 1
           ON CONFLICT (user_id) DO NOTHING`,
        )
      return
    case 'fail':
      grow(workspace, count)
      some('UPDATE rooms SET layout = layout || 1')
      throw new Rejected()
  }
}

/** Compares what lists say with counting and stepping. */
async function expectCounted({ send, store }: TestWorkspace, at: number) {
  const lists: [path: string, sql: string][] = [
    ['/users?', 'users WHERE true'],
    ['/rooms?', 'rooms WHERE true'],
    ['/rooms?is_terminated=true&', 'rooms WHERE terminated_at IS NOT NULL'],
    ['/rooms?is_terminated=false&', 'rooms WHERE terminated_at IS NULL'],
    ['/rooms?name=R3&is_terminated=false&', "rooms WHERE name = 'R3' AND terminated_at IS NULL"],
    ...layouts.flatMap((layout): [string, string][] => [
      [`/rooms?layout=${layout}&`, `rooms WHERE layout = '${layout}'`],
      [
        `/rooms?layout=${layout}&is_terminated=true&`,
        `rooms WHERE layout = '${layout}' AND terminated_at IS NOT NULL`,
      ],
    ]),
  ]
  for (const [path, sql] of lists) {
    const total = store.one<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`)?.n ?? 0
    const offset = Math.floor(at * (total + 2))
    const { body } = await send('GET', `${path}limit=3&offset=${offset}`)
    const ids = store.all<{ id: string }>(`SELECT id FROM ${sql} ORDER BY seq DESC LIMIT 3 OFFSET ?`, offset)
    const found = path.startsWith('/users') ? body.users : body.rooms
    expect({ path, total: body.paging.total, ids: found.map(({ id }) => id) }).toEqual({
      path,
      total,
      ids: ids.map(({ id }) => id),
    })
  }
}

test('totals and pages equal a recount after any additions, changes, deletions and rollbacks', async () => {
  const grown = (count: number) => ({ what: 'grow', count, at: 0, layout: 'default' }) as const
  const conflicts = { what: 'override', count: 9, at: 0, layout: 'default' } as const
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const workspace = await openTestWorkspace()
      for (const each of steps) {
        // Two at once share a commit.
        const results = await Promise.allSettled(
          [each, { ...each, at: each.at / 2 }].map(async (one) =>
            workspace.store.write(() => apply(workspace, one)),
          ),
        )
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(Rejected)
        await expectCounted(workspace, each.at)
      }
      workspace.close()
    }),
    // The rooms end 18 before a block does, and the users with it.
    { numRuns: 10, examples: [[[grown(1), conflicts, grown(1404), grown(1268)]]] },
  )
})

test('a workspace of an earlier version gets stored totals when it is opened', async () => {
  const dir = tempDir()
  const db = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  for (const migration of migrations.slice(0, 3)) db.exec(migration)
  db.exec('PRAGMA user_version = 3')
  fill({ run: (sql, ...values) => Number(db.prepare(sql).run(...values).changes) }, 1, 3000)
  db.exec('DELETE FROM rooms WHERE seq BETWEEN 900 AND 1100')
  db.close()
  const workspace = await openTestWorkspace(dir)
  await expectCounted(workspace, 0.8)
  await workspace.store.write(() => grow(workspace, 2000))
  await expectCounted(workspace, 0.3)
})

test.each(['user_places', 'room_places'])('a count of a block in %s reads only that block', async (view) => {
  const { store } = await openTestWorkspace()
  const plan = store.all<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT block, count(*) FROM ${view}
     WHERE seq >= (SELECT rooms_counted FROM workspace) AND seq < 2048 GROUP BY block`,
  )
  expect(plan.filter(({ detail }) => /^SCAN (users|rooms)/.test(detail))).toEqual([])
  expect(plan.filter(({ detail }) => /^SEARCH (users|rooms)/.test(detail))).toHaveLength(1)
})

test('users and rooms added one by one are counted in blocks of 1,024', async () => {
  const { send, store } = await openTestWorkspace()
  for (let i = 0; i < 1030; i++) {
    await send('POST', '/users', { user_id: `u${i}` })
    await send('POST', '/rooms', { name: 'R', type: 'open' })
  }
  expect(store.all('SELECT users_counted, rooms_counted FROM workspace')).toEqual([
    { users_counted: 1024, rooms_counted: 1024 },
  ])
  for (const list of ['users', 'rooms']) expect((await send('GET', `/${list}`)).body.paging.total).toBe(1030)
})

test('a workspace filled or restored by SQL is counted when it is opened', async () => {
  const dir = tempDir()
  const counted = ({ store }: TestWorkspace) =>
    store.all<object>('SELECT users_counted, rooms_counted FROM workspace')
  const filled = await openTestWorkspace(dir)
  await filled.store.write(() => fill(filled.store, 1, 10_000))
  expect(counted(filled)).toEqual([{ users_counted: 0, rooms_counted: 0 }])
  filled.close()

  const opened = await openTestWorkspace(dir)
  expect(counted(opened)).toEqual([{ users_counted: 9216, rooms_counted: 9216 }])
  await expectCounted(opened, 0.5)
  await opened.store.write(() => {
    opened.store.run('DELETE FROM room_counts')
    opened.store.run('DELETE FROM user_counts')
  })
  opened.close()

  const restored = await openTestWorkspace(dir)
  expect(counted(restored)).toEqual([{ users_counted: 9216, rooms_counted: 9216 }])
  await expectCounted(restored, 0.5)
})
