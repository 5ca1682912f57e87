import { beforeEach, describe, expect, test } from 'vitest'
import { importFixture } from '../../helpers/imports.ts'
import { answer } from '../../helpers/world.ts'

const { world, run, user } = importFixture()
let room: string
const readBlocked = async () =>
  Object.fromEntries(
    (await world.send('GET', `/rooms/${room}/members`)).body.members
      .map(({ user_id, is_blocked }: any) => [user_id, is_blocked])
      .sort(),
  )
const line = 'members import class.csv --concurrency 1'

beforeEach(async () => {
  room = await world.room('Maths', 'private')
  for (const user_id of ['ada', 'bob', 'eve']) {
    await user(user_id)
    const { body } = await world.send('POST', `/rooms/${room}/members`, { user_id, type: 'guest' })
    const is_blocked = user_id !== 'ada'
    await world.send('PUT', `/rooms/${room}/members/${body.member.id}`, { is_blocked })
  }
  world.file(
    'class.csv',
    `room_id,user_id,type\n${['ada', 'bob', 'eve'].map((id) => `${room},${id},host\n`).join('')}`,
  )
})

describe('members import of existing members that are blocked', () => {
  test.each(['update', 'overwrite', 'skip'])(
    'members import --if-exists %s prints a command that unblocks the existing blocked members',
    async (how) => {
      const { code, stderr } = await run(`${line} --if-exists ${how} --base-url https://meet.test/v1`)
      expect(code).toBe(0)
      expect(stderr).toContain(
        '2 of the members in the file are blocked; unblock them with: meetroom members import class.csv --concurrency 1 --if-exists update --unblock --base-url https://meet.test/v1\n',
      )
      expect(await readBlocked()).toEqual({ ada: false, bob: true, eve: true })
    },
  )

  test('members import counts the blocked members of concurrent rows', async () => {
    const { stderr } = await run('members import class.csv --concurrency 3 --if-exists skip')
    expect(stderr).toContain('2 of the members in the file are blocked; ')
  })

  test('members import --unblock sends is_blocked: false only for existing blocked members', async () => {
    const { code, stderr } = await run(`${line} --if-exists update --unblock`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'imported 3 of 3 members: updated 3\n' })
    expect(await readBlocked()).toEqual({ ada: false, bob: false, eve: false })
    const bodies = world.requests
      .filter(({ method }) => method === 'PUT')
      .map(({ body }) => JSON.parse(body ?? ''))
    expect(bodies).toEqual([
      { type: 'host' },
      { type: 'host', is_blocked: false },
      { type: 'host', is_blocked: false },
    ])
  })

  test('members import --unblock keeps an existing member blocked if the row has is_blocked: true', async () => {
    world.file('class.csv', `room_id,user_id,is_blocked\n${room},bob,true\n${room},eve,\n`)
    expect((await run(`${line} --if-exists update --unblock --yes`)).code).toBe(0)
    expect(await readBlocked()).toEqual({ ada: false, bob: true, eve: false })
  })

  test('members import --unblock requires --if-exists update or overwrite', async () => {
    expect(await run(`${line} --unblock`)).toMatchObject({
      code: 2,
      stderr: 'error: --unblock needs --if-exists update or --if-exists overwrite\n',
    })
  })
})

describe('rooms import of rooms with blocked members', () => {
  const members = ['ada', 'bob', 'eve'].map((user_id) => ({ user_id, type: 'guest' }))
  const written = () =>
    world.file('rooms.ndjson', `${JSON.stringify({ id: room, name: 'Maths', type: 'private', members })}\n`)
  const hint = (file: string, flags = '') =>
    `2 of the members in the file are blocked; unblock them with: meetroom rooms import ${file}${flags} --if-exists update --unblock`

  test.each([
    '--if-exists update',
    '--if-exists overwrite',
    '--if-exists skip',
    '--if-exists update --dry-run',
    '--if-exists skip --dry-run',
  ])('rooms import %s prints a command that unblocks the existing blocked members', async (flags) => {
    written()
    const { code, stderr } = await run(`rooms import rooms.ndjson ${flags}`)
    expect(code).toBe(0)
    expect(stderr).toContain(hint('rooms.ndjson'))
    expect(await readBlocked()).toEqual({ ada: false, bob: true, eve: true })
  })

  test('rooms import --group-by name counts the blocked members of existing rooms', async () => {
    world.file(
      'roster.csv',
      'name,type,user_id\nMaths,private,ada\nMaths,private,bob\nMaths,private,eve\nArt,private,bob\n',
    )
    const { stderr } = await run('rooms import roster.csv --group-by name --if-exists update --dry-run')
    expect(stderr).toContain(hint('roster.csv', ' --group-by name'))
  })

  test('rooms import --unblock updates only the blocked members', async () => {
    written()
    const { code, stderr } = await run('rooms import rooms.ndjson --if-exists update --unblock')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'imported 1 of 1 room: updated 1\n' })
    expect(await readBlocked()).toEqual({ ada: false, bob: false, eve: false })
    const writes = world.requests.filter(({ method, url }) => method === 'PUT' && url.includes('/members/'))
    expect(writes).toHaveLength(2)
  })

  test('rooms import --unblock keeps a member blocked if the row has is_blocked: true', async () => {
    const row = {
      id: room,
      name: 'Maths',
      type: 'private',
      members: members.map((member) => ({ ...member, is_blocked: member.user_id === 'bob' || undefined })),
    }
    world.file('rooms.ndjson', `${JSON.stringify(row)}\n`)
    expect((await run('rooms import rooms.ndjson --if-exists update --unblock --yes')).code).toBe(0)
    expect(await readBlocked()).toEqual({ ada: false, bob: true, eve: false })
  })

  test('rooms import prints no command that unblocks members if the service refuses the requests for member lists', async () => {
    written()
    world.intercept = async (request, next) => (request.url.includes('/members') ? answer(403, {}) : next())
    const { code, stderr } = await run('rooms import rooms.ndjson --if-exists skip')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'imported 0 of 1 room; 1 skipped\n' })
  })
})

describe('an import with --dry-run', () => {
  test('members import --dry-run prints the members that it would block or unblock', async () => {
    world.file(
      'class.csv',
      `room_id,user_id,is_blocked\n${room},ada,true\n${room},bob,false\n${room},eve,true\n`,
    )
    const { stdout, stderr } = await run(`${line} --if-exists update --dry-run -o ndjson`)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text).status),
    ).toEqual(['would_block', 'would_unblock', 'would_update'])
    expect(stderr).toContain(
      'would create 0, update 1, block 1, unblock 1, skip 0 of 3 members; 0 would fail\n',
    )
    const unblocking = await run(
      `members import class.csv --if-exists overwrite --dry-run --unblock -o ndjson`,
    )
    expect(unblocking.stdout).toContain('would_block')
  })

  test('users import --dry-run aligns the columns of its table if a late row has a long key', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => (i === 299 ? 'x'.repeat(60) : `u${i}`))
    world.file('people.csv', `user_id\n${ids.join('\n')}\n`)
    const { stdout } = await run('users import people.csv --dry-run --no-color')
    const starts = stdout
      .split('\n')
      .filter(Boolean)
      .map((text) => text.search(/STATUS|would_create/))
    expect(new Set(starts.filter((at) => at >= 0)).size).toBe(1)
    expect(starts.filter((at) => at >= 0)).toHaveLength(301)
  })
})
