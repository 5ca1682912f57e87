import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

test.each([
  ['name = =ada', { user_id: 'x', name: '=Ada' }],
  ['name = =x', { user_id: '=x' }],
  ['name = ~love', { user_id: 'x', name: 'a ~lovelace' }],
])('users list --where “%s” suggests a condition that matches the operator as text', async (typed, user) => {
  await world.send('POST', '/users', user)
  const list = async (condition: string) => world.run(['users', 'list', '--where', condition, '-o', 'ids'])
  const [, meant = ''] = /--where '([^']*)'\n$/.exec((await list(typed)).stderr) ?? []
  expect(await list(meant)).toMatchObject({ code: 0, stdout: `${user.user_id}\n` })
})
