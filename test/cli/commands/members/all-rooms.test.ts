import { beforeEach, describe, expect, test } from 'vitest'
import { otherService } from '../../../helpers/other-service.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'

let world: World
let room: string
let ada: string
let grace: string
beforeEach(async () => {
  world = await createWorld()
  room = (await world.send('POST', '/rooms', { name: 'Room', type: 'private' })).body.room.id
  ada = await member('ada')
  grace = await member('grace')
})

async function member(user_id: string): Promise<string> {
  await world.send('POST', '/users', { user_id })
  return (await world.send('POST', `/rooms/${room}/members`, { user_id })).body.member.id
}

const sent = () =>
  world.requests.map(({ method, url, body = '' }) =>
    `${method} ${url.slice('https://meet.test/v1/rooms'.length)} ${body}`.trim(),
  )
const writes = () => sent().filter((line) => !line.startsWith('GET'))
const list = () => `GET /${room}/members?limit=1000`
const put = (id: string, body: string) => `PUT /${room}/members/${id} ${body}`

describe('members --user', () => {
  test('members get --user selects a member by user ID', async () => {
    const { code, stdout, stderr } = await world.run(`members get ${room} --user ada -o ids`)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${ada}\n`, stderr: '' })
    expect(sent()).toEqual([list(), `GET /${room}/members/${ada}`])
  })

  test('members update --user selects a member by user ID', async () => {
    expect(await world.run(`members update ${room} --user grace --type host -o ids`)).toMatchObject({
      code: 0,
      stdout: `${grace}\n`,
      stderr: '',
    })
    expect(sent()).toEqual([list(), put(grace, '{"type":"host"}')])
  })

  test('members update --all-rooms changes the member in each room of the user', async () => {
    const other = (await world.send('POST', '/rooms', { name: 'Other', type: 'private' })).body.room.id
    await world.send('POST', '/rooms', { name: 'Third', type: 'private' })
    const second = (await world.send('POST', `/rooms/${other}/members`, { user_id: 'ada' })).body.member.id
    await world.send('PUT', `/rooms/${other}/members/${second}`, { is_blocked: true })
    const line = ['members', 'update', '--all-rooms', '--user', 'ada', '--name', 'Ada King']
    const columns = ['-o', 'csv', '--columns', 'step,room_name,status', '--no-header']
    expect(await world.run([...line, ...columns, '--yes', '--concurrency', '1'])).toMatchObject({
      code: 0,
      stdout: 'update,Other,updated\r\nupdate,Room,updated\r\n',
      stderr: 'changed the user in 2 rooms\n',
    })
    const body = '{"name":"Ada King"}'
    expect(writes()).toEqual([`PUT /${other}/members/${second} ${body}`, put(ada, body)])
    expect(await world.run([...line, ...columns, '--where', 'name=Room', '--dry-run'])).toMatchObject({
      stdout: 'update,Room,would_skip\r\n',
    })
    expect(writes()).toHaveLength(2)
    for (const [words, error] of [
      [`${room} --all-rooms --user ada --name N`, 'a room and --all-rooms cannot be used together'],
      ['--all-rooms --name N', '--all-rooms needs --user'],
      ['--all-rooms --user ada --user grace --name N', '--user takes one user, not 2'],
      ['--all-rooms --user ada --blocked', 'this command changes a block in one room only'],
      ['--user ada --name N', 'the argument “room” is missing'],
    ])
      expect(await world.run(`members update ${words}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`error: ${error}\n`),
      })
  })

  test.each([
    ['block', 'blocked', true],
    ['unblock', 'unblocked', false],
  ])('members %s --user selects several users with one list request', async (verb, past, is_blocked) => {
    const run = await world.run(
      `members ${verb} ${room} --user grace --user ada --user grace --yes -o ids --concurrency 1`,
    )
    expect(run).toMatchObject({ code: 0, stdout: `${grace}\n${ada}\n`, stderr: `${past} 2 members\n` })
    const body = JSON.stringify({ is_blocked })
    expect(sent().filter((line) => line === list())).toHaveLength(1)
    expect(writes()).toEqual([put(grace, body), put(ada, body)])
  })

  test('members block combines --user with member IDs from stdin', async () => {
    const run = await world.run(`members block ${room} - --user grace --user ada --yes -o ids`, {
      stdin: `${ada}\n`,
    })
    expect(run).toMatchObject({ code: 0, stdout: `${ada}\n${grace}\n`, stderr: 'blocked 2 members\n' })
  })

  test('members get --user selects a member on a later page of the list', async () => {
    otherService(world, { maxLimit: 1 })
    expect(await world.run(`members get ${room} --user ada -o ids`)).toMatchObject({ stdout: `${ada}\n` })
  })

  test('members get --user finds a member if member lists omit the user ID', async () => {
    otherService(world, { minimalLists: true })
    expect(await world.run(`members get ${room} --user ada -o ids`)).toMatchObject({
      code: 0,
      stdout: `${ada}\n`,
      stderr: 'the service lists each member without some fields; requesting the full members one by one\n',
    })
    expect(await world.run(`members get ${room} --user nobody -q`)).toMatchObject({ code: 3 })
    expect(await world.run(`members add ${room} grace --if-not-exists -o ids -q`)).toMatchObject({
      code: 0,
      stdout: `${grace}\n`,
    })
    expect(writes()).toEqual([])
  })

  test('members get --user finds a member on a service with numeric IDs', async () => {
    const { idOf } = otherService(world, { ids: 'number', leavesNullsOut: true, unlisted: { x: 1 } })
    expect(await world.run(`members get ${idOf(room)} --user ada -o ids`)).toMatchObject({
      code: 0,
      stdout: `${idOf(ada)}\n`,
    })
  })
})

