import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { lostNotice } from '../../helpers/imports.ts'
import { otherService } from '../../helpers/other-service.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld, type World } from '../../helpers/world.ts'

const world = perTest(createWorld)

const partial = (kind: string, many: string) =>
  `the service lists each ${kind} without some fields; requesting the full ${many} one by one\n`
const partialRooms = partial('room', 'rooms')

const writes = () => world.requests.filter(({ method }) => method !== 'GET')
const fullReads = () =>
  world.requests
    .map(({ method, url }) => `${method} ${url.slice('https://meet.test/v1'.length)}`)
    .filter((line) => line.startsWith('GET') && !line.includes('?'))

async function room(name: string, fields: object = {}): Promise<any> {
  const { id } = (await world.send('POST', '/rooms', { name, type: 'open', record: true, ...fields })).body
    .room
  return (await world.send('GET', `/rooms/${id}`)).body.room
}

async function rooms(): Promise<any[]> {
  const all = [
    await room('Alpha', { type: 'private' }),
    await room('Beta', { layout: 'grid' }),
    await room('Gamma', { max_meeting_seconds: 60 }),
    await room('Delta', { type: 'private', layout: 'grid' }),
  ]
  await world.send('PUT', `/rooms/${all[2].id}`, { is_terminated: true })
  return all.reverse()
}

async function members(): Promise<{ id: string; ada: any; grace: any }> {
  const { id } = await room('R', { type: 'private' })
  const add = async (user_id: string, fields: object) => {
    await world.send('POST', '/users', { user_id, name: user_id.toUpperCase(), email: `${user_id}@x.test` })
    const { member } = (await world.send('POST', `/rooms/${id}/members`, { user_id })).body
    return (await world.send('PUT', `/rooms/${id}/members/${member.id}`, fields)).body.member
  }
  return { id, ada: await add('ada', { type: 'host' }), grace: await add('grace', { is_blocked: true }) }
}

async function listNames(conditions: string[], stderr: string): Promise<string> {
  const where = conditions.flatMap((condition) => ['--where', condition])
  const run = await world.run(['rooms', 'list', '-o', 'csv', '--columns', 'name', '--no-header', ...where])
  expect({ code: run.code, stderr: run.stderr }, conditions.join(', ')).toEqual({ code: 0, stderr })
  return run.stdout.split('\r\n').slice(0, -1).join(' ')
}

