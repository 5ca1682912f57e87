import { describe, expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

/** Creates a room with a member. The returned function replaces ROOM and MEMBER with IDs. */
async function createMember() {
  const { id } = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body.room
  await world.send('POST', '/users', { user_id: 'ada' })
  const { member } = (await world.send('POST', `/rooms/${id}/members`, { user_id: 'ada' })).body
  return (text: string) => text.replaceAll('ROOM', id).replaceAll('MEMBER', member.id)
}

test.each([
  ['users get nobody', 'user: nobody', 'users list'],
  ['members list nowhere', 'room: nowhere', 'rooms list'],
  ['members get ROOM nobody', 'room or member: ROOM nobody', 'members list ROOM'],
  [
    'members add ROOM nobody',
    'user: nobody',
    'users list --base-url https://meet.test/v1; or create the user with: meetroom users create nobody',
  ],
  ['sessions list nowhere', 'room: nowhere', 'rooms list'],
  ['pages create nowhere --image https://a.test/', 'room: nowhere', 'rooms list'],
  ['message send nowhere hi', 'room: nowhere', 'rooms list'],
])('the command “%s” exits 3 and names the missing %s', async (line, missing, list) => {
  const fill = await createMember()
  const hint = `hint: list the ${list.split(' ')[0]} with: meetroom ${list} --base-url https://meet.test/v1`
  expect(await world.run(fill(line))).toMatchObject({
    code: 3,
    stdout: '',
    stderr: fill(`error: no such ${missing}\n${hint}\n`),
  })
})

describe('services without items', () => {
  test.each([
    ['rooms list', '', 'no rooms\n'],
    ['rooms list --json', expect.any(String), ''],
    ['users list', '', 'no users\n'],
    ['users list -q', '', ''],
  ])('the command “%s” exits 0 on a service without items', async (line, stdout, stderr) => {
    expect(await world.run(line)).toMatchObject({ code: 0, stdout, stderr })
  })

  test.each([
    ['members list', '', 'no members\n'],
    ['members list -o ids', '', ''],
    ['sessions list', '', 'no sessions\n'],
    ['sessions list --json', '{"sessions":[]}\n', ''],
    ['sessions list -o csv', 'id,member_id,user_id,connected_at,disconnected_at\r\n', ''],
  ])(
    'for an empty room, the command “%s” exits 0 and prints %j on standard output and %j on standard error',
    async (line, stdout, stderr) => {
      const { id } = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room
      const [group, verb, ...flags] = line.split(' ')
      const argv = [group, verb, id, ...flags]
      expect(await world.run(argv)).toMatchObject({ code: 0, stdout, stderr })
    },
  )
})

test.each([
  ['room ls -o ids', 'ROOM\n'],
  ['room show ROOM'],
  ['room rm ROOM -y'],
  ['user ls -o ids', 'ada\n'],
  ['user show ada'],
  ['user rm ada -y -o ids', 'ada\n'],
  ['member ls ROOM -o ids', 'MEMBER\n'],
  ['member show ROOM MEMBER'],
  ['page create ROOM --index 1 -o ids'],
  ['messages send ROOM hi'],
])('the command “%s” with an alias exits 0', async (line, stdout?: string) => {
  const fill = await createMember()
  expect(await world.run(fill(line))).toMatchObject({
    code: 0,
    ...(stdout !== undefined && { stdout: fill(stdout) }),
  })
})

describe('--curl', () => {
  const url = 'https://meet.test/v1'
  const members = `${url}/rooms/r/members`
  const curl = (method: string, target: string, body?: string) =>
    `curl -X ${method} ${target} -H "Authorization: Bearer $MEETROOM_API_KEY"` +
    `${body === undefined ? '' : ` -H 'content-type: application/json' --data-raw '${body}'`}\n`

  test.each([
    ['users list --email a@b', curl('GET', `'${url}/users?email_search_query=a%40b'`)],
    ['users get ada', curl('GET', `${url}/users/ada`)],
    ['users create ada', curl('POST', `${url}/users`, '{"user_id":"ada"}')],
    ['users update ada --set n=1', curl('PUT', `${url}/users/ada`, '{"n":1}')],
    ['users delete ada', curl('DELETE', `${url}/users/ada`)],
    ['members list r', curl('GET', members)],
    ['members list r --all', curl('GET', `'${members}?limit=1000'`)],
    ['members get r m', curl('GET', `${members}/m`)],
    ['members add r ada', curl('POST', members, '{"user_id":"ada"}')],
    ['members update r m --name N', curl('PUT', `${members}/m`, '{"name":"N"}')],
    ['members block r m', curl('PUT', `${members}/m`, '{"is_blocked":true}')],
    [
      'members unblock r m n',
      ['m', 'n'].map((id) => curl('PUT', `${members}/${id}`, '{"is_blocked":false}')).join(''),
    ],
    ['sessions list r --online', curl('GET', `'${url}/rooms/r/sessions?is_connecting=true'`)],
    ['pages create r --index 1', curl('POST', `${url}/rooms/r/pages/create_many`, '[{"index":1}]')],
  ])('%s --curl prints the request and does not send the request', async (line, stdout) => {
    expect(await world.run(`${line} --curl`)).toMatchObject({ code: 0, stdout, stderr: '' })
    expect(world.requests).toEqual([])
  })
})
