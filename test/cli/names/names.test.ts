import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { Context } from '../../../src/cli/kernel/context.ts'
import {
  RoomArgument,
  RoomOption,
  resolveNames,
  UserArgument,
  UserOption,
  userArgumentText,
} from '../../../src/cli/names/arguments.ts'
import { allCalls, prepare, stays } from '../../helpers/calls.ts'
import { testHost } from '../../helpers/host.ts'
import { perTest } from '../../helpers/per-test.ts'
import { leaves } from '../../helpers/tree.ts'
import { answer, baseUrl, createWorld } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

const world = perTest(createWorld)

const room = async (name: string): Promise<string> =>
  (await world.send('POST', '/rooms', { name, type: 'private' })).body.room.id
const requests = (of = world) =>
  of.requests.map(({ method, url }) => `${method} ${url.slice(baseUrl.length)}`)
const lookup = (name: string) => `GET /rooms?name=${encodeURIComponent(name)}&limit=10`

// Completion does not check the names in a line.
const everyCall = (await allCalls()).filter((call) => !/^__complete/.test(call))
const calls = everyCall.filter((call) => /\bROOM\b/.test(call) && !stays.test(call))

// `webhooks trigger` only puts the room ID into an event.
const commandsWithLookup = async () =>
  (await leaves()).filter(({ words }) => words.join(' ') !== 'webhooks trigger')

describe('a command that accepts a room', () => {
  test('the tests of room arguments cover more than 15 command lines', () => {
    expect(calls.length).toBeGreaterThan(15)
  })

  test('each argument or flag for a room is named “room” and documents name:NAME', async () => {
    for (const { words, command } of await commandsWithLookup()) {
      const given = [...command.registeredArguments, ...command.options]
      for (const each of given) {
        const isRoom = each.name() === 'room'
        const says = each.description.includes("name:NAME, as in 'name:Weekly sync'")
        expect(says, `${words.join(' ')} ${each.name()}`).toBe(isRoom)
        if (!isRoom)
          expect(each.description, words.join(' ')).not.toMatch(/^(ids? of )?(the )?room( id|s)?\b/)
      }
    }
  })

  test('each argument or flag named “room” is a RoomArgument or RoomOption, except in rooms wait', async () => {
    const undeclared = (await commandsWithLookup()).flatMap(({ words, command }) =>
      [...command.registeredArguments, ...command.options]
        .filter((each) => each.name() === 'room')
        .filter((each) => !(each instanceof RoomArgument || each instanceof RoomOption))
        .map(() => words.join(' ')),
    )
    expect(undeclared).toEqual(['rooms wait'])
  })

  test.each(calls)(
    'the command “%s” with a room name sends one lookup before the same requests as with an ID',
    async (call) => {
      const given = { word: 'ROOM', name: 'name:R', lookup: 'GET /rooms?name=R&limit=10' }
      await expectSameAsById(call, given)
      expect((await runCall(call, { ...given, name: 'id:name:R' }, [])).requests).not.toContain(given.lookup)
    },
  )
})

interface GivenName {
  /** Word of the call that the name replaces. */
  word: string
  name: string
  lookup: string
}

/** Runs a call in a new world. An empty name keeps the ID. */
async function runCall(call: string, { word, name }: GivenName, flags: readonly string[]) {
  const { world, argvOf } = await prepare()
  await world.send('PUT', '/users/ada', { name: 'Ada L', email: 'Ada@school.example' })
  const typed = call.split(' ').flatMap((each) => (each === word && name !== '' ? [name] : argvOf(each)))
  const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
  const { code, stdout, stderr } = await world.run([...typed, '--yes', ...flags], { env })
  // Directories, IDs and tokens differ between worlds.
  const plain = (text: string) =>
    text
      .replaceAll(world.dir, 'DIR')
      .replace(/[0-9a-f]{24}/g, 'ID')
      .replace(/(ID\.)?(?<![\w-])[\w-]{42}(?![\w-])/g, 'TOKEN')
  return { code, stdout: plain(stdout), stderr: plain(stderr), requests: requests(world).map(plain) }
}

/** Cached results of calls with IDs. */
const resultsById = new Map<string, ReturnType<typeof runCall>>()

function runById(call: string, given: GivenName, flags: readonly string[]): ReturnType<typeof runCall> {
  const key = [call, ...flags].join(' ')
  const result = resultsById.get(key) ?? runCall(call, { ...given, name: '' }, flags)
  resultsById.set(key, result)
  return result
}

