import { stripVTControlCharacters } from 'node:util'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { createAccessWorld, withoutMemberTokens } from '../../helpers/access.ts'
import { otherService } from '../../helpers/other-service.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, type Run } from '../../helpers/world.ts'

const template = 'https://app.test/meet?room_id={room_id}&access_token={access_token}'

const world = perTest(createAccessWorld)

const run = (line: string, options: Parameters<typeof world.run>[1] = {}) =>
  world.run(line, { ...options, env: { MEETROOM_JOIN_URL: template, ...options.env } })
const outcome = ({ code, stdout, stderr }: Run) => ({ code, stdout, stderr })
const tokenOf = async (user: string): Promise<string> =>
  (await world.send('GET', `/users/${user}`)).body.user.access_token
const linkWith = (room: string, token: string) =>
  `https://app.test/meet?room_id=${room}&access_token=${token}`
const linkTo = async (room: string, user: string) =>
  linkWith(room, (await world.member(room, user)).access_token)
const rowsOf = ({ stdout }: Run): any[] => JSON.parse(stdout).links
const gets = (pattern: RegExp) => world.requests.filter(({ url }) => pattern.test(url)).length

describe('members links', () => {
  test('members links prints one row per member with a link that contains the token of the member', async () => {
    const { hall } = world.ids
    const { code, stdout, stderr } = await run(`members links ${hall} -o csv`)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'the links give access as 2 users; keep the output private: anyone with a link has its user’s access\n',
    })
    expect(stdout.split('\r\n')).toEqual([
      'room_id,room_name,user_id,name,role,link,reason',
      `${hall},Hall,ada,ADA,guest,${await linkTo(hall, 'ada')},`,
      `${hall},Hall,mallory,MALLORY,guest,${await linkTo(hall, 'mallory')},`,
      '',
    ])
    expect(gets(/\/users/)).toBe(0)
  })

  test('members links prints no link if one of several rooms does not exist, and suggests the user', async () => {
    expect(outcome(await run(`members links ${world.ids.hall} ada`))).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(
        `hint: select a user with: meetroom members links ${world.ids.hall} --where user_id=ada`,
      ),
    })
  })

  test('members links prints no warning about access if --columns omits the link', async () => {
    expect(outcome(await run(`members links ${world.ids.hall} -o csv --columns user_id,role`))).toEqual({
      ...{ code: 0, stdout: 'user_id,role\r\nada,guest\r\nmallory,guest\r\n', stderr: '' },
    })
  })

  test('members links uses user tokens if members have no tokens, and warns that a user token opens other rooms', async () => {
    const { board } = world.ids
    world.intercept = withoutMemberTokens
    const { code, stdout, stderr } = await run(`members links ${board} --json`)
    expect(code).toBe(0)
    expect(rowsOf({ stdout } as Run).map(({ link }) => link)).toEqual([
      linkWith(board, await tokenOf('trudy')),
      linkWith(board, await tokenOf('mallory')),
      linkWith(board, await tokenOf('ada')),
    ])
    expect(stderr).toBe(
      'the links give access as 3 users; keep the output private: anyone with a link has its user’s access\n' +
        'warning: a link contains the token of its user, which gives access to every room of that user\n',
    )
  })

  test('members links prints an empty link and a reason for a blocked member, and exits 8', async () => {
    const { board } = world.ids
    const { id } = await world.member(board, 'mallory')
    await world.send('PUT', `/rooms/${board}/members/${id}`, { is_blocked: true })
    const done = await run(`members links ${board} --json`)
    expect(done.code).toBe(8)
    expect(rowsOf(done).map(({ user_id, link, reason }) => [user_id, link !== null, reason])).toEqual([
      ['trudy', true, null],
      ['mallory', false, 'blocked'],
      ['ada', true, null],
    ])
    expect(done.stderr).toContain(
      '"message":"1 of 3 links could not be created; the field reason explains why"',
    )
  })

  test('members links prints no link to a terminated room, and with --replay prints the link to the recording', async () => {
    const { plans } = world.ids
    await world.send('PUT', `/rooms/${plans}`, { is_terminated: true })
    const joins = await run(`members links ${plans} -o tsv --no-header --columns user_id,link,reason`)
    expect(outcome(joins)).toEqual({
      code: 8,
      stdout: 'mallory\t\tthe room is terminated\n',
      stderr: 'error: no link for mallory: the room is terminated\n',
    })
    const env = { MEETROOM_REPLAY_URL: 'https://app.test/replay/{room_id}#{access_token}' }
    const replays = await run(`members links ${plans} --replay -o tsv --no-header --columns link`, { env })
    expect(replays).toMatchObject({
      code: 0,
      stdout: `https://app.test/replay/${plans}#${(await world.member(plans, 'mallory')).access_token}\n`,
    })
  })

  test('members links prints a reason if a user has no token or does not exist', async () => {
    const { board } = world.ids
    world.intercept = async (request, next, signal) => {
      const { url } = request
      if (url.endsWith('/users/ada')) return answer(404, { error: { code: 'not_found', message: 'no' } })
      if (url.endsWith('/users/trudy')) return answer(200, { user: { user_id: 'trudy', access_token: null } })
      return withoutMemberTokens(request, next, signal)
    }
    const done = await run(`members links ${board} --json`)
    expect(done.code).toBe(8)
    expect(rowsOf(done).map(({ user_id, reason }) => [user_id, reason])).toEqual([
      ['trudy', 'no access token'],
      ['mallory', null],
      ['ada', 'no such user'],
    ])
  })

  test('members links selects members with --where, and rooms with --all-rooms', async () => {
    world.intercept = withoutMemberTokens
    const done = await run(['members', 'links', '--all-rooms', '--where', 'user_id=ada', '--json'] as never)
    expect(done.code).toBe(0)
    expect(rowsOf(done).map(({ room_name }) => room_name)).toEqual(['Board', 'Hall'])
    expect(gets(/\/users\/ada$/)).toBe(1)
  })

  test('members links requests the list of users once, instead of each user, if a room has many members', async () => {
    const { hall } = world.ids
    for (let i = 0; i < 30; i++) {
      await world.send('POST', '/users', { user_id: `u${i}` })
      await world.send('POST', `/rooms/${hall}/members`, { user_id: `u${i}` })
    }
    const done = await run(`members links ${hall} --json`)
    expect(done.code).toBe(0)
    expect(rowsOf(done)).toHaveLength(32)
    expect(gets(/\/users\?/)).toBe(1)
    expect(gets(/\/users\/u\d/)).toBe(0)
  })

  test('members links prints the links of the other rooms and exits 8 if one room cannot be read', async () => {
    world.fails(new RegExp(`/rooms/${world.ids.board}/members`), 400)
    const done = await run('members links --all-rooms --json')
    expect(done.code).toBe(8)
    expect(rowsOf(done).map(({ room_name }) => room_name)).toEqual(['Plans', 'Hall', 'Hall', 'Lobby'])
    expect(done.stderr).toContain(
      `room ${world.ids.board}: the service refuses the request (400): it is broken`,
    )
    expect(done.stderr).toContain('read 4 of 5 rooms; 1 failed')
  })

  test('members links exits 3 if the only given room does not exist', async () => {
    expect(outcome(await run('members links 000000000000000000000000'))).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^error: no such room/),
    })
  })

  test('members links requires either rooms or --all-rooms', async () => {
    expect(outcome(await run('members links'))).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: no rooms given: pass room IDs or --all-rooms\nhint: for all rooms: meetroom members links --all-rooms --base-url https://meet.test/v1\n',
    })
    expect(outcome(await run('members links r --all-rooms'))).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: room IDs and --all-rooms cannot be used together\n',
    })
    expect(world.requests).toEqual([])
  })

  test('members links --curl prints the requests and sends no request', async () => {
    const { code, stdout } = await run(`members links ${world.ids.hall} --curl`)
    expect(code).toBe(0)
    expect(stdout).toContain(`/rooms/${world.ids.hall}/members`)
    expect(world.requests).toEqual([])
  })

  test('members links --curl sends no probe to a service on this machine', async () => {
    const env = { MEETROOM_BASE_URL: 'http://127.0.0.1:4680/v1', MEETROOM_JOIN_URL: '' }
    const { code } = await world.run(`members links ${world.ids.hall} --curl`, { env })
    expect([code, world.requests]).toEqual([0, []])
  })

  test('members links refuses -o ids', async () => {
    expect(outcome(await run(`members links ${world.ids.hall} -o ids`))).toMatchObject({
      code: 2,
      stderr: 'error: a link has no ID to print\n',
    })
  })
})