describe('members --user with a non-member', () => {
  test.each(['get', 'update --name A', 'block --yes', 'unblock'])(
    'members %s --user exits 3 for a non-member',
    async (command) => {
      await world.send('POST', '/users', { user_id: 'nobody' })
      const [verb, ...flags] = command.split(' ')
      expect(await world.run(['members', verb ?? '', room, '--user', 'nobody', ...flags])).toMatchObject({
        code: 3,
        stdout: '',
        stderr:
          `error: no such member: user nobody is not in room ${room}\n` +
          `hint: list the members with: meetroom members list ${room} --base-url https://meet.test/v1; ` +
          `add a member with: meetroom members add ${room} nobody --base-url https://meet.test/v1\n`,
      })
      expect(writes()).toEqual([])
    },
  )

  test('members block --user exits 3 before any write if some users are not members', async () => {
    for (const user_id of ['bob', 'carl']) await world.send('POST', '/users', { user_id })
    const run = await world.run(`members block ${room} --user ada --user bob --user carl --yes --json`)
    expect(run).toMatchObject({ code: 3, stdout: '' })
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: 'not_found',
      message: `no such members: users bob, carl are not in room ${room}`,
    })
    expect(writes()).toEqual([])
  })

  test('members block --ignore-not-found counts missing users and non-members in its summary', async () => {
    const line = `members block ${room} name:nobody --user bob --yes --ignore-not-found`
    expect(await world.run(line)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 did not exist'),
    })
  })

  test('members block --user --ignore-not-found exits 0 for a non-member', async () => {
    const line = `members block ${room} --user bob --yes --ignore-not-found -o ids`
    expect(await world.run(line)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'blocked 0 members; 1 did not exist\n',
    })
    expect(await world.run(`${line} --dry-run`)).toMatchObject({
      code: 0,
      stderr: 'blocked 0 members; 1 did not exist\n',
    })
    expect(await world.run(`${line} --user ada`)).toMatchObject({
      code: 0,
      stdout: `${ada}\n`,
      stderr: 'blocked 1 member; 1 did not exist\n',
    })
  })

  test('members get --user exits 3 for a missing room', async () => {
    const run = await world.run('members get nowhere --user ada')
    expect(run.code).toBe(3)
    expect(run.stderr).toMatch(/^error: no such room: nowhere\n/)
  })
})

