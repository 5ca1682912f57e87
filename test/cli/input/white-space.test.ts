import { describe, expect, test } from 'vitest'
import { IdArgument, IdOption } from '../../../src/cli/input/id-arguments.ts'
import { allCalls, prepare, sendsNothing } from '../../helpers/calls.ts'
import { createImportWorld } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { leaves } from '../../helpers/tree.ts'

const world = perTest(createImportWorld)

/** Unicode white space, and invisible characters that copying adds. */
const spaces = [' ', '\t', '\n', '\u00a0', '\u0085', '\u2003', '\u3000', '\u200b', '\u2060', '\ufeff']

const isId = (name: string) => ['room', 'user', 'user-id', 'member', 'id'].includes(name)
const valueName = (flags: string) => /<([\w-]+)/.exec(flags)?.[1] ?? ''

/** Lists command lines, each with the placeholder `ID` in one place. */
async function listIdArguments(): Promise<string[]> {
  const found = (await leaves()).flatMap(({ words, command }) => {
    const line = (id: number) =>
      command.registeredArguments
        .map((argument, i) => (i === id ? 'ID' : argument.required ? 'x' : ''))
        .filter(Boolean)
    const positionals = command.registeredArguments.flatMap((argument, i) =>
      isId(argument.name()) ? [[...words, ...line(i)].join(' ')] : [],
    )
    const flags = command.options.flatMap((option) =>
      isId(valueName(option.flags)) ? [[...words, ...line(-1), option.long, 'ID'].join(' ')] : [],
    )
    return [...positionals, ...flags]
  })
  return found
}

const calls = await allCalls()
const places = await listIdArguments()
const wordsOf = (line: string, id: string) => line.split(' ').map((word) => (word === 'ID' ? id : word))

describe('an ID on the command line', () => {
  test('the tested arguments and flags for an ID include those of members get, join and rooms wait', async () => {
    expect(places.length).toBeGreaterThan(35)
    expect(places).toEqual(
      expect.arrayContaining([
        'users delete ID',
        'members get x --user ID',
        'join x --as ID',
        'rooms wait ID',
      ]),
    )
  })

  test('every argument and flag that accepts an ID is declared as an ID, except rooms create --member', async () => {
    const undeclared = (await leaves()).flatMap(({ words, command }) => [
      ...command.registeredArguments
        .filter((argument) => isId(argument.name()) && !(argument instanceof IdArgument))
        .map((argument) => [...words, argument.name()].join(' ')),
      ...command.options
        .filter((option) => isId(valueName(option.flags)) && !(option instanceof IdOption))
        .map((option) => [...words, option.long].join(' ')),
    ])
    // The value contains more than an ID, and its parser checks the ID.
    expect(undeclared).toEqual(['rooms create --member'])
  })

  const requiredFlags = [
    ['rooms wait', '--for', 'empty'],
    ['webhooks trigger', '--to', 'https://h.test/'],
    ['local fail', '--control', 'control.json'],
  ] as const
  const refused = { code: 2, stderr: expect.stringMatching(/ has white space around it\n/) }
  const run = async (line: string, id: string) => {
    const required = requiredFlags.find(([command]) => line.startsWith(command))?.slice(1) ?? []
    const { code, stderr } = await world.run([
      ...wordsOf(line.replace('trigger x', 'trigger sessionJoined'), id),
      ...required,
      '--yes',
    ])
    return { code, stderr }
  }

  test.each(places)(
    'the command “%s” is refused before the first request if white space surrounds the ID',
    async (line) => {
      for (const id of [' bob', 'bob ', 'bob\u00a0']) expect(await run(line, id)).toEqual(refused)
      expect(world.requests).toEqual([])
    },
  )

  test('an ID on the command line is refused if white space of any kind surrounds the ID', async () => {
    for (const space of spaces)
      for (const id of [`${space}bob`, `bob${space}`])
        expect(await run('users delete ID', id), JSON.stringify(id)).toEqual(refused)
    expect(world.requests).toEqual([])
  })

  test('an ID on the command line is refused if it consists only of a carriage return', async () => {
    for (const line of ['users create ID', 'users get ID', 'members add x ID', 'rooms get ID'])
      expect(await run(line, '\r'), line).toEqual(refused)
    expect(world.requests).toEqual([])
  })

  test('rooms create --member refuses a user ID that ends with white space', async () => {
    const argv = ['rooms', 'create', '--name', 'R', '--type', 'private', '--member', 'bob :host']
    expect(await world.run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining('“bob ”') })
    expect(world.requests).toEqual([])
  })

  test('a room given as name:… can have white space at the end of its name', async () => {
    const id = await world.room('Maths 7a ')
    expect(await world.run(['rooms', 'get', 'name:Maths 7a ', '-o', 'ids'])).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
    })
  })
})