async function expectSameAsById(call: string, given: GivenName): Promise<void> {
  // In a quick run, each call is tested with one of the flags.
  const flagsOfCalls = [['-o', 'json'], ['--dry-run'], ['--curl']]
  for (const flags of share(flagsOfCalls, everyCall.indexOf(call), flagsOfCalls.length)) {
    const byId = await runById(call, given, flags)
    const byName = await runCall(call, given, flags)
    const [, path = ''] = given.lookup.split(' ')
    const comment = `# curl -X GET '${baseUrl}${path}' -H "Authorization: Bearer $MEETROOM_API_KEY"\n`
    expect(byName, flags.join(' ')).toEqual({
      ...byId,
      stdout: flags.includes('--curl') ? comment + byId.stdout : byId.stdout,
      requests: [given.lookup, ...byId.requests],
    })
  }
}

describe('a command that accepts a user', () => {
  const userCalls = everyCall.filter(
    (call) => /\bada\b/.test(call) && !/^(users create|api)\b/.test(call) && !stays.test(call),
  )

  test('each argument or flag for a user mentions names and emails in the help', async () => {
    const silent = (await leaves()).flatMap(({ words, command }) =>
      [...command.registeredArguments, ...command.options]
        .filter((each) => each instanceof UserArgument || each instanceof UserOption)
        .filter((each) => !each.description.includes(userArgumentText))
        .map((each) => `${words.join(' ')} ${each.name()}`),
    )
    expect(silent).toEqual([])
  })

  test.each(userCalls)(
    'the command “%s” with an email sends one list request before the same requests as with an ID',
    (call) =>
      expectSameAsById(call, {
        ...{ word: 'ada', name: 'email:ada@SCHOOL.example', lookup: 'GET /users?limit=1000' },
      }),
  )
})

describe('a user given as name:… or email:…', () => {
  const create = (user_id: string, name: string, email?: string) =>
    world.send('POST', '/users', { user_id, name, ...(email && { email }) })
  const lookupOfUsers = 'GET /users?limit=1000'

  test('users get resolves name:… case-sensitively and email:… case-insensitively', async () => {
    await create('a1', 'Ada', 'ada@School.example')
    await create('a2', 'ada', 'ada@school.example.org')
    expect((await world.run('users get name:Ada -o ids')).stdout).toBe('a1\n')
    expect((await world.run('users get email:ADA@school.example -o ids')).stdout).toBe('a1\n')
    expect(requests()).toEqual([lookupOfUsers, 'GET /users/a1', lookupOfUsers, 'GET /users/a1'])
  })

  test('users delete resolves several names and emails with one list request', async () => {
    await create('a', 'Ada', 'ada@school.example')
    await create('g', 'Grace')
    await world.run('users delete name:Grace email:ada@school.example --yes')
    expect(requests().filter((line) => !line.startsWith('DELETE'))).toEqual([lookupOfUsers])
  })

  test('users delete exits 2 with the matching IDs if several users match a name or an email', async () => {
    await create('a1', 'Ada', 'ada@school.example')
    await create('a2', 'Ada', 'ADA@school.example')
    for (const [given, words, field] of [
      ['name:Ada', 'are named “Ada”', 'name'],
      ['email:ada@school.example', 'have the email “ada@school.example”', 'email'],
    ])
      expect(await world.run(['users', 'delete', given ?? '', '--yes'])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: 2 users ${words}: a2, a1\nhint: pass one of these IDs instead of the ${field}\n`,
      })
    expect(requests()).toEqual([lookupOfUsers, lookupOfUsers])
  })

  test.each([
    ['name:ADA LOVELACE', 'no user is named “ADA LOVELACE”'],
    ['email:ada@shcool.example', 'no user has the email “ada@shcool.example”'],
    ['name:ada', 'no user is named “ada”'],
  ])('users update with the unknown user “%s” exits 3 and suggests a similar user', async (given, words) => {
    await create('ada', 'Ada Lovelace', 'ada@school.example')
    const { code, stderr } = await world.run(['users', 'update', given, '--name', 'A'])
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `error: no such user: ${words}\nhint: did you mean “Ada Lovelace” (ada)? meetroom users update ada --name A --base-url https://meet.test/v1\n`,
    })
    expect(requests()).toEqual([lookupOfUsers])
  })

  test('users get email:… exits 1 if the service returns no emails', async () => {
    world.intercept = async () => answer(200, { users: [{ user_id: 'ada' }], paging: { total: 1 } })
    const { code, stderr } = await world.run('users get email:ada@school.example')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: the service does not show the emails of users, so no user can be found by its email\n',
    })
  })

  test('members block --ignore-not-found skips an unknown user in a repeated --user', async () => {
    await create('ada', 'Ada')
    const id = await room('R')
    const { member } = (await world.send('POST', `/rooms/${id}/members`, { user_id: 'ada' })).body
    const flags = '--user name:Ada --user name:gone --yes -o ids'
    expect((await world.run(`members block ${id} ${flags}`)).code).toBe(3)
    expect(await world.run(`members block ${id} ${flags} --ignore-not-found`)).toMatchObject({
      code: 0,
      stdout: `${member.id}\n`,
    })
  })

  test('users create treats the argument name:… as a new ID', async () => {
    expect((await world.run('users create name:x -o ids')).stdout).toBe('name:x\n')
    expect((await world.run('users get id:name:x -o ids')).stdout).toBe('name:x\n')
    expect(requests()).not.toContain(lookupOfUsers)
  })
})

