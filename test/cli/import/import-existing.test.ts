import { beforeEach, describe, expect, test } from 'vitest'
import { importFixture, journalOf, resetNotice, resultsOf } from '../../helpers/imports.ts'
import { otherService } from '../../helpers/other-service.ts'
import { answer } from '../../helpers/world.ts'

const { world, run, user } = importFixture()

describe('users import of existing users', () => {
  beforeEach(async () => {
    await user('ada', { name: 'Old', email: 'ada@x.test' })
    world.file('people.csv', 'user_id,name\nada,New\ngrace,Grace\n')
  })

  test.each([
    [
      '',
      8,
      'error: people.csv:2 (ada): the user already exists\nerror: imported 1 of 2 users; 1 failed\n' +
        'hint: skip users that exist with: meetroom users import people.csv --if-exists skip --base-url https://meet.test/v1\n',
      'Old',
    ],
    [
      '--if-exists fail',
      8,
      'error: people.csv:2 (ada): the user already exists\nerror: imported 1 of 2 users; 1 failed\n' +
        'hint: skip users that exist with: meetroom users import people.csv --if-exists skip --base-url https://meet.test/v1\n',
      'Old',
    ],
    ['--if-exists skip', 0, 'imported 1 of 2 users; 1 skipped\n', 'Old'],
    ['--if-exists overwrite', 0, `${resetNotice}imported 2 of 2 users\n`, 'New'],
  ])(
    'the command “users import people.csv %s” for an existing and a new user exits %i and prints a summary',
    async (flags, code, stderr, name) => {
      expect(await run(`users import people.csv ${flags}`.trim())).toMatchObject({ code, stdout: '', stderr })
      expect(await world.users()).toEqual({ ada: name, grace: 'Grace' })
      expect(world.writes()).toHaveLength(name === 'New' ? 2 : 1)
    },
  )

  test('users import of existing users with --if-exists overwrite sends no read requests', async () => {
    await run('users import people.csv --if-exists overwrite')
    expect(world.sent()).toEqual(['POST /users', 'POST /users'])
    expect(await world.user('ada')).toMatchObject({ email: null })
  })

  test('users import of existing users with --if-exists skip exits 0 even if it skips every row', async () => {
    await run('users import people.csv --if-exists overwrite')
    expect(await run('users import people.csv --if-exists skip')).toMatchObject({
      code: 0,
      stderr: 'imported 0 of 2 users; 2 skipped\n',
    })
  })
})

describe('members import of existing members', () => {
  let room: string
  beforeEach(async () => {
    room = await world.room('A', 'private')
    for (const id of ['ada', 'grace', 'kay']) await user(id)
    await world.send('POST', `/rooms/${room}/members`, { user_id: 'ada', type: 'guest', name: 'Old' })
    world.file(
      'members.csv',
      'user_id,type,name,is_blocked\nada,host,New,true\ngrace,monitor,G,\nkay,,,true\n',
    )
  })

  test.each([
    [
      'fail',
      8,
      'error: members.csv:2 (ROOM ada): the member already exists\nerror: imported 2 of 3 members; 1 failed\n' +
        'hint: skip members that exist with: meetroom members import members.csv --yes --room ROOM --if-exists skip --base-url https://meet.test/v1\n',
      'ada guest Old',
      false,
    ],
    ['skip', 0, 'imported 2 of 3 members; 1 skipped\n', 'ada guest Old', false],
    ['overwrite', 0, 'imported 3 of 3 members: created 2, overwrote 1\n', 'ada host New', true],
  ])(
    'members import --if-exists %s exits %i for existing members and prints a summary',
    async (what, code, stderr, ada, blocked) => {
      expect(await run(`members import members.csv --room ${room} --if-exists ${what} --yes`)).toMatchObject({
        code,
        stdout: '',
        stderr: stderr.replaceAll('ROOM', room),
      })
      expect(await world.members(room)).toEqual([ada, 'grace monitor G', 'kay guest -'])
      const { members } = (await world.send('GET', `/rooms/${room}/members`)).body
      const blockedIds = members
        .filter((member: any) => member.is_blocked)
        .map((member: any) => member.user_id)
      expect(blockedIds.sort()).toEqual(blocked ? ['ada', 'kay'] : ['kay'])
    },
  )

  test('members import --if-exists overwrite requests the members of a room once for several rows', async () => {
    await run(`members import members.csv --room ${room} --if-exists overwrite`)
    expect(world.sent().filter((line) => line.startsWith('GET'))).toEqual([
      `GET /rooms/${room}/members?limit=1000`,
    ])
  })

  test('members import fails each row whose room or user does not exist, and imports the other rows', async () => {
    world.file('members.csv', `room_id,user_id\nnope,ada\n${room},nobody\n${room},grace\n`)
    const { code, stdout } = await run('members import members.csv -o ndjson')
    expect({ code, results: resultsOf(stdout).map(({ status, error }) => error ?? status) }).toEqual({
      code: 8,
      results: ['no such room: nope', 'no such user: nobody', 'ok'],
    })
  })
})