describe('an ID with a carriage return at its end', () => {
  test('an ID that ends with a carriage return is accepted as an argument and on standard input', async () => {
    for (const user_id of ['ada', 'bob']) await world.send('POST', '/users', { user_id })
    const args = ['users', 'get', 'ada\r', '-o', 'ids']
    expect(await world.run(args)).toMatchObject({ code: 0, stdout: 'ada\n', stderr: '' })
    const listed = await world.run('users list -o csv --columns user_id --no-header')
    expect(listed.stdout).toBe('bob\r\nada\r\n')
    const given = ['users', 'rooms', ...listed.stdout.split('\n').filter(Boolean)]
    expect(await world.run(given)).toMatchObject({ code: 0 })
    expect(await world.run('users delete - --yes', { stdin: listed.stdout })).toMatchObject({
      code: 0,
      stderr: 'deleted 2 users\n',
    })
    expect(await world.users()).toEqual({})
  })

  test.each(calls.filter((call) => / (ada|grace|ROOM|MEMBER)\b/.test(call) && !sendsNothing.test(call)))(
    'the command “%s” sends the same requests if its IDs end with a carriage return',
    async (call) => {
      const send = async (end: string) => {
        const { world, ids, argvOf } = await prepare()
        const isId = (word: string) => ['ada', 'grace', ids['ROOM'], ids['MEMBER']].includes(word)
        const argv = argvOf(`${call} --yes`).map((word) => (isId(word) ? word + end : word))
        await world.run(argv, { env: { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined } })
        return world.requests.map(({ method, url, body }) => ({ method, url, body }))
      }
      const sent = await send('\r')
      expect(sent).not.toEqual([])
      expect(sent).toEqual(await send(''))
    },
  )
})

describe('white space around values in an import', () => {
  test.each(spaces.filter((space) => !/[\t\n\u0085]/.test(space)))(
    'an import removes and counts white space around values if the white space is %j',
    async (space) => {
      world.file(
        'users.csv',
        `user_id,name,profile_url\n${space}bob${space},${space}Bob B${space},\nada,Ada,\n`,
      )
      const { code, stderr } = await world.run('users import users.csv')
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'white space around 2 values was removed (user_id 1, name 1)\nimported 2 of 2 users\n',
      })
      expect(await world.users()).toEqual({ ada: 'Ada', bob: 'Bob B' })
    },
  )

  test.each([
    ['users.ndjson', '{"user_id":" bob\\u00a0","name":"B ","email":" b@x.test"}\n'],
    ['users.json', '[{"user_id":" bob\\u00a0","name":"B ","email":" b@x.test"}]'],
  ])('an import removes white space around IDs, names and emails in %s', async (name, text) => {
    world.file(name, text)
    const { code, stderr } = await world.run(`users import ${name}`)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'white space around 3 values was removed (user_id 1, name 1, email 1)\n' + 'imported 1 of 1 user\n',
    })
    const sent = world.requests.find(({ method }) => method === 'POST')
    expect(JSON.parse(sent?.body ?? '')).toEqual({ user_id: 'bob', name: 'B', email: 'b@x.test' })
  })

  test('an import removes white space around room names, in members of rooms and in rows of members', async () => {
    for (const user_id of ['ada', 'bob']) await world.send('POST', '/users', { user_id })
    world.file('rooms.csv', 'name,type,members\nMaths 7a ,open,ada :host| bob\n')
    const rooms = await world.run('rooms import rooms.csv -o ids')
    expect(rooms.stderr).toContain('white space around 2 values was removed (name 1, user_id 1)\n')
    expect(await world.rooms()).toEqual(['Maths 7a'])
    const id = rooms.stdout.trim()
    expect(await world.members(id)).toEqual(['ada host -', 'bob guest -'])
    world.file('members.csv', `room_id,user_id,type\n ${id},bob ,host\n`)
    expect((await world.run('members import members.csv --if-exists update')).code).toBe(0)
    expect(await world.members(id)).toEqual(['ada host -', 'bob host -'])
  })

  test('users import removes white space around IDs before it detects repeated IDs', async () => {
    world.file('users.csv', 'user_id,name\nbob,Bob\n"bob ",Rob\n')
    expect(await world.run('users import users.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: users.csv:3: the same user_id as line 2\n'),
    })
    expect(world.writes()).toEqual([])
  })

  test('an import reads a cell that contains only spaces as an empty cell', async () => {
    world.file('users.csv', 'user_id,name\nbob,"  "\n')
    expect(await world.run('users import users.csv')).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual({ bob: null })
  })
})

