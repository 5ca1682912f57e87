import { beforeEach, describe, expect, test } from 'vitest'
import type { unrestoredFields } from '../../../src/cli/import/unrestored.ts'
import { createImportWorld, type ImportWorld } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'

const formats = ['csv', 'ndjson', 'json'] as const
type Things = Record<string, any>[]

const world = perTest(createImportWorld)

const all = async ({ send }: ImportWorld, path: string): Promise<Things> =>
  Object.values((await send('GET', path)).body)[0] as Things

describe('an export', () => {
  test.each([
    ['users', 'access tokens, internal IDs, times and order'],
    ['rooms', 'IDs, webhooks, pages, sessions, recordings, thumbnails, times and order'],
    ['members', 'access tokens, IDs, anonymous participants, times and order'],
  ])('%s export prints a notice that an import elsewhere does not restore %s', async (kind, words) => {
    const room = await world.room('One')
    await world.send('POST', '/users', { user_id: 'ada' })
    await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada' })
    const left = kind !== 'rooms' ? ', without access tokens (--show-tokens includes them)' : ''
    const command = `${kind} export${kind === 'members' ? ' --all-rooms' : ''}`
    for (const format of formats)
      expect(await world.run(`${command} -o ${format}`)).toMatchObject({
        code: 0,
        stderr: `exported 1 ${kind.slice(0, -1)}${left}\nan import elsewhere does not restore ${words}\n`,
      })
    expect((await world.run(`${command} --quiet`)).stderr).toBe('')
  })

  test('rooms export of 0 rooms prints no notice about lost fields', async () => {
    expect((await world.run('rooms export')).stderr).toBe('exported 0 rooms\n')
  })
})

describe.each(formats)('an import of a %s export into another service', (format) => {
  let other: ImportWorld
  let before: Record<keyof typeof unrestoredFields, Things>
  let after: Record<keyof typeof unrestoredFields, Things>
  let bodies: Things
  beforeEach(async () => {
    other = await createImportWorld()
    for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
    const webhook = { url: 'https://hook.test/', secret: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0' }
    for (const name of ['One', 'Two'])
      await world.send('POST', '/rooms', { name, type: 'private', webhook, members: [{ user_id: 'ada' }] })
    for (const { id } of await all(world, '/rooms')) {
      await world.send('POST', `/rooms/${id}/pages`, { pages: [{ entities: [] }] })
      await world.send('POST', `/rooms/${id}/members`, { user_id: 'grace' })
    }
    const contents = async (from: ImportWorld) => {
      const rooms = await all(from, '/rooms')
      const members = await Promise.all(rooms.map(({ id }) => all(from, `/rooms/${id}/members`)))
      return { users: await all(from, '/users'), rooms, members: members.flat() }
    }
    before = await contents(world)
    for (const [kind, flags] of [['users'], ['rooms'], ['members', '--all-rooms']] as const)
      other.file(
        `${kind}.${format}`,
        (await world.run(`${kind} export ${flags ?? ''} -o ${format}`.replace('  ', ' '))).stdout,
      )
    // Sequential requests keep the order of the file.
    const slow = ['--concurrency', '1']
    await other.run(['users', 'import', `users.${format}`, ...slow])
    const made = await other.run(['rooms', 'import', `rooms.${format}`, '-o', 'ndjson', ...slow])
    other.file('ids.ndjson', made.stdout)
    await other.run(['members', 'import', `members.${format}`, '--room-ids', 'ids.ndjson', ...slow])
    after = await contents(other)
    bodies = other.requests.flatMap(({ body }) => (body ? [JSON.parse(body)] : []))
  })

  const keyOf = ({ user_id, name }: Things[number]) => user_id ?? name
  const pairs = (kind: keyof typeof unrestoredFields) =>
    before[kind].map((was) => [was, after[kind].find((is) => keyOf(is) === keyOf(was)) ?? {}] as const)

  test(`an import of a ${format} export into another service creates every item`, () => {
    for (const kind of ['users', 'rooms', 'members'] as const)
      expect(after[kind].map(keyOf).sort()).toEqual(before[kind].map(keyOf).sort())
  })

  test(`an import of a ${format} export into another service creates new IDs and access tokens`, () => {
    for (const kind of ['users', 'rooms', 'members'] as const)
      for (const [was, is] of pairs(kind)) expect(is['id']).not.toBe(was['id'])
    for (const [was, is] of pairs('users')) expect(is['access_token']).not.toBe(was['access_token'])
  })

  test(`an import of a ${format} export into another service reverses the order of users and rooms in lists`, () => {
    expect(after.users.map(keyOf)).toEqual(before.users.map(keyOf).reverse())
    expect(after.rooms.map(keyOf)).toEqual(before.rooms.map(keyOf).reverse())
  })

  test(`an import of a ${format} export into another service sends no timestamps, webhooks or room contents`, () => {
    const fields = new Set(bodies.flatMap(Object.keys))
    expect([...fields].filter((field) => field.endsWith('_at') || field.endsWith('_time'))).toEqual([])
    for (const field of ['webhook', 'pages', 'sessions', 'thumbnail_url']) expect(fields).not.toContain(field)
  })
})
