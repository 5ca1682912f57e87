import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { createWorld, type World } from '../../helpers/world.ts'

let world: World
let room: string
let member: string

beforeEach(async () => {
  world = await createWorld()
  await world.send('POST', '/users', { user_id: 'ada' })
  room = (await world.send('POST', '/rooms', { name: 'Weekly', type: 'private' })).body.room.id
  member = (await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada' })).body.member.id
})

const writes = () => world.requests.filter(({ method }) => method !== 'GET')
const fill = (line: string) =>
  line.split(' ').map((word) => word.replace('ROOM', room).replace('MEMBER', member))

const unwrapped = (text: string) => stripVTControlCharacters(text).replaceAll(/\s*\n\s*/g, ' ')

const destructive = [
  'rooms delete ROOM',
  'rooms terminate ROOM',
  'rooms update ROOM --terminated',
  'rooms update ROOM --set is_terminated=true',
  'rooms update ROOM --data {"is_terminated":true}',
  'members block ROOM MEMBER',
  'members update ROOM MEMBER --blocked',
  'members update ROOM MEMBER --set is_blocked=true',
  'users delete ada',
  'api DELETE /rooms/ROOM',
  'api PUT /rooms/ROOM -f is_terminated=true',
  'api PUT /rooms/ROOM/members/MEMBER --data {"name":"Ada","is_blocked":true}',
]

describe.each(destructive)('%s', (line) => {
  test(`${line} exits 10 without a terminal and without --yes`, async () => {
    const { code, stdout, stderr } = await world.run(fill(line))
    expect({ code, stdout }).toEqual({ code: 10, stdout: '' })
    expect(stderr).toMatch(
      /^error: .* needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n$/,
    )
    expect(writes()).toEqual([])
  })

  test(`${line} --yes sends the write request`, async () => {
    expect(await world.run([...fill(line), '--yes'])).toMatchObject({ code: 0 })
    expect(writes()).toHaveLength(1)
  })

  test(`the prompt of ${line} names the service and the profile`, async () => {
    const { host, done } = world.start(fill(line), { tty: true, columns: 200 })
    setImmediate(() => host.type('n\n'))
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(unwrapped(stderr)).toContain('at https://meet.test (profile default)?')
    expect(writes()).toEqual([])
  })

  test(`${line} --dry-run exits 0 without confirmation`, async () => {
    expect(await world.run([...fill(line), '--dry-run'])).toMatchObject({ code: 0, stderr: '' })
    expect(writes()).toEqual([])
  })
})

test.each([
  'rooms reopen ROOM',
  'rooms update ROOM --active',
  'members unblock ROOM MEMBER',
  'members update ROOM MEMBER --name "is_blocked":true',
  'users create ada --overwrite',
  'api PUT /rooms/ROOM -f name=Monthly',
  'message send ROOM {"is_terminated":true}',
])('the command “%s” sends its write without confirmation', async (line) => {
  expect(await world.run(fill(line))).toMatchObject({ code: 0 })
  expect(writes()).toHaveLength(1)
})

test('the prompt of rooms update --local --terminated shows the workspace directory', async () => {
  const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
  const created = await world.run('--local rooms create --name Here --type open -o ids', { env })
  const { host, done } = world.start(['--local', 'rooms', 'update', created.stdout.trim(), '--terminated'], {
    tty: true,
    columns: 200,
    env,
  })
  setImmediate(() => host.type('n\n'))
  const { code, stderr } = await done
  expect(code).toBe(10)
  expect(unwrapped(stderr)).toContain(`in the local workspace in ${world.dir}/data?`)
})