const unshown = (fields: string, them = 'it') =>
  `warning: the service accepted ${fields}, but does not show ${them}\n`

describe('rooms import of existing rooms', () => {
  let id: string
  beforeEach(async () => {
    id = await world.room('Old')
    world.file(
      'rooms.csv',
      `id,name,type,layout,is_terminated\n${id},New,open,grid,true\nx,Other,private,,\n`,
    )
  })

  test.each([
    ['fail', 8, ['Old', 'Other'], 'imported 1 of 2 rooms; 1 failed\n'],
    ['skip', 0, ['Old', 'Other'], 'imported 1 of 2 rooms; 1 skipped\n'],
    ['overwrite', 0, ['New', 'Other'], 'imported 2 of 2 rooms: created 1, overwrote 1\n'],
  ])(
    'rooms import --if-exists %s exits %i for existing rooms and prints a summary',
    async (what, code, rooms, summary) => {
      const missing = what === 'overwrite' ? ' --create-missing --yes' : ''
      const ended = await run(`rooms import rooms.csv --if-exists ${what}${missing}`)
      expect({ code: ended.code, rooms: await world.rooms() }).toEqual({ code, rooms })
      expect(ended.stderr).toContain(summary)
      const { room } = (await world.send('GET', `/rooms/${id}`)).body
      expect([room.layout, room.terminated_at !== null]).toEqual(
        what === 'overwrite' ? ['grid', true] : ['default', false],
      )
    },
  )

  test('rooms import --if-exists overwrite fails a row that changes an immutable field of an existing room', async () => {
    world.file('rooms.csv', `id,name,type,record\n${id},New,private,true\n`)
    const { code, stdout } = await run('rooms import rooms.csv --if-exists overwrite -o ndjson')
    expect({ code, statuses: resultsOf(stdout).map(({ status }) => status) }).toEqual({
      code: 1,
      statuses: ['failed'],
    })
  })

  test('rooms import creates a room for each row with an unknown ID, and prints these IDs as the keys of the results', async () => {
    world.file('rooms.csv', 'id,name,type,is_terminated\nformer,R1,open,\nother,R2,public,true\n')
    const { code, stdout } = await run('rooms import rooms.csv -o ndjson')
    expect({ code, keys: resultsOf(stdout).map(({ key }) => key) }).toEqual({
      code: 0,
      keys: ['former', 'other'],
    })
    expect(await world.rooms()).toEqual(['Old', 'R1', 'R2'])
    const { rooms } = (await world.send('GET', '/rooms?is_terminated=true')).body
    expect(rooms.map(({ name, type }: any) => `${name} ${type}`)).toEqual(['R2 public'])
  })

  test('rooms import sends every field that can be set at creation', async () => {
    await user('ada')
    world.file(
      'rooms.csv',
      'name,type,record,max_meeting_seconds,members,layout,webhook\n' +
        'R,private,true,60,"[{""user_id"":""ada"",""type"":""host""}]",grid,"{""url"":""https://hook.test/""}"\n',
    )
    expect(await run('rooms import rooms.csv')).toMatchObject({
      code: 0,
      stderr: `${unshown('webhook')}imported 1 of 1 room\n`,
    })
    expect(JSON.parse(world.requests.at(-1)?.body ?? '')).toEqual({
      name: 'R',
      type: 'private',
      record: true,
      max_meeting_seconds: 60,
      members: [{ user_id: 'ada', type: 'host' }],
      layout: 'grid',
      webhook: { url: 'https://hook.test/' },
    })
  })
})

