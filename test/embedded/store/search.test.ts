import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestWorkspace } from '../../helpers/wire.ts'
import { sized } from '../../suites/size.ts'

/** Few characters, so that texts often contain each other. */
const characters = [...`aAbéÉ@"'*%_\\ 👋\x80\u0100\ufffd\uffff`]
const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...characters), maxLength })

test('email_search_query finds the same users as a scan of all emails', async () => {
  const { store, send } = await openTestWorkspace()
  const user = fc.record({ id: text(8), email: fc.option(text(8)) })
  const page = fc.record({ text: text(5), limit: fc.integer({ min: 1, max: 4 }), offset: fc.nat({ max: 3 }) })
  const users = fc.uniqueArray(user, { maxLength: 20, selector: ({ id }) => id })
  await fc.assert(
    fc.asyncProperty(users, fc.array(page, { minLength: 5, maxLength: 10 }), async (users, pages) => {
      await store.write(() => {
        store.run('DELETE FROM users')
        for (const { id, email } of users)
          store.run(
            `INSERT INTO users (id, user_id, default_member_type, email, access_token, created_at, updated_at)
             VALUES (?, ?, 'guest', ?, ?, 0, 0)`,
            ...[id, id, email, id],
          )
      })
      // Only ASCII letters match regardless of case.
      const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      for (const { text, limit, offset } of pages) {
        const ids = users
          .filter(({ id, email }) => {
            const searched = email ?? (id.includes('@') ? id : undefined)
            return searched !== undefined && fold(searched).includes(fold(text))
          })
          .map(({ id }) => id)
          .reverse()
        const query = `email_search_query=${encodeURIComponent(text)}&limit=${limit}&offset=${offset}`
        const { users: found, paging } = (await send('GET', `/users?${query}`)).body
        expect({ text, ids: found.map(({ id }) => id), total: paging.total }).toEqual({
          text,
          ids: ids.slice(offset, offset + limit),
          total: ids.length,
        })
      }
    }),
    { numRuns: sized(20, 200) },
  )
})

test('email_search_query with 60,000 characters finds one user', async () => {
  const { send } = await openTestWorkspace()
  const email = 'é'.repeat(60_000)
  await send('POST', '/users', { user_id: 'long', email })
  await send('POST', '/users', { user_id: 'short', email: 'é' })
  const { users, paging } = (await send('GET', `/users?email_search_query=${encodeURIComponent(email)}`)).body
  expect([users.map(({ user_id }) => user_id), paging.total]).toEqual([['long'], 1])
})
