import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createTurnScheduler } from '../../../src/embedded/common/turn-scheduler.ts'
import { foldedEmail, hasUnindexed, indexEmails } from '../../../src/embedded/store/emails.ts'
import { searchEmails } from '../../../src/embedded/store/search.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { serveWorkspace } from '../../helpers/live.ts'
import { soon } from '../../helpers/waiting.ts'
import { openTestWorkspace, type TestWorkspace } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

/**
 * Few different characters, so that texts are often part of each other: letter case, quotes, wildcards, more bytes than
 * one, and the two that LIKE takes for each other.
 */
const characters = [...`aAbéÉ@"'*%_\\ 👋\ufffd\uffff`]
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...characters), maxLength })

const step = fc.oneof(
  fc.record({ does: fc.constant('add'), id: text(8), email: fc.option(text(8)) }),
  fc.record({ does: fc.constant('change'), id: text(8), email: fc.option(text(8)) }),
  fc.record({ does: fc.constant('delete'), id: text(8), email: fc.constant(null) }),
  fc.record({ does: fc.constant('index'), id: fc.constant(''), email: fc.constant(null) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Steps that share a commit, and whether each is taken back. */
const batch = fc.array(fc.tuple(step, fc.constantFrom(false, false, false, true)), { maxLength: 10 })

/** Inside `store.write`. */
function apply({ store }: TestWorkspace, { does, id, email }: Step): void {
  if (does === 'add')
    store.run(
      `INSERT INTO users (id, user_id, default_member_type, email, access_token, created_at, updated_at)
       VALUES (?, ?, 'guest', ?, ?, 0, 0) ON CONFLICT (user_id) DO UPDATE SET email = excluded.email`,
      ...[id, id, email, id],
    )
  // Somebody, wherever the id would stand among the others.
  const somebody = '(SELECT seq FROM users WHERE user_id >= ? ORDER BY user_id LIMIT 1)'
  if (does === 'change') store.run(`UPDATE users SET email = ? WHERE seq = ${somebody}`, email, id)
  if (does === 'delete') store.run(`DELETE FROM users WHERE seq = ${somebody}`, id)
  if (does === 'index') indexEmails(store, 3)
}

test('a search finds the same users as a scan of all emails after any changes', async () => {
  const workspace = await openTestWorkspace()
  const { store } = workspace
  const page = fc.record({ text: text(5), limit: fc.integer({ min: 1, max: 4 }), offset: fc.nat({ max: 3 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { maxLength: 4 }),
      fc.array(page, { minLength: 5, maxLength: 10 }),
      async (batches, pages) => {
        await store.write(() => store.run('DELETE FROM users'))
        for (const batch of batches)
          await Promise.allSettled(
            batch.map(async ([each, fails]) =>
              store.write(() => {
                apply(workspace, each)
                if (fails) throw new Error('taken back')
              }),
            ),
          )
        for (const { text, limit, offset } of pages) {
          const ids = store
            .all<{ id: string }>(
              `SELECT id FROM users WHERE instr(${foldedEmail}, lower(?)) > 0 ORDER BY seq DESC`,
              text,
            )
            .map(({ id }) => id)
          const found = await searchEmails(store, createTurnScheduler(), { text, limit, offset })
          expect({ ids: found.rows.map(({ id }) => id), total: found.total }).toEqual({
            ids: ids.slice(offset, offset + limit),
            total: ids.length,
          })
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('a search among many users yields to other requests, and its result stays correct after their changes', async () => {
  const { store, send } = await openTestWorkspace()
  await store.write(() =>
    store.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
       INSERT INTO users (id, user_id, default_member_type, access_token, created_at, updated_at)
       SELECT i, i || '@example.com', 'guest', i, 0, 0 FROM n`,
    ),
  )
  const order: string[] = []
  const search = send('GET', '/users?email_search_query=9@ex').then(({ body }) => {
    order.push('search')
    return body.paging.total
  })
  await send('GET', '/users/1@example.com')
  order.push('read')
  expect(await search).toBe(10_000)
  expect(order).toEqual(['read', 'search'])
})

test('a search finds every matching user, even if some index entries are missing or outdated', async () => {
  const workspace = await openTestWorkspace()
  const { store, send } = workspace
  const total = async (text: string) =>
    (await send('GET', `/users?email_search_query=${text}`)).body.paging.total
  await store.write(() => {
    store.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
       INSERT INTO users (id, user_id, default_member_type, access_token, created_at, updated_at)
       SELECT i, i || '@old.test', 'guest', i, 0, 0 FROM n`,
    )
    indexEmails(store, 6000)
  })
  expect([await total('old.test'), await total('99@old')]).toEqual([6000, 60])
  await send('POST', '/users', { user_id: 'new99@old.test' })
  expect([await total('old.test'), await total('99@old')]).toEqual([6001, 61])
  await store.write(() => store.run(`UPDATE users SET email = seq || '@new.test' WHERE seq > 4500`))
  expect([await total('old.test'), await total('new.test'), await total('6000@')]).toEqual([4500, 1501, 1])
})

test('indexing in steps of one user completes, and resumes after a change', async () => {
  const { store, send } = await openTestWorkspace()
  for (const id of ['a@b.test', 'b', 'c@d.test']) await send('POST', '/users', { user_id: id })
  expect(hasUnindexed(store)).toBe(true)
  for (let i = 0; i < 3; i++) await store.write(() => indexEmails(store, 1))
  expect(hasUnindexed(store)).toBe(false)
  await send('PUT', '/users/b', { email: 'b@d.test' })
  expect(hasUnindexed(store)).toBe(true)
  await store.write(() => indexEmails(store, 1))
  expect(hasUnindexed(store)).toBe(false)
  expect((await send('GET', '/users?email_search_query=D.TEST')).body.paging.total).toBe(2)
})

test('the service indexes users between writes', async () => {
  const dir = tempDir()
  const served = await serveWorkspace({ dir })
  for (const id of ['a@b.test', 'b@b.test']) await served.user(id)
  const db = await openSqlite(join(dir, 'workspace.db'), (load) => load())
  onTestFinished(() => db.close())
  const indexed = () => db.prepare('SELECT emails_indexed AS seq FROM workspace').get()
  expect(indexed()).toMatchObject({ seq: 0 })
  served.machine.advance(1000)
  await soon('the index', untilIndexed())
  async function untilIndexed() {
    while ((indexed() as { seq: number }).seq < 2) await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await served.ask('GET', '/users?email_search_query=a@b')).paging.total).toBe(1)
})