describe('fields that only a creation sets', () => {
  const row = (name: string, webhook = '{""url"":""https://h.test/""}') => `${name},open,"${webhook}"\n`
  const notice = (field: string, keeps: string) =>
    `warning: the API sets ${field} only when a room is created; ${keeps}\n`
  beforeEach(async () => {
    for (const name of ['A', 'B', 'C']) await world.room(name)
    world.file('rooms.csv', `name,type,webhook\n${row('A')}${row('B')}${row('C', '')}${row('D')}`)
  })

  test.each([
    ['update', 'updated', ''],
    ['overwrite', 'overwrote', ''],
    ['update', 'updated', ' -o ndjson'],
  ])(
    'rooms import --if-exists %s%c%s keeps fields that only a creation sets, and one warning counts the existing rooms',
    async (what, verb, flags) => {
      const line = `rooms import rooms.csv --match name --if-exists ${what} --concurrency 1${flags}`
      expect(await run(line)).toMatchObject({
        code: 0,
        stderr: `${unshown('webhook')}${notice('webhook', '2 existing rooms keep their webhook')}imported 4 of 4 rooms: created 1, ${verb} 3\n`,
      })
      const bodies = world.requests.flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body)]))
      expect(bodies).toEqual([{ name: 'D', type: 'open', webhook: { url: 'https://h.test/' } }])
    },
  )

  test('rooms import --dry-run prints a warning about a field that only a creation sets', async () => {
    world.file('rooms.csv', `name,type,webhook\n${row('A')}${row('D')}`)
    expect(
      await run('rooms import rooms.csv --match name --if-exists update --dry-run -o ids'),
    ).toMatchObject({
      code: 0,
      stderr:
        notice('webhook', '1 existing room keeps its webhook') +
        'would create 1, update 1, skip 0 of 2 rooms; 0 would fail\n',
    })
  })

  test('rooms import prints no warning about fields that only a creation sets if the rows are skipped or fail', async () => {
    expect((await run('rooms import rooms.csv --match name --if-exists skip')).stderr).not.toContain(
      'warning: the API',
    )
    world.file('rooms.csv', `name,layout,type,webhook\nA,grid${row('')}`)
    world.intercept = async (request, next) =>
      request.method === 'PUT' ? answer(400, { error: { code: 'invalid_parameters' } }) : next()
    expect((await run('rooms import rooms.csv --match name --if-exists update')).stderr).not.toContain(
      'warning',
    )
  })

  test('rooms import fails a row with another value of an immutable field, or warns if the service omits the field', async () => {
    const csv = 'name,type,record,max_meeting_seconds\nA,open,true,60\nB,open,false,\n'
    world.file('rooms.csv', csv)
    const line = 'rooms import rooms.csv --match name --if-exists update --concurrency 1'
    expect(await run(line)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('rooms.csv:2 (A): its record is false and cannot be changed\n'),
    })
    otherService(world, { without: ['record', 'max_meeting_seconds'] })
    expect(await run(`${line} --again`)).toMatchObject({
      code: 0,
      stderr:
        notice('record', '2 existing rooms keep their record') +
        notice('max_meeting_seconds', '1 existing room keeps its max_meeting_seconds') +
        'imported 2 of 2 rooms: updated 2\n',
    })
  })
})

describe('import --dry-run', () => {
  beforeEach(async () => {
    await user('ada', { name: 'Old' })
    world.file('people.csv', 'user_id,name\nada,New\ngrace,Grace\n')
  })

  test.each([
    [
      'fail',
      8,
      ['would_fail', 'would_create'],
      'error: would create 1, overwrite 0, skip 0 of 2 users; 1 would fail\n' +
        'hint: skip users that exist with: meetroom users import people.csv --dry-run --concurrency 1 --if-exists skip --base-url https://meet.test/v1\n',
    ],
    [
      'skip',
      0,
      ['would_skip', 'would_create'],
      'would create 1, overwrite 0, skip 1 of 2 users; 0 would fail\n',
    ],
    [
      'overwrite',
      0,
      ['would_overwrite', 'would_create'],
      `${resetNotice}would create 1, overwrite 1, skip 0 of 2 users; 0 would fail\n`,
    ],
  ])(
    'users import --dry-run --if-exists %s exits %i, prints a summary of the plan and sends no write',
    async (what, code, statuses, stderr) => {
      const line = `users import people.csv --dry-run --concurrency 1 --if-exists ${what}`
      const table = await run(line)
      expect({ code: table.code, stderr: table.stderr }).toEqual({ code, stderr })
      expect(
        table.stdout
          .split('\n')
          .slice(2, -1)
          .map((row) => row.split(/\s+/)[2]),
      ).toEqual(statuses)
      const { stdout } = await run(`${line} -o ndjson`)
      expect(resultsOf(stdout).map(({ key, status }) => [key, status])).toEqual([
        ['ada', statuses[0]],
        ['grace', statuses[1]],
      ])
      expect(world.writes()).toEqual([])
      expect(await world.users()).toEqual({ ada: 'Old' })
      expect(world.read(journalOf('people.csv'))).toBeUndefined()
    },
  )

  test('rooms import and members import with --dry-run send no write', async () => {
    const room = await world.room('A')
    world.file('rooms.csv', `id,name,type,is_terminated\n${room},B,open,true\nx,C,open,true\n`)
    await user('grace')
    world.file('members.csv', 'user_id,name\nada,A\ngrace,G\n')
    expect(
      await run('rooms import rooms.csv --dry-run --if-exists overwrite --create-missing'),
    ).toMatchObject({
      code: 0,
      stderr: 'would create 1, overwrite 1, skip 0 of 2 rooms; 0 would fail\n',
    })
    expect(await run(`members import members.csv --dry-run --room ${room}`)).toMatchObject({ code: 0 })
    expect(world.writes()).toEqual([])
    expect(await world.rooms()).toEqual(['A'])
  })

  test('users import --dry-run sends no request if a later row is invalid', async () => {
    world.file('people.csv', 'user_id\nada\n""\n,\n')
    expect(await run('users import people.csv --dry-run')).toMatchObject({ code: 2 })
    expect(world.requests).toEqual([])
  })
})