describe('an import and its dry run', () => {
  test('an import reports values that differ only in case, white space or Unicode normalization', async () => {
    world.file(
      'users.csv',
      'user_id,name,email\n' +
        'jos\u00e9,Ada  Lovelace,Ada@X.test\n' +
        'jose\u0301,Ada Lovelace,ada@x.test\n' +
        'Ada@x.test,Bob,\n' +
        'ada@x.test,bob,\n',
    )
    const { code, stderr } = await world.run('users import users.csv --map email=email --dry-run')
    expect(code).toBe(0)
    expect(stderr.split('\n').filter((line) => line.includes('differs'))).toEqual([
      'warning: users.csv:3: user_id “jose\u0301” differs from the value in line 2 only by Unicode normalization',
      'warning: users.csv:3: name “Ada Lovelace” differs from the value in line 2 only by white space',
      'warning: users.csv:3: email “ada@x.test” differs from the value in line 2 only by letter case',
      'warning: users.csv:5: user_id “ada@x.test” differs from the value in line 4 only by letter case',
    ])
    expect(world.writes()).toEqual([])
  })

  test('an import and its dry run print the same warnings about emails without @ and IDs that look like text', async () => {
    const pupils = Array.from({ length: 20 }, (_, i) => `Ann Bee ${i},,\n`).join('')
    world.file(
      'users.csv',
      `user_id,name,email\nkate,kate@x.test,Kate Lee\nTotal: 1,,\n${pupils}auth0|5,,a@x.test\n`,
    )
    const warnings = [
      'users.csv:2: email “Kate Lee” has no @',
      'users.csv:3: user_id “Total: 1” does not look like an ID',
      ...Array.from(
        { length: 18 },
        (_, i) => `users.csv:${i + 4}: user_id “Ann Bee ${i}” does not look like an ID`,
      ),
    ]
    const expected = [...warnings.map((each) => `warning: ${each}`), 'and 2 more such warnings']
    for (const [flag, summary] of [
      ['--dry-run', 'would create 23, overwrite 0, skip 0 of 23 users; 0 would fail'],
      ['--if-exists=skip', 'imported 23 of 23 users'],
    ] as const) {
      const { code, stderr } = await world.run(['users', 'import', 'users.csv', flag])
      expect({ code, lines: stderr.split('\n') }).toEqual({ code: 0, lines: [...expected, summary, ''] })
    }
  })

  test.each(['ada@', 'Ada <ada@school.example>', 'ada@school.example, grace@school.example'])(
    'users create warns that the email %s is not valid',
    async (email) => {
      const { stderr } = await world.run(['users', 'create', 'ada', '--email', email, '--dry-run'])
      expect(stderr).toContain(`warning: email “${email}” is not a valid email address`)
    },
  )

  test('users create refuses an ID that looks like a name, unless --name is given', async () => {
    for (const flags of [['--dry-run'], []])
      expect(await world.run(['users', 'create', 'Kate Lee', ...flags])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^error: user_id “Kate Lee” does not look like an ID\nhint: with --name, .*: meetroom users create USER-ID --name 'Kate Lee' /,
        ),
      })
    expect(await world.run(['users', 'create', 'USER-ID', '--name', 'Kate Lee'])).toMatchObject({
      code: 2,
      stderr: 'error: “USER-ID” is a placeholder; replace it with a value\n',
    })
    expect(await world.run(['users', 'create', 'Kate Lee', '--name', 'Kate', '-o', 'ids'])).toMatchObject({
      code: 0,
      stdout: 'Kate Lee\n',
    })
  })

  test('an import reports room names that differ in inner white space, but not in removed white space', async () => {
    world.file('rooms.csv', 'name,type\nMaths 7a,open\nMaths 7a ,open\nMaths\u00a07a,open\nMaths 7a,open\n')
    const { stderr } = await world.run('rooms import rooms.csv --dry-run')
    expect(stderr.split('\n').filter((line) => line.includes('differs'))).toEqual([
      expect.stringMatching(
        /^warning: rooms.csv:4: name “Maths.*7a” differs from the value in line 2 only by white space$/,
      ),
    ])
  })

  test('an import prints no warning about equal values', async () => {
    const id = await world.room('R')
    for (const user_id of ['ada', 'bob']) await world.send('POST', '/users', { user_id })
    world.file('members.csv', `room_id,user_id,name\n${id},ada,A\n${id},bob,A\n`)
    const { stderr } = await world.run('members import members.csv --dry-run')
    expect(stderr).not.toContain('differs')
  })
})
