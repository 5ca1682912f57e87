import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, type ImportWorld } from '../helpers/imports.ts'

let world: ImportWorld
let room: string
/** Whether each member of the room is blocked. */
const blocked = async () =>
  Object.fromEntries(
    (await world.send('GET', `/rooms/${room}/members`)).body.members
      .map(({ user_id, is_blocked }: any) => [user_id, is_blocked])
      .sort(),
  )
const line = 'members import class.csv --concurrency 1'

beforeEach(async () => {
  world = await createImportWorld()
  room = await world.room('Maths', 'private')
  for (const user_id of ['ada', 'bob', 'eve']) {
    await world.send('POST', '/users', { user_id })
    const { body } = await world.send('POST', `/rooms/${room}/members`, { user_id, type: 'guest' })
    const is_blocked = user_id !== 'ada'
    await world.send('PUT', `/rooms/${room}/members/${body.member.id}`, { is_blocked })
  }
  world.file(
    'class.csv',
    `room_id,user_id,type\n${['ada', 'bob', 'eve'].map((id) => `${room},${id},host\n`).join('')}`,
  )
})

describe('members import of a roster with blocked members', () => {
  test.each(['update', 'overwrite', 'skip'])('says with --if-exists %s how to unblock them', async (how) => {
    const { code, stderr } = await world.run(`${line} --if-exists ${how} --base-url https://meet.test/v1`)
    expect(code).toBe(0)
    expect(stderr).toContain(
      '2 of them are blocked; unblock with: meetroom members import class.csv --concurrency 1 --if-exists update --unblock --base-url https://meet.test/v1\n',
    )
    expect(await blocked()).toEqual({ ada: false, bob: true, eve: true })
  })

  test('unblocks them with --unblock, and nobody else is written to more', async () => {
    const { code, stderr } = await world.run(`${line} --if-exists update --unblock`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'imported 3 of 3 members: updated 3\n' })
    expect(await blocked()).toEqual({ ada: false, bob: false, eve: false })
    const bodies = world.requests
      .filter(({ method }) => method === 'PUT')
      .map(({ body }) => JSON.parse(body ?? ''))
    expect(bodies).toEqual([
      { type: 'host' },
      { type: 'host', is_blocked: false },
      { type: 'host', is_blocked: false },
    ])
  })

  test('unblocks nobody whom a row blocks', async () => {
    world.file('class.csv', `room_id,user_id,is_blocked\n${room},bob,true\n${room},eve,\n`)
    expect((await world.run(`${line} --if-exists update --unblock --yes`)).code).toBe(0)
    expect(await blocked()).toEqual({ ada: false, bob: true, eve: false })
  })

  test('refuses --unblock without a way to change members', async () => {
    expect(await world.run(`${line} --unblock`)).toMatchObject({
      code: 2,
      stderr: 'error: --unblock changes members who exist: pass --if-exists update, too\n',
    })
  })
})

describe('a dry run of members import', () => {
  test('tells who would be blocked and unblocked', async () => {
    world.file(
      'class.csv',
      `room_id,user_id,is_blocked\n${room},ada,true\n${room},bob,false\n${room},eve,true\n`,
    )
    const { stdout, stderr } = await world.run(`${line} --if-exists update --dry-run -o ndjson`)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text).status),
    ).toEqual(['would_block', 'would_unblock', 'would_update'])
    expect(stderr).toContain(
      'would create 0, update 1, block 1, unblock 1, skip 0 of 3 members; 0 would fail\n',
    )
    const unblocking = await world.run(
      `members import class.csv --if-exists overwrite --dry-run --unblock -o ndjson`,
    )
    expect(unblocking.stdout).toContain('would_block')
  })

  test('aligns its table on long keys that come late', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => (i === 299 ? 'x'.repeat(60) : `u${i}`))
    world.file('people.csv', `user_id\n${ids.join('\n')}\n`)
    const { stdout } = await world.run('users import people.csv --dry-run --no-color')
    const starts = stdout
      .split('\n')
      .filter(Boolean)
      .map((text) => text.search(/STATUS|would_create/))
    expect(new Set(starts.filter((at) => at >= 0)).size).toBe(1)
    expect(starts.filter((at) => at >= 0)).toHaveLength(301)
  })
})