describe('members --user with several memberships', () => {
  beforeEach(() => {
    world.intercept = async ({ method, url }, next) => {
      if (method === 'GET' && url.includes('/members?'))
        return answer(200, {
          members: [
            { id: 'm1', user_id: 'ada' },
            { id: 'm2', user_id: 'ada' },
            { id: 'm3', user_id: null },
          ],
          paging: { limit: 1000, offset: 0, total: 3 },
        })
      return method === 'PUT' ? answer(200, { member: { id: url.slice(-2) } }) : next()
    }
  })

  test.each(['get', 'update --name A'])(
    'members %s --user exits 2 and lists the member IDs for a user with several memberships',
    async (command) => {
      const [verb, ...flags] = command.split(' ')
      expect(await world.run(['members', verb ?? '', room, '--user', 'ada', ...flags])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: user “ada” has 2 members in room ${room}: m1, m2\nhint: pass one of these member IDs instead of --user\n`,
      })
      expect(writes()).toEqual([])
    },
  )

  test('members block --user blocks all memberships of the user in the room', async () => {
    expect(await world.run(`members block ${room} --user ada --yes -o ids`)).toMatchObject({
      code: 0,
      stdout: 'm1\nm2\n',
    })
  })
})

describe('members --user', () => {
  test('members block --user --dry-run prints the writes without sending them', async () => {
    const url = `https://meet.test/v1/rooms/${room}/members`
    expect(await world.run(`members block ${room} --user ada --user grace --dry-run`)).toMatchObject({
      code: 0,
      stdout: `PUT ${url}/${ada} {"is_blocked":true}\nPUT ${url}/${grace} {"is_blocked":true}\n`,
      stderr: '',
    })
    expect(await world.run(`members update ${room} --user ada --name A --dry-run`)).toMatchObject({
      code: 0,
      stdout: `PUT ${url}/${ada} {"name":"A"}\n`,
    })
    expect(writes()).toEqual([])
  })

  test.each(['get', 'update --name A', 'block', 'unblock'])(
    'members %s --user --curl exits 2 because --user needs a lookup',
    async (command) => {
      const [verb, ...flags] = command.split(' ')
      expect(
        await world.run(['members', verb ?? '', room, '--user', 'ada', '--curl', ...flags]),
      ).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          'error: --curl cannot be used: this command reads the members of the users\nhint: pass the IDs of the members\n',
      })
      expect(world.requests).toEqual([])
    },
  )

  test.each(['block', 'update --blocked'])(
    'members %s --user names the member in the prompt',
    async (command) => {
      const [verb, ...flags] = command.split(' ')
      const { host, done } = world.start(['members', verb ?? '', room, '--user', 'ada', ...flags], {
        tty: true,
      })
      setImmediate(() => host.type('y\n'))
      const { code, stderr } = await done
      expect(code).toBe(0)
      expect(stderr).toContain(`Block member “ada” (${ada}) in room`)
      expect(writes()).toEqual([put(ada, '{"is_blocked":true}')])
    },
  )

  test('members block --user exits 2 for an open room', async () => {
    const open = (await world.send('POST', '/rooms', { name: 'Open', type: 'open' })).body.room.id
    await world.send('POST', `/rooms/${open}/members`, { user_id: 'ada' })
    const run = await world.run(`members block ${open} --user ada --yes`)
    expect(run).toMatchObject({ code: 2 })
    expect(run.stderr).toContain('users can be blocked only in private rooms')
  })
})

test.each([
  ['get ROOM', 'the argument “member” is missing\nhint: pass the room, then a member ID or --user'],
  [
    'update ROOM --name A',
    'the argument “member” is missing\nhint: pass the room, then a member ID or --user',
  ],
  ['get ROOM m1 --user ada', 'a member ID and --user cannot be used together'],
  ['update ROOM m1 --user ada --name A', 'a member ID and --user cannot be used together'],
  ['get ROOM --user ada --user grace', '--user takes one user, not 2'],
  ['update ROOM --user ada --user grace --name A', '--user takes one user, not 2'],
  ['block ROOM --user ada --where type=guest', '--user and --where cannot be used together'],
  ['unblock ROOM m1 --where type=guest', 'IDs and --where cannot be used together'],
  ['get ROOM --user=', '--user: the user ID is empty'],
  ['block ROOM --user= --yes', '--user: the user ID is empty'],
])('members %s exits 2 before any request', async (line, message) => {
  expect(await world.run(`members ${line.replace('ROOM', room)}`)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^error: ${message}[\\n;]`)),
  })
  expect(world.requests).toEqual([])
})