describe('users import of numeric IDs', () => {
  const similar =
    'warning: 2 user IDs differ from existing IDs only by leading zeros, which spreadsheets remove: “7” (“007” exists), “0012” (“12” exists)\n'
  beforeEach(async () => {
    for (const id of ['007', '12', '30', 'ada']) await user(id)
    world.file('people.csv', 'user_id\n7\n0012\n30\nada\n5\n05\n')
    world.file('people.json', '[{"user_id":7},{"user_id":"0012"}]')
  })

  test('users import and its dry run warn about IDs that differ from other IDs only by leading zeros', async () => {
    const warnings = `warning: people.csv:7: user_id “05” differs from the value in line 6 only by leading zeros\n${similar}`
    expect((await run('users import people.csv --dry-run')).stderr).toContain(warnings)
    expect((await run('users import people.json --dry-run')).stderr).toContain(similar)
    expect((await run('users import people.csv --if-exists skip')).stderr).toBe(
      `${warnings}imported 4 of 6 users; 2 skipped\n`,
    )
  })

  test('users import lists no users with --quiet or without numeric IDs, and needs no permission to list users', async () => {
    const lists = () => world.sent().filter((sent) => /^GET .users\?/.test(sent))
    world.file('names.csv', 'user_id\nada\n')
    for (const line of ['people.csv --dry-run --quiet', 'names.csv --dry-run']) {
      world.requests.length = 0
      await run(`users import ${line}`)
      expect(lists()).toEqual([])
    }
    world.intercept = async ({ method, url }, next) =>
      method === 'GET' && url.includes('/users?') ? answer(403, { error: { code: 'forbidden' } }) : next()
    expect(await run('users import people.json')).toMatchObject({ code: 0 })
  })
})

describe('members import of room names', () => {
  const names = 'Raum;Nutzer;type\nMathe 7a;ada;host\n7b;ada;\n'
  const map = ['--map', 'Raum=room_id', '--map', 'Nutzer=user_id']
  beforeEach(async () => {
    await user('ada')
    await world.room('Mathe 7a', 'private')
    world.file('members.csv', names)
  })

  test('members import suggests a command that finds rooms by name if the room IDs are names of existing rooms', async () => {
    const room = await world.room('7b')
    const { code, stderr } = await world.run(['members', 'import', 'members.csv', ...map])
    expect([code, stderr]).toEqual([
      2,
      'warning: members.csv:2: room_id “Mathe 7a” does not look like an ID\n' +
        'error: room_id must be the ID of a room, not a name: “Mathe 7a”, “7b”\n' +
        'hint: find the rooms by name with: meetroom rooms import members.csv --group-by name --map Raum=name --map Nutzer=user_id --map type=member_type --type private --if-exists update --base-url https://meet.test/v1\n',
    ])
    expect(world.writes()).toEqual([])
    const suggested = /hint: .*: meetroom (.*)\n/.exec(stderr)?.[1]?.split(' ') ?? []
    expect((await world.run(suggested)).code).toBe(0)
    expect(await world.members(room)).toEqual(['ada guest -'])
    expect(await world.rooms()).toEqual(['7b', 'Mathe 7a'])
  })

  test('members import exits 1 and names the missing room if a room ID is neither the ID nor the name of a room', async () => {
    const { code, stderr } = await world.run(['members', 'import', 'members.csv', ...map])
    expect([code, stderr]).toEqual([1, expect.stringContaining('no such room: 7b')])
  })
})