describe('--where on a service whose lists show only id, type and name', () => {
  let all: any[]
  beforeEach(async () => {
    all = await rooms()
    otherService(world, { minimalLists: true })
  })

  test.each([
    ['record!=true', ''],
    ['record=true', 'Delta Gamma Beta Alpha'],
    ['status=active', 'Delta Beta Alpha'],
    ['status=terminated', 'Gamma'],
    ['terminated_at=', 'Delta Beta Alpha'],
    ['terminated_at!=', 'Gamma'],
    ['layout!=grid', 'Gamma Alpha'],
    ['layout~GR', 'Delta Beta'],
    ['max_meeting_seconds=60', 'Gamma'],
    ['age>0s', ''],
    ['created_at>0s', 'Delta Gamma Beta Alpha'],
  ])(
    'rooms list --where %s on a service with partial lists requests the full record of each room',
    async (condition, names) => {
      expect(await listNames([condition], partialRooms)).toBe(names)
      expect(fullReads().sort()).toEqual(all.map(({ id }) => `GET /rooms/${id}`).sort())
    },
  )

  test('rooms list --where on a service with partial lists requests no full record if the list has all required fields', async () => {
    expect(await listNames(['name~a$', 'type=private'], '')).toBe('Delta Alpha')
    expect(fullReads()).toEqual([])
    expect(await listNames(['type=open', 'layout=grid'], partialRooms)).toBe('Beta')
    expect(fullReads()).toEqual([all[1], all[2]].map(({ id }) => `GET /rooms/${id}`))
  })

  test.each(['delete', 'terminate', 'reopen'])(
    'rooms %s --where on a service with partial lists sends no write if no room matches',
    async (verb) => {
      expect(await world.run(`rooms ${verb} --where record!=true --yes`)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: `${partialRooms}no rooms; nothing to do\n`,
      })
      expect(writes()).toEqual([])
    },
  )

  test('rooms delete --where on a service with partial lists deletes only the matching rooms', async () => {
    expect(await world.run('rooms delete --where status=terminated --yes -o ids')).toMatchObject({
      code: 0,
      stdout: `${all[1].id}\n`,
      stderr: `${partialRooms}deleted 1 room\n`,
    })
    expect(await listNames(['name!='], '')).toBe('Delta Beta Alpha')
  })

  test('rooms delete --where on a service with partial lists deletes nothing if a lookup returns another room', async () => {
    const [delta, gamma] = all
    const next = world.intercept
    world.intercept = async (request, ...rest) =>
      request.url.endsWith(`/rooms/${gamma.id}`)
        ? answer(200, { room: { ...gamma, id: delta.id } })
        : (next?.(request, ...rest) ?? rest[0]())
    expect(await world.run('rooms delete --where status=terminated --yes')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining(`id is “${delta.id}”, not “${gamma.id}”`),
    })
    expect(writes()).toEqual([])
  })

  test('rooms list --where on a service with partial lists prints full records as JSON, NDJSON, IDs, CSV and a table', async () => {
    const list = async (format: string) =>
      (await world.run(`rooms list --where layout=grid -o ${format}`)).stdout
    const [delta, , beta] = all
    expect(JSON.parse(await list('json'))).toEqual({
      rooms: [delta, beta],
      paging: { limit: 2, offset: 0, total: 2 },
    })
    expect(
      (await list('ndjson'))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([delta, beta])
    expect(await list('ids')).toBe(`${delta.id}\n${beta.id}\n`)
    expect(await list('csv --columns id,status,layout,record')).toBe(
      `id,status,layout,record\r\n${delta.id},active,grid,true\r\n${beta.id},active,grid,true\r\n`,
    )
    expect(await list('table --columns name,status --no-header')).toBe('Delta  active\nBeta   active\n')
  })

  test('rooms list --where on a service with partial lists keeps every digit of a number in a full record', async () => {
    const { intercept } = world
    world.intercept = async (request, next, signal) => {
      const given = (await intercept?.(request, next, signal)) ?? (await next())
      const text = new TextDecoder().decode(given.body)
      return answer(200, text.replace('"meeting_time":0', '"meeting_time":12345678901234567890'))
    }
    const { stdout } = await world.run('rooms list --where meeting_time>9 -o ndjson')
    expect(stdout.match(/"meeting_time":12345678901234567890[,}]/g)).toHaveLength(4)
  })

  test('rooms list --where on a service with partial lists requests at most eight full records concurrently', async () => {
    for (let i = 0; i < 40; i++) await room(`R${i}`)
    let under = 0
    let most = 0
    const { intercept } = world
    world.intercept = async (request, next, signal) => {
      if (request.url.includes('?')) return intercept?.(request, next, signal) ?? next()
      most = Math.max(most, ++under)
      await new Promise((resolve) => setImmediate(resolve))
      under--
      return intercept?.(request, next, signal) ?? next()
    }
    const { stdout, stderr } = await world.run('rooms list --where record=true --page-size 20 -o ids')
    expect({ count: stdout.split('\n').length - 1, stderr, most }).toEqual({
      count: 44,
      stderr: partialRooms,
      most: 8,
    })
  })

  test('rooms list --where on a service with partial lists stops requesting full records at --limit', async () => {
    const run = await world.run('rooms list --where record=true --page-size 1 --limit 2 -o ids')
    expect(run.stdout).toBe(`${all[0].id}\n${all[1].id}\n`)
    expect(fullReads()).toHaveLength(2)
  })

  test('rooms list --where on a service with partial lists skips a room that is deleted while the command runs', async () => {
    const { intercept } = world
    world.intercept = async (request, next, signal) =>
      request.url.endsWith(all[0].id) ? answer(404, {}) : (intercept?.(request, next, signal) ?? next())
    expect(await listNames(['record=true'], partialRooms)).toBe('Gamma Beta Alpha')
  })

  test('rooms delete --where on a service with partial lists exits 6 without a write if a full record cannot be read', async () => {
    const { intercept } = world
    world.intercept = async (request, next, signal) =>
      request.url.endsWith(all[2].id) ? answer(503, {}) : (intercept?.(request, next, signal) ?? next())
    expect(await world.run('rooms delete --where record=true --yes --retries 0')).toMatchObject({
      code: 6,
      stdout: '',
    })
    expect(writes()).toEqual([])
  })

  test('rooms delete --where --dry-run on a service with partial lists prints the matched field and value of each room', async () => {
    const [delta, , beta] = all
    expect(
      await world.run([
        'rooms',
        'delete',
        '--where',
        'created_at>90d',
        '--where',
        'layout=grid',
        '--dry-run',
      ]),
    ).toMatchObject({
      code: 0,
      stdout: [delta, beta].map(({ id }) => `DELETE https://meet.test/v1/rooms/${id}\n`).join(''),
      stderr:
        `selected by created_at > 2025-10-04T03:04:05.678Z (UTC)\n${partialRooms}2 rooms match\n` +
        [delta, beta]
          .map(({ id, name, created_at }) => `  ${id}  ${name}  created_at ${created_at}, layout grid\n`)
          .join(''),
    })
  })

  test('rooms delete --where on a service with partial lists shows the matched field and value of the room in the prompt', async () => {
    const [, gamma] = all
    const { host, done } = world.start(['rooms', 'delete', '--where', 'status!=active'], { tty: true })
    setImmediate(() => host.type('n\n'))
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(stderr).toContain(`Delete room “Gamma” (${gamma.id}; status terminated)`)
    expect(writes()).toEqual([])
  })

  test('rooms terminate --where --dry-run on a service with partial lists marks an empty value that matched', async () => {
    const { stderr } = await world.run('rooms terminate --where terminated_at= --where name=Beta --dry-run')
    expect(stderr).toContain('  Beta  terminated_at (empty)\n')
  })
})