test('members links -o csv escapes formulas, and keeps commas, quotes, emoji and right-to-left text', async () => {
  const { hall } = world.ids
  const names = ['=cmd|calc', '@SUM(1)', 'Smith, "Al"', '🎓 Zoë', 'עדה לאבלייס', '+49 1', "O'Neill"]
  for (const [i, name] of names.entries()) {
    await world.send('POST', '/users', { user_id: `x${i}`, name })
    await world.send('POST', `/rooms/${hall}/members`, { user_id: `x${i}` })
  }
  const { code, stdout } = await run(`members links ${hall} -o csv`)
  expect(code).toBe(0)
  const rows = parse(stdout, { columns: true }) as Record<string, string>[]
  expect(
    rows
      .filter(({ user_id }) => /^x/.test(user_id ?? ''))
      .map(({ name }) => name)
      .reverse(),
  ).toEqual([...["'=cmd|calc", "'@SUM(1)", 'Smith, "Al"', '🎓 Zoë', 'עדה לאבלייס', "'+49 1", "O'Neill"]])
  expect(rows.every(({ link }) => link?.startsWith('https://'))).toBe(true)
})

describe('rooms link', () => {
  test('rooms link prints only the link, without a table, for a single room', async () => {
    const { board } = world.ids
    expect(outcome(await run(['rooms', 'link', 'name:Board', '--as', 'ada'] as never))).toEqual({
      code: 0,
      stdout: `${await linkTo(board, 'ada')}\n`,
      stderr:
        'the links give access as 1 user; keep the output private: anyone with a link has its user’s access\n',
    })
  })

  test('rooms link prints links to open rooms without a token and without a warning', async () => {
    const { lobby } = world.ids
    expect(outcome(await run(`rooms link ${lobby}`))).toEqual({
      code: 0,
      stdout: `https://app.test/meet?room_id=${lobby}\n`,
      stderr: '',
    })
  })

  test('rooms link exits 8 with a hint about --as if a room is not open', async () => {
    expect(outcome(await run(`rooms link ${world.ids.hall}`))).toEqual({
      code: 8,
      stdout: '',
      stderr: `error: no link for room ${world.ids.hall}: the room is public; pass --as\n`,
    })
  })

  test('rooms link --as prints a link for each matching room, except private rooms in which the user is not a member', async () => {
    const done = await run('rooms link --all-rooms --as trudy --json')
    expect(done.code).toBe(8)
    expect(
      rowsOf(done).map(({ room_name, role, link, reason }) => [room_name, role, link !== null, reason]),
    ).toEqual([
      ['Empty', null, false, 'not a member of the room'],
      ['Plans', null, false, 'not a member of the room'],
      ['Board', 'guest', true, null],
      ['Hall', null, true, null],
      ['Lobby', null, true, null],
    ])
  })

  test('rooms link --as with a name of two unquoted words suggests the quoted name', async () => {
    await world.send('POST', '/users', { user_id: 'grace', name: 'Grace Hopper' })
    const { code, stdout, stderr } = outcome(await run(`rooms link ${world.ids.hall} --as Grace Hopper`))
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(
      `hint: quote a name with spaces: meetroom rooms link ${world.ids.hall} --as 'name:Grace Hopper'`,
    )
  })

  test('rooms link --as exits 3 if the user does not exist', async () => {
    expect(await run(`rooms link ${world.ids.hall} --as nobody`)).toMatchObject({ code: 3, stdout: '' })
  })

  test('rooms link sends no request besides the list of rooms if the list contains all required fields', async () => {
    const done = await run('rooms link --where type=open --json')
    expect(done.code).toBe(0)
    expect(rowsOf(done)).toEqual([
      {
        ...{ room_id: world.ids.lobby, room_name: 'Lobby', user_id: null, name: null, role: null },
        ...{ link: `https://app.test/meet?room_id=${world.ids.lobby}`, reason: null },
      },
    ])
    expect(world.requests).toHaveLength(1)
  })

  test.each([80, 200])('rooms link does not shorten links on a terminal of %s columns', async (columns) => {
    const { hall, board } = world.ids
    const { stdout } = await run(`rooms link ${hall} ${board} --as ada`, { tty: true, columns })
    expect(stdout).toContain(`${await linkTo(hall, 'ada')}\n`)
    expect(stdout).toContain(`${await linkTo(board, 'ada')}\n`)
    const [titles = '', rule = ''] = stripVTControlCharacters(stdout).split('\n')
    expect([titles.length, rule.length].every((length) => length <= columns)).toBe(true)
  })
})