describe('an argument or flag declared as a room', () => {
  const declared = new Command()
    .argument('[room]')
    .addArgument(new RoomArgument('[place...]'))
    .addOption(new RoomOption('--hall <hall>', 'another room'))
  test('resolveNames() resolves only the values of a RoomArgument or RoomOption', async () => {
    const context = new Context({
      host: testHost(),
      flags: { header: true, audit: true, color: false },
      command: 'rooms get',
      interrupt: new AbortController().signal,
      openBackup: async () => undefined,
      readList: async function* () {},
    })
    const args = ['id:a', ['id:a', 'b'], { hall: 'id:c' }]
    expect(await resolveNames(context, declared, args)).toEqual(['id:a', ['a', 'b'], { hall: 'c' }])
  })
})

describe('a room given as name:…', () => {
  test('rooms get name:… matches the room name case-sensitively', async () => {
    const id = await room('Weekly sync')
    await room('weekly sync')
    expect((await world.run(['rooms', 'get', 'name:Weekly sync', '-o', 'ids'])).stdout).toBe(`${id}\n`)
    expect(requests()).toEqual([lookup('Weekly sync'), `GET /rooms/${id}`])
  })

  test('rooms delete looks up a repeated room name once', async () => {
    const ids = [await room('a'), await room('b')]
    const { stdout } = await world.run('rooms delete name:a name:b name:a --yes -o ids')
    expect(stdout).toBe(`${ids.join('\n')}\n`)
    expect(requests().filter((line) => line.startsWith('GET'))).toEqual([lookup('a'), lookup('b')])
  })

  test('rooms delete name:… exits 3 if no room has the name', async () => {
    await room('Weekly')
    expect(await world.run(['rooms', 'delete', 'name:Weekly sync', '--yes'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr:
        'error: no such room: no room is named “Weekly sync”\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
    })
    expect(requests()).toEqual([lookup('Weekly sync'), 'GET /rooms?limit=1000'])
  })

  test('rooms get name:… suggests a room with a similar name, except with --curl', async () => {
    const id = await room('Weekly sync')
    expect((await world.run(['rooms', 'get', 'name:weekly sync'])).stderr).toBe(
      `error: no such room: no room is named “weekly sync”\nhint: did you mean “Weekly sync” (${id})? meetroom rooms get ${id} --base-url https://meet.test/v1\n`,
    )
    world.requests.length = 0
    expect((await world.run(['rooms', 'get', 'name:weekly sync', '--curl'])).stderr).toContain(
      'list the rooms',
    )
    expect(requests()).toEqual([lookup('weekly sync')])
  })

  test('rooms delete name:… exits 2 with the IDs if several rooms have the name', async () => {
    const ids = [await room('x'), await room('x')].reverse()
    expect(await world.run('rooms delete name:x --yes')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: 2 rooms are named “x”: ${ids.join(', ')}\nhint: pass one of these IDs instead of the name\n`,
    })
    expect(requests()).toEqual([lookup('x')])
  })

  test('rooms get name:… prints an error with ten IDs if more than ten rooms have the name', async () => {
    for (let i = 0; i < 12; i++) await room('x')
    expect((await world.run('rooms get name:x')).stderr).toMatch(
      /^error: 10 or more rooms are named “x”: (\w{24}, ){9}\w{24}\n/,
    )
  })

  test('rooms delete name:… --ignore-not-found exits 0 if no room has the name', async () => {
    const id = await room('a')
    const flags = '--yes --ignore-not-found -o ids'
    expect(await world.run(`rooms delete name:gone name:a ${flags}`)).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
      stderr: 'deleted 1 room; 1 did not exist\n',
    })
    expect(await world.run(`rooms delete name:gone ${flags}`)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'deleted 0 rooms; 1 did not exist\n',
    })
  })

  test('rooms get name: exits 2 with an error about the empty name', async () => {
    expect(await world.run('rooms get name:')).toMatchObject({
      code: 2,
      stderr: 'error: the name after “name:” is empty\n',
    })
    expect(requests()).toEqual([])
  })

  test('rooms get name:… searches all pages if the service ignores the name filter', async () => {
    const rooms = Array.from({ length: 25 }, (_, i) => ({ id: `r${i}`, type: 'open', name: `n${i}` }))
    world.intercept = async ({ url }) => {
      const { pathname, searchParams } = new URL(url)
      const at = Number(searchParams.get('offset') ?? 0)
      if (pathname.endsWith('/rooms'))
        return answer(200, { rooms: rooms.slice(at, at + 10), paging: { total: 25 } })
      return answer(200, { room: rooms.find(({ id }) => pathname.endsWith(`/${id}`)) })
    }
    expect((await world.run('rooms get name:n24 -o ids')).stdout).toBe('r24\n')
    expect((await world.run('rooms get name:n25')).code).toBe(3)
  })

  test('the prompt of rooms delete name:… shows the room ID', async () => {
    const id = await room('Weekly')
    const { host, done } = world.start(['rooms', 'delete', 'name:Weekly'], { tty: true })
    host.type('n\n')
    expect((await done).stderr).toContain(`Delete room “Weekly” (${id})`)
  })

  test('rooms delete name:… exits 2 without a lookup on a protected profile', async () => {
    const { world, argvOf } = await prepare({ isProtected: true })
    const env = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
    expect((await world.run(argvOf('rooms delete name:R --yes'), { env })).code).toBe(2)
    expect(world.requests).toEqual([])
    expect((await world.run(argvOf('rooms get name:R'), { env })).code).toBe(0)
  })

  test('an interrupted members import --room name:… suggests a --resume command with the room ID', async () => {
    const id = await room('R')
    for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
    writeFileSync(join(world.dir, 'members.csv'), 'user_id\nada\ngrace\n')
    const { host, done } = world.start('members import members.csv --room name:R --concurrency 1'.split(' '))
    world.intercept = async ({ method }, next) => {
      if (method === 'POST') host.signal('SIGINT')
      return next()
    }
    expect((await done).stderr).toContain(`members import members.csv --room ${id} --concurrency 1 --resume`)
  })

  test('rooms delete id:- exits 2 instead of reading standard input', async () => {
    const { code, stderr } = await world.run('rooms delete id:- --yes', { stdin: 'r1\n' })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: “id:-” is not an ID: “-” means standard input\n',
    })
    expect(requests()).toEqual([])
  })

  test.each(['rooms[', 'nope(@)'])(
    'rooms get name:x exits 2 without a lookup for the invalid --query expression %j',
    async (query) => {
      expect((await world.run(['rooms', 'get', 'name:x', '--query', query])).code).toBe(2)
      expect(requests()).toEqual([])
    },
  )
})

describe('a room argument', () => {
  test.each([
    ['id:r1', 'r1'],
    ['id:name:foo', 'name:foo'],
    ['id:id:foo', 'id:foo'],
    ['id:', ''],
    ['r1', 'r1'],
    ['Name:foo', 'Name:foo'],
    ['x:name:foo', 'x:name:foo'],
  ])('rooms get %s requests the room ID “%s”, or exits 2 if the ID is empty', async (given, id) => {
    world.intercept = async () => answer(200, { room: { id, type: 'open', name: 'n' } })
    const { code, stderr } = await world.run(['rooms', 'get', given])
    if (id === '') expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: the room ID is empty\n' })
    else expect(requests()).toEqual([`GET /rooms/${encodeURIComponent(id)}`])
  })
})

describe('a value with a room prefix', () => {
  const looks = () => requests().filter((line) => line === lookup('x'))

  test.each(['name:x', 'id:x'])(
    'rooms delete treats the line “%s” on standard input as a room ID',
    async (stdin) => {
      await room('x')
      for (const line of ['rooms delete - --yes', 'rooms terminate - --yes', 'members export -'])
        await world.run(line, { stdin: `${stdin}\n` })
      expect(looks()).toEqual([])
      expect(requests()).toContain(`DELETE /rooms/${encodeURIComponent(stdin)}`)
    },
  )

  test('members import treats name:x in the column room_id as an ID', async () => {
    await room('x')
    writeFileSync(join(world.dir, 'members.csv'), 'room_id,user_id\nname:x,ada\n')
    await world.run('members import members.csv --no-journal')
    expect(looks()).toEqual([])
    expect(requests().filter((line) => !line.includes('/rooms/name%3Ax/'))).toEqual(['GET /rooms?limit=1'])
  })

  test('members get ROOM name:x and rooms update --name name:x send no room lookup', async () => {
    const id = await room('x')
    await world.run(`members get ${id} name:x`)
    await world.run(`rooms update ${id} --name name:x`)
    expect(looks()).toEqual([])
  })
})

test('users delete ada from Maths exits 2 without a request', async () => {
  expect(await world.run('users delete ada from Maths --yes')).toMatchObject({
    code: 2,
    stderr:
      'error: the arguments must be IDs, not a sentence with “from”\n' +
      'hint: omit “from”; quote a name with spaces\n',
  })
  expect(world.requests).toEqual([])
})