describe('--where on members and users of a service with partial lists', () => {
  const partialMembers = partial('member', 'members')

  test.each([
    ['is_blocked=true', 'grace'],
    ['is_blocked!=true', 'ada'],
    ['status=blocked', 'grace'],
    ['status=', 'ada'],
    ['user_id~^g', 'grace'],
  ])(
    'members list --where %s on a service with partial lists selects members by their full records',
    async (condition, who) => {
      const { id, ...all } = await members()
      otherService(world, { minimalLists: true })
      expect(await world.run(`members list ${id} -o ids --where ${condition}`)).toMatchObject({
        code: 0,
        stdout: `${all[who as 'ada' | 'grace'].id}\n`,
        stderr: partialMembers,
      })
    },
  )

  test('members block --where blocks the matching members on a service with partial lists', async () => {
    const { id, ada } = await members()
    otherService(world, { minimalLists: true })
    expect(await world.run(`members block ${id} --where is_blocked=false --yes -o ids`)).toMatchObject({
      code: 0,
      stdout: `${ada.id}\n`,
      stderr: `${partialMembers}blocked 1 member\n`,
    })
  })

  test('users delete --where deletes the matching users on a service with partial lists', async () => {
    await members()
    otherService(world, { minimalLists: true })
    expect(await world.run('users delete --where email!=ada@x.test --yes -o ids')).toMatchObject({
      code: 0,
      stdout: 'grace\n',
      stderr: `${partial('user', 'users')}deleted 1 user\n`,
    })
  })
})

