import { describe, expect, test } from 'vitest'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

async function createUsers(...users: [user_id: string, name: string | null, email: string | null][]) {
  for (const [user_id, name, email] of users) await world.send('POST', '/users', { user_id, name, email })
}

async function listRows(): Promise<{ rows: string[]; stderr: string }> {
  const columns = ['--columns', 'group,same,user_id', '--no-header', '-o', 'tsv']
  const { code, stdout, stderr } = await world.run(['users', 'duplicates', ...columns])
  expect(code).toBe(0)
  return { rows: stdout.split('\n').slice(0, -1), stderr }
}

describe('users duplicates', () => {
  test('users duplicates groups users by email regardless of case, and by name regardless of accents', async () => {
    await createUsers(
      ['jose', 'José Müller', 'jm@example.com'],
      ['jm2', 'X', ' JM@Example.com '],
      ['jm3', ' JOSE  Muller', 'jm3@example.com'],
      ['other', 'Jose M', 'josé@example.com'],
      ['last', 'Last', 'jose@example.com'],
    )
    expect(await listRows()).toEqual({
      rows: ['1\temail\tjose', '1\temail\tjm2', '2\tname\tjose', '2\tname\tjm3'],
      stderr: '',
    })
  })

  test('users duplicates groups names regardless of umlaut spelling, commas and word order', async () => {
    await createUsers(
      ['mueller', 'Jörg Mueller', null],
      ['muller', 'muller jorg', null],
      ['umlaut', 'Mu\u0308ller, Jo\u0308rg', null],
      ['weiss', 'WEISS Anna', null],
      ['weiß', 'Anna Weiß', null],
      ['michael', 'Michael Schmidt', null],
      ['michal', 'Michal Schmidt', null],
      ['comma', ' , ', null],
      ['commas', ',,', null],
    )
    expect((await listRows()).rows).toEqual([
      ...['1\tname\tweiss', '1\tname\tweiß'],
      ...['2\tname\tmueller', '2\tname\tmuller', '2\tname\tumlaut'],
    ])
  })

  test('users duplicates ignores missing, empty and whitespace-only names and emails', async () => {
    await createUsers(['a', '', null], ['b', '', null], ['c', null, ''], ['d', ' ', ' '])
    expect((await listRows()).rows).toEqual([])
  })

  test('users duplicates prints a table with a summary, or a notice if no duplicates exist', async () => {
    await createUsers(['a', 'Ada', 'a@example.com'])
    expect(await world.run('users duplicates')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no users with the same email or name\n',
    })
    await createUsers(['b', 'ada', 'b@example.com'])
    const { stdout, stderr } = await world.run('users duplicates --columns group,same,user_id,name,email')
    expect(stderr).toBe('1 group of users with the same email or name\n')
    expect(stdout).toBe(
      [
        'GROUP  SAME  USER ID  NAME  EMAIL',
        '─────  ────  ───────  ────  ─────────────',
        '1      name  a        Ada   a@example.com',
        '1      name  b        ada   b@example.com',
        '',
      ].join('\n'),
    )
  })

  test('users duplicates prints each user once with -o ids, and omits access tokens in JSON', async () => {
    await createUsers(['a', 'Ada', 'a@example.com'], ['b', 'Ada', 'a@example.com'])
    expect((await world.run('users duplicates -o ids')).stdout).toBe('a\nb\n')
    const { duplicates } = JSON.parse((await world.run('users duplicates --json')).stdout)
    expect(duplicates).toHaveLength(4)
    expect(Object.keys(duplicates[0])).toEqual(['group', 'same', 'user_id', 'name', 'email', 'created_at'])
  })

  test('users duplicates reads all pages, and requests the full users if lists omit fields', async () => {
    await createUsers(
      ['a', 'Ada', 'a@example.com'],
      ['b', 'Bea', 'b@example.com'],
      ['c', 'C', 'a@example.com'],
    )
    otherService(world, { minimalLists: true, maxLimit: 1 })
    const { rows, stderr } = await listRows()
    expect(rows).toEqual(['1\temail\ta', '1\temail\tc'])
    expect(stderr).toContain('requesting the full users one by one')
  })

  test('users duplicates compares only names and prints a notice if the service omits emails', async () => {
    await createUsers(['a', 'Ada', 'a@example.com'], ['b', 'Ada', 'a@example.com'])
    otherService(world, { without: ['email', 'created_at'], leavesNullsOut: true })
    expect(await listRows()).toEqual({
      rows: ['1\tname\ta', '1\tname\tb'],
      stderr: 'the service shows no emails; only names are compared\n',
    })
  })

  test('users duplicates compares a numeric name as text', async () => {
    const users = [
      { user_id: 1, name: 7 },
      { user_id: 2, name: '7' },
    ]
    world.intercept = async ({ url }) =>
      new URL(url).pathname.endsWith('/users')
        ? answer(200, { users, paging: { total: 2 } })
        : answer(200, { user: users[0] })
    expect((await listRows()).rows).toEqual(['1\tname\t1', '1\tname\t2'])
  })

  test('users duplicates prints the duplicates of an incomplete list and exits 8', async () => {
    const users = ['a', 'b'].map((user_id) => ({ user_id, name: 'Ada', email: null }))
    world.intercept = async ({ url }) =>
      new URL(url).searchParams.get('offset')
        ? answer(200, { users: [], paging: { total: 90 } })
        : answer(200, { users, paging: { total: 90 } })
    const { code, stdout, stderr } = await world.run('users duplicates -o ids')
    expect({ code, stdout }).toEqual({ code: 8, stdout: 'a\nb\n' })
    expect(stderr).toContain('2 of 90 users')
  })

  test.each([60, 80, 200])(
    'users duplicates prints a table that fits a terminal of %i columns',
    async (columns) => {
      await createUsers(['a'.repeat(30), 'Ada '.repeat(12), 'a@example.com'], ['b', 'Bea', 'A@example.com'])
      const { stdout } = await world.run('users duplicates --no-color', { tty: true, columns })
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([])
      expect(stdout).toContain('email')
    },
  )
})