describe('the link template', () => {
  test('the link template is set with config set, and is used only for the service of its profile', async () => {
    const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined, MEETROOM_JOIN_URL: undefined }
    const env = { ...bare, MEETROOM_BASE_URL: 'https://meet.test/v1' }
    await run('auth login --with-token', { env, stdin: world.apiKey })
    const link = `rooms link ${world.ids.lobby}`
    expect(outcome(await run(link, { env: bare }))).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: no template for links: join_url is not set\n' +
        "hint: set it with: meetroom config set join_url 'https://app.example.com/meet?room_id={room_id}&access_token={access_token}' --profile default\n",
    })
    await run(`config set join_url https://app.test/{room_id}`, { env: bare })
    expect(outcome(await run(link, { env: bare }))).toEqual({
      code: 0,
      stdout: `https://app.test/${world.ids.lobby}\n`,
      stderr: '',
    })
    const elsewhere = { ...bare, MEETROOM_API_KEY: world.apiKey }
    expect(
      await run(`${link} --base-url https://other.test/v1 --profile default`, { env: elsewhere }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("export MEETROOM_JOIN_URL='https://app.example.com/"),
    })
  })

  test('rooms link --replay requires replay_url and does not use join_url', async () => {
    expect(await run(`rooms link ${world.ids.lobby} --replay`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no template for links: replay_url is not set\n'),
    })
  })

  test.each([
    ['app.test/{room_id}', 'is not a valid URL'],
    ['http://app.test/{room_id}', 'must be an https URL, or http on this machine'],
    ['javascript:alert({room_id})', 'must be an https URL, or http on this machine'],
    ['https://u:secret@app.test/{room_id}', 'must not contain a user name or password'],
    ['https://{room_id}.app.test/', 'must not have a placeholder in the host'],
    ['https://app.test:{room_id}/', 'is not a valid URL'],
    ['https://app.test/{room}', 'has an unknown placeholder “{room}”'],
    ['https://app.test/{room_id}/{', 'has an unknown placeholder “{”'],
    ['https://app.test/?t={access_token}', 'must contain {room_id}'],
    ['https://app.test/a b/{room_id}', 'must not contain white space'],
  ])('the link template %s is refused', async (url, problem) => {
    const { code, stderr } = await run(['config', 'set', 'join_url', url] as never)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`the link template ${problem}`),
    })
    expect(stderr).not.toContain('secret')
  })

  test('the link template can use http if the host is this machine', async () => {
    const env = { MEETROOM_JOIN_URL: 'http://localhost:3000/{room_id}' }
    expect((await run(`rooms link ${world.ids.lobby}`, { env })).stdout).toBe(
      `http://localhost:3000/${world.ids.lobby}\n`,
    )
  })
})