describe('--where on a field that is missing even from full records', () => {
  const nowhere = (noun: string, field: string) =>
    `error: --where: no checked ${noun} has a field “${field}”\n` +
    (noun === 'room'
      ? 'hint: show all fields with: meetroom rooms list --json --base-url https://meet.test/v1'
      : 'hint: omit the condition and add --json to show all fields') +
    '; fields with the value null may be missing\n'

  test.each(['layout=grid', 'layout!=grid', 'layout=', 'layout!=', 'layout~g', 'layout!~g', 'layout<z'])(
    'rooms delete --where %s is a usage error that names the field if even full records omit the field',
    async (condition) => {
      const all = await rooms()
      otherService(world, { minimalLists: true, without: ['layout'] })
      expect(await world.run(['rooms', 'delete', '--where', condition, '--yes'])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: partialRooms + nowhere('room', 'layout'),
      })
      expect(writes()).toEqual([])
      expect(fullReads()).toHaveLength(all.length)
    },
  )

  test('rooms list --where requests one full record and exits 2 if the lists are complete and no room has the field', async () => {
    await rooms()
    otherService(world, { without: ['layout'] })
    for (const format of ['table', 'json', 'ndjson', 'csv', 'ids']) {
      world.requests.length = 0
      const { code, stdout, stderr } = await world.run(
        `rooms list --where layout!=x --page-size 2 -o ${format}`,
      )
      const json = format === 'json' || format === 'ndjson'
      expect({ code, stdout, gets: fullReads().length }, format).toEqual({ code: 2, stdout: '', gets: 1 })
      if (!json) expect(stderr).toBe(nowhere('room', 'layout'))
    }
  })

  test.each([
    ['terminated_at=', ''],
    ['terminated_at!=', 'Gamma'],
    ['terminated_at!~2020', 'Gamma'],
    ['status!=active', 'Gamma'],
    ['status=active', ''],
  ])(
    'rooms list --where %s matches no room without the field, and a notice counts these rooms',
    async (condition, names) => {
      await rooms()
      otherService(world, { minimalLists: true, leavesNullsOut: true })
      const field = /^\w+/.exec(condition)?.[0]
      expect(await listNames([condition], `${partialRooms}3 rooms without ${field} do not match\n`)).toBe(
        names,
      )
    },
  )

  test('the notice about a missing field counts only items that match all other conditions', async () => {
    await rooms()
    otherService(world, { leavesNullsOut: true })
    expect(
      await listNames(['terminated_at!=', 'name~^[BG]'], '1 room without terminated_at does not match\n'),
    ).toBe('Gamma')
  })

  test('sessions list --where prints a notice about sessions without the field, which have no full record', async () => {
    const items = [{ id: 's1', disconnected_at: '2026-01-01T00:00:00Z' }, { id: 's2' }]
    otherService(world, { sessions: { items, paged: true } })
    expect(await world.run('sessions list r -o ids --where status!=online')).toMatchObject({
      code: 0,
      stdout: 's1\n',
      stderr: '1 session without status does not match\n',
    })
    expect(await world.run('sessions list r -o ids --where connected_at<1d')).toMatchObject({
      code: 2,
      stderr: nowhere('session', 'connected_at'),
    })
  })

  test('one notice counts the members of all rooms that lack the field of a --where condition', async () => {
    await members()
    const { id } = await room('R2')
    await world.send('POST', '/users', { user_id: 'alan' })
    await world.send('POST', `/rooms/${id}/members`, { user_id: 'alan' })
    const command = 'members export --all-rooms --columns user_id --no-header --where name!=x'
    otherService(world, { leavesNullsOut: true })
    expect(await world.run(command)).toMatchObject({
      code: 0,
      stdout: 'grace\r\nada\r\n',
      stderr: `1 member without name does not match\nexported 2 members\n${lostNotice('members')}`,
    })
    otherService(world, { without: ['name'] })
    expect(await world.run(command)).toMatchObject({ code: 2, stdout: '', stderr: nowhere('member', 'name') })
  })
})

describe('the status column', () => {
  const statuses = async (command: string) =>
    (await world.run(`${command} -o csv --columns status --no-header`)).stdout.split('\r\n').slice(0, -1)

  test('the status column is empty for a room without is_terminated and terminated_at', async () => {
    await rooms()
    otherService(world, { minimalLists: true })
    expect(await statuses('rooms list --terminated')).toEqual([''])
    expect(await statuses('rooms list')).toEqual(['', '', '', ''])
    expect((await world.run('rooms list --columns name,status')).stdout).toBe(
      'NAME   STATUS\n─────  ──────\nDelta\nGamma\nBeta\nAlpha\n',
    )
  })

  test('the status column shows active or terminated according to a boolean is_terminated', async () => {
    await rooms()
    otherService(world, { tellsTerminated: true, without: ['terminated_at'] })
    expect(await statuses('rooms list')).toEqual(['active', 'terminated', 'active', 'active'])
    expect(await listNames(['status=terminated'], '')).toBe('Gamma')
  })

  test('the status column is empty for a member without is_blocked', async () => {
    const { id } = await members()
    otherService(world, { without: ['is_blocked'] })
    expect(await statuses(`members list ${id}`)).toEqual(['', ''])
    expect(await world.run(`members list ${id} --where status=`)).toMatchObject({ code: 2, stdout: '' })
  })

  test('the status column is empty for a session without disconnected_at', async () => {
    const items = [{ id: 's1', disconnected_at: null }, { id: 's2' }]
    otherService(world, { sessions: { items, paged: false } })
    expect(await statuses('sessions list r')).toEqual(['online', ''])
  })
})

