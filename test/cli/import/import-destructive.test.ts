import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { importFixture, journalOf, resultsOf } from '../../helpers/imports.ts'

const { world, run } = importFixture()

describe('the termination of existing rooms by an import', () => {
  let ids: string[]
  const line = 'rooms import rooms.csv --if-exists update'
  beforeEach(async () => {
    ids = [await world.room('A'), await world.room('B'), await world.room('C')]
    const [a, b, c] = ids
    await world.send('PUT', `/rooms/${c}`, { is_terminated: true })
    world.file(
      'rooms.csv',
      `id,name,type,is_terminated\n${a},A,open,true\n${b},B,open,false\n${c},C,open,true\n`,
    )
  })

  test('rooms import confirms the termination of existing rooms, and --max limits only terminated rooms', async () => {
    expect(await run(line)).toMatchObject({
      code: 10,
      stderr:
        'error: terminating rooms needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n',
    })
    expect(world.writes()).toEqual([])
    expect(world.read(journalOf('rooms.csv', 'rooms'))).toBeUndefined()
    expect(await run(`${line} --yes --max 1`)).toMatchObject({ code: 0 })
    expect(world.writes()).toHaveLength(3)
  })

  test('rooms import names the existing room to terminate in its prompt', async () => {
    const { host, done } = world.start(line.split(' '), { tty: true, columns: 200 })
    setImmediate(() => host.type('y\n'))
    const { code, stderr } = await done
    expect(code).toBe(0)
    const asked = stripVTControlCharacters(stderr).replaceAll(/\s*\n\s*/g, ' ')
    expect(asked).toContain(`Terminate room “A” (${ids[0]}), at https://meet.test (profile default)?`)
  })

  test('rooms import refuses to terminate more existing rooms than --max allows', async () => {
    world.file('rooms.csv', `id,name,type,is_terminated\n${ids[0]},A,open,true\n${ids[1]},B,open,true\n`)
    expect(await run(`${line} --yes --max 1`)).toMatchObject({
      code: 10,
      stderr:
        'error: the command would terminate 2 rooms, but --max allows 1; nothing was changed\nhint: pass --max 2 to affect all items\n',
    })
    expect(world.writes()).toEqual([])
  })

  test('rooms import creates terminated rooms without confirmation', async () => {
    world.file('rooms.csv', 'name,type,is_terminated\nNew,open,true\n')
    expect(await run('rooms import rooms.csv --match name --if-exists update')).toMatchObject({ code: 0 })
    world.file('again.csv', 'name,type,is_terminated\nNew,open,true\n')
    expect(await run('rooms import again.csv')).toMatchObject({ code: 0 })
  })
})

test('members import exits 10 without a terminal and --yes if it blocks existing members', async () => {
  const room = await world.room('A', 'private')
  for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
  await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada' })
  world.file('members.csv', 'user_id,is_blocked\nada,true\ngrace,true\n')
  const line = `members import members.csv --room ${room} --if-exists overwrite`
  expect(await run(line)).toMatchObject({
    code: 10,
    stderr: expect.stringContaining('error: blocking members needs confirmation'),
  })
  expect(await run(`${line} --yes`)).toMatchObject({ code: 0 })
})

describe('import --dry-run', () => {
  test('members import --dry-run looks up the users and the rooms of its rows', async () => {
    const room = await world.room('A')
    await world.send('POST', '/users', { user_id: 'ada' })
    world.file('members.csv', `room_id,user_id\n${room},ada\n${room},nobody\nnowhere,ada\n${room},nobody2\n`)
    const { code, stdout } = await run('members import members.csv --dry-run -o ndjson')
    expect({ code, results: resultsOf(stdout).map(({ status, error }) => error ?? status) }).toEqual({
      code: 8,
      results: ['would_create', 'no such user: nobody', 'no such room: nowhere', 'no such user: nobody2'],
    })
  })

  test('members import --dry-run looks up each user only once', async () => {
    const rooms = [await world.room('A'), await world.room('B')]
    await world.send('POST', '/users', { user_id: 'ada' })
    world.file('members.csv', `room_id,user_id\n${rooms[0]},ada\n${rooms[1]},ada\n`)
    expect(await run('members import members.csv --dry-run')).toMatchObject({ code: 0 })
    expect(world.sent().filter((line) => line === 'GET /users/ada')).toHaveLength(1)
  })

  test('rooms import --dry-run exits 1 if a user is missing', async () => {
    world.file('rooms.ndjson', '{"name":"A","type":"open","members":[{"user_id":"nobody"}]}\n')
    expect(await run('rooms import rooms.ndjson --dry-run -o ids')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such user: nobody'),
    })
  })

  test('members import --dry-run looks up at most 1000 users', async () => {
    const room = await world.room('A')
    const rows = Array.from({ length: 1002 }, (_, i) => `u${i}\n`).join('')
    world.file('members.csv', `user_id\n${rows}`)
    const { stderr } = await run(`members import members.csv --room ${room} --dry-run -o ids`)
    expect(stderr).toMatch(/^only the first 1000 users are read\n/)
    expect(world.requests.length).toBeLessThan(1010)
  })
})