describe('links on another service', () => {
  test('members links --all-rooms prints links and reasons for partial lists and for values of other JSON types', async () => {
    const { idOf } = otherService(world, {
      ...{
        minimalLists: true,
        leavesNullsOut: true,
        ids: 'number',
        booleansAsText: true,
        numbersAsText: true,
      },
      ...{ maxLimit: 2, tellsTerminated: true },
    })
    const { board, plans } = world.ids
    const { id } = await world.member(board, 'mallory')
    await world.send('PUT', `/rooms/${board}/members/${id}`, { is_blocked: true })
    await world.send('PUT', `/rooms/${plans}`, { is_terminated: true })
    const theirLink = async (room: string, user: string) =>
      linkWith(idOf(room), (await world.member(room, user)).access_token)
    const done = await run('members links --all-rooms --json')
    expect(done.code).toBe(8)
    expect(
      rowsOf(done).map(({ room_name, user_id, name, role, link, reason }) => [
        room_name,
        user_id,
        name,
        role,
        reason ?? link,
      ]),
    ).toEqual([
      ['Plans', 'mallory', 'MALLORY', 'guest', 'the room is terminated'],
      ['Board', 'trudy', 'TRUDY', 'guest', await theirLink(board, 'trudy')],
      ['Board', 'mallory', 'MALLORY', 'guest', 'blocked'],
      ['Board', 'ada', 'ADA', 'guest', await theirLink(board, 'ada')],
      ['Hall', 'ada', 'ADA', 'guest', await theirLink(world.ids.hall, 'ada')],
      ['Hall', 'mallory', 'MALLORY', 'guest', await theirLink(world.ids.hall, 'mallory')],
      ['Lobby', 'mallory', 'MALLORY', 'guest', await theirLink(world.ids.lobby, 'mallory')],
    ])
  })

  test('rooms link --as prints all digits of a numeric token', async () => {
    world.intercept = async (request, next, signal) =>
      request.url.endsWith('/users/ada')
        ? answer(200, '{"user":{"user_id":"ada","access_token":12345678901234567890}}')
        : withoutMemberTokens(request, next, signal)
    expect((await run(`rooms link ${world.ids.hall} --as ada`)).stdout).toBe(
      `https://app.test/meet?room_id=${world.ids.hall}&access_token=12345678901234567890\n`,
    )
  })
})