describe('an export from a service with partial lists', () => {
  const formats = ['csv', 'ndjson', 'json'] as const

  test.each(formats)(
    'an export from a service with partial lists as %s contains all fields, and an import restores these fields',
    async (format) => {
      const { id } = await members()
      await rooms()
      const from = world
      const to = await createWorld()
      const columns = {
        users: 'user_id,name,default_member_type,email',
        rooms: 'name,type,layout,record,max_meeting_seconds',
        members: 'user_id,type,is_blocked',
      }
      const rows = async (world: World, kind: keyof typeof columns, rooms: string) => {
        const { stdout } = await world.run(`${kind} export ${rooms}--columns ${columns[kind]}`)
        return stdout.split('\r\n').sort()
      }
      const before = {
        users: await rows(from, 'users', ''),
        rooms: await rows(from, 'rooms', ''),
        members: await rows(from, 'members', `${id} `),
      }
      otherService(from, { minimalLists: true })
      for (const [command, told] of [
        [
          'users export',
          `${partial('user', 'users')}exported 2 users, without access tokens (--show-tokens includes them)\n`,
        ],
        ['rooms export', `${partialRooms}exported 5 rooms\n`],
        [
          `members export ${id}`,
          `${partial('member', 'members')}exported 2 members, without access tokens (--show-tokens includes them)\n`,
        ],
      ] as const) {
        const { code, stdout, stderr } = await from.run(`${command} -o ${format}`)
        expect({ code, stderr }, command).toEqual({ code: 0, stderr: told + lostNotice(command) })
        writeFileSync(join(to.dir, `${command.split(' ')[0]}.${format}`), stdout)
      }
      expect((await to.run(`users import users.${format}`)).code).toBe(0)
      const made = await to.run(`rooms import rooms.${format} -o ndjson`)
      writeFileSync(join(to.dir, 'ids.ndjson'), made.stdout)
      expect((await to.run(`members import members.${format} --room-ids ids.ndjson`)).code).toBe(0)
      expect({
        users: await rows(to, 'users', ''),
        rooms: await rows(to, 'rooms', ''),
        members: await rows(to, 'members', '--all-rooms '),
      }).toEqual(before)
    },
  )

  test('an export with --where from a service with partial lists requests each full record once', async () => {
    const all = await rooms()
    otherService(world, { minimalLists: true })
    expect(await world.run('rooms export --where layout=grid --columns name,layout,record')).toMatchObject({
      code: 0,
      stdout: 'name,layout,record\r\nDelta,grid,true\r\nBeta,grid,true\r\n',
      stderr: `${partialRooms}exported 2 rooms\n${lostNotice('rooms')}`,
    })
    expect(fullReads().sort()).toEqual(all.map(({ id }) => `GET /rooms/${id}`).sort())
  })

  test('an export of all members from a service with partial lists prints one notice', async () => {
    await members()
    await members()
    otherService(world, { minimalLists: true })
    const { code, stdout, stderr } = await world.run(
      'members export --all-rooms --columns user_id,is_blocked',
    )
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'user_id,is_blocked\r\ngrace,true\r\nada,false\r\ngrace,true\r\nada,false\r\n',
      stderr: `${partial('member', 'members')}exported 4 members\n${lostNotice('members')}`,
    })
    expect(fullReads()).toHaveLength(4)
  })

  test('an export from a service with complete lists requests one full record, even for many rooms', async () => {
    for (let i = 0; i < 3; i++) await members()
    const { stderr } = await world.run('members export --all-rooms')
    expect(stderr).toBe(
      `exported 6 members, without access tokens (--show-tokens includes them)\n${lostNotice('members')}`,
    )
    expect(fullReads()).toHaveLength(1)
  })

  test('an export from a service with partial lists contains users whose IDs cannot be part of a path, such as “..”', async () => {
    const users = ['..', 'ada', '.'].map((user_id) => ({ user_id }))
    world.intercept = async ({ url }) =>
      answer(200, url.includes('?') ? { users, paging: { total: 3 } } : { user: users[1] })
    const { stdout, stderr } = await world.run('users export --columns user_id --no-header')
    expect({ stdout, stderr }).toEqual({
      stdout: '..\r\nada\r\n.\r\n',
      stderr: `exported 3 users\n${lostNotice('users')}`,
    })
    expect(fullReads()).toEqual(['GET /users/ada'])
  })

  test('an export from a service with partial lists keeps the nested contents of unlisted fields', async () => {
    await rooms()
    const metadata = { tags: ['a', { deep: null }] }
    otherService(world, { minimalLists: true, unlisted: { metadata } })
    for (const format of ['ndjson', 'json']) {
      const { stdout } = await world.run(`rooms export -o ${format}`)
      expect(stdout.match(/"metadata":\{"tags":\["a",\{"deep":/g)).toHaveLength(4)
    }
  })
})

describe('rooms with UUIDs as IDs', () => {
  test('rooms commands read, filter and delete rooms with UUIDs as IDs', async () => {
    const [delta, gamma] = await rooms()
    const { idOf } = otherService(world, { minimalLists: true, ids: 'uuid' })
    await world.run('rooms list')
    const id = idOf(gamma.id)
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect((await world.run(`rooms get ${id} -o csv --columns id,name`)).stdout).toBe(
      `id,name\r\n${id},Gamma\r\n`,
    )
    expect((await world.run('rooms list -o ids --where status=terminated')).stdout).toBe(`${id}\n`)
    expect((await world.run('rooms export --columns id,name --where max_meeting_seconds=60')).stdout).toBe(
      `id,name\r\n${id},Gamma\r\n`,
    )
    expect((await world.run('rooms delete --where status=terminated --yes -o ids')).stdout).toBe(`${id}\n`)
    expect((await world.send('GET', `/rooms/${gamma.id}`)).status).toBe(400)
    expect((await world.send('GET', `/rooms/${delta.id}`)).status).toBe(200)
  })
})

describe('imports of members on a service without user IDs in members', () => {
  test('members import --if-exists update changes only the given member if lists omit the user ID', async () => {
    const { id, ada, grace } = await members()
    otherService(world, { minimalLists: true })
    writeFileSync(join(world.dir, 'm.csv'), `room_id,user_id,type\n${id},ada,guest\n`)
    expect(
      await world.run(`members import ${world.dir}/m.csv --if-exists update --no-journal`),
    ).toMatchObject({
      code: 0,
      stderr: 'imported 1 of 1 member: updated 1\n',
    })
    expect((await world.send('GET', `/rooms/${id}/members`)).body.members).toMatchObject([
      { ...grace, updated_at: expect.anything() },
      { id: ada.id, user_id: 'ada', type: 'guest' },
    ])
  })

  test('rooms import --if-exists update sets the name of a member from the row if responses omit the current name', async () => {
    const { id } = await members()
    otherService(world, { without: ['name'] })
    const { intercept } = world
    world.intercept = async (request, next, signal) =>
      request.url.includes('/members') && intercept ? intercept(request, next, signal) : next()
    writeFileSync(
      join(world.dir, 'r.json'),
      JSON.stringify([
        { id, name: 'R', type: 'private', members: [{ user_id: 'ada', type: 'host', name: 'Countess' }] },
      ]),
    )
    const run = await world.run(`rooms import ${world.dir}/r.json --if-exists update --no-journal`)
    expect(run).toMatchObject({
      code: 0,
      stderr: 'warning: the service accepted name, but does not show it\nimported 1 of 1 room: updated 1\n',
    })
    const { members: all } = (await world.send('GET', `/rooms/${id}/members`)).body
    expect(all.find((member: any) => member.user_id === 'ada')).toMatchObject({ name: 'Countess' })
  })
})