test('members links --all-rooms --verbose prints no tokens of members on standard error', async () => {
  const { code, stderr, stdout } = await run('members links --all-rooms --verbose --json')
  expect(code).toBe(0)
  const tokens = (await Promise.all(Object.values(world.ids).map(world.members))).flat()
  for (const { access_token } of tokens) {
    expect(stdout).toContain(access_token)
    expect(stderr).not.toContain(access_token)
  }
})

describe('fields of users and rooms', () => {
  test('members links and rooms link accept fields of users and rooms as columns and as template placeholders', async () => {
    const { hall } = world.ids
    await world.send('PUT', '/users/ada', { email: 'ada+1@example.com' })
    const env = {
      MEETROOM_JOIN_URL: 'https://app.test/{room_id}?mail={email}&kind={room_type}&at={access_token}',
    }
    const flags = '-o csv --columns name,email,type,room_layout,url'
    const { ada, mallory } = Object.fromEntries(
      await Promise.all(
        ['ada', 'mallory'].map(async (user) => [user, (await world.member(hall, user)).access_token]),
      ),
    )
    const link = (mail: string, token: string) =>
      `https://app.test/${hall}?mail=${mail}&kind=public&at=${token}`
    const rows = [
      'name,email,type,room_layout,url',
      `ADA,ada+1@example.com,public,default,${link('ada%2B1%40example.com', ada)}`,
      `MALLORY,,public,default,${link('', mallory)}`,
      '',
    ].join('\r\n')
    expect((await run(`members links ${hall} ${flags}`, { env })).stdout).toBe(rows)
    expect((await run(`members links --all-rooms ${flags}`, { env })).stdout).toContain(rows.split('\r\n')[1])
    const { stdout } = await run(`rooms link ${hall} --as ada -o csv --columns email,url`, { env })
    expect(stdout).toBe(`email,url\r\nada+1@example.com,${link('ada%2B1%40example.com', ada)}\r\n`)
  })

  test('rooms link without --as fills the room fields of the link template, and omits the parameters of a person', async () => {
    const open = (await world.send('POST', '/rooms', { name: 'Open', type: 'open' })).body.room.id
    const env = {
      MEETROOM_JOIN_URL: 'https://app.test/{room_id}?kind={room_type}&mail={email}&at={access_token}',
    }
    expect((await run(`rooms link ${open}`, { env })).stdout).toBe(`https://app.test/${open}?kind=open\n`)
    const { stderr } = await run(`rooms link ${open} -o csv --columns emial`, { env })
    expect(stderr).toContain('did you mean: meetroom rooms link ')
  })
})
