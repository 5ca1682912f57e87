import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSubstitution } from '../../../src/cli/filter/substitution.ts'
import { otherService } from '../../helpers/other-service.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createWorld)

const room = async (name: string, more: object = {}): Promise<string> =>
  (await world.send('POST', '/rooms', { name, type: 'open', ...more })).body.room.id
const writes = () => world.requests.filter(({ method }) => method !== 'GET')
const bodies = () => writes().map(({ body }) => JSON.parse(String(body)))
const update = (...argv: string[]) => world.run(['rooms', 'update', ...argv])
const names = async () =>
  (await world.send('GET', '/rooms')).body.rooms.map(({ name }: { name: string }) => name)

describe('rooms update --where', () => {
  test('rooms update --where --yes prints three examples before it updates four rooms', async () => {
    const ids = []
    for (const name of ['A', 'B', 'C', 'D', 'other']) ids.unshift(await room(name))
    const run = await update('--where', 'name~^.$', '--name', '{name} (2025)', '--yes', '-o', 'ids')
    expect(run).toMatchObject({
      code: 0,
      stdout: ids
        .slice(1)
        .map((id) => `${id}\n`)
        .join(''),
      stderr:
        '4 rooms change, for example:\n' +
        `  ${ids[1]}  name “D” → “D (2025)”\n` +
        `  ${ids[2]}  name “C” → “C (2025)”\n` +
        `  ${ids[3]}  name “B” → “B (2025)”\n` +
        'updated 4 rooms\n',
    })
    expect(await names()).toEqual(['other', 'D (2025)', 'C (2025)', 'B (2025)', 'A (2025)'])
  })

  test('rooms update --where --dry-run prints the changes and sends no write', async () => {
    const [two, one] = [await room('two'), await room('one')].reverse()
    const run = await update(
      '--where',
      'type=open',
      '--set',
      'note={name}/{type}',
      '--layout',
      'l-{id}',
      '--dry-run',
    )
    const url = 'https://meet.test/v1/rooms'
    expect(run).toMatchObject({
      code: 0,
      stdout:
        `PUT ${url}/${two} {"layout":"l-${two}","note":"one/open"}\n` +
        `PUT ${url}/${one} {"layout":"l-${one}","note":"two/open"}\n`,
      stderr:
        `2 rooms match\n  ${two}  one  type open\n  ${one}  two  type open\n` +
        `2 rooms change:\n  ${two}  layout “default” → “l-${two}”, note “one/open”\n` +
        `  ${one}  layout “default” → “l-${one}”, note “two/open”\n`,
    })
    expect(writes()).toEqual([])
  })

  test('rooms update --where on a terminal prints the changes before the confirmation prompt', async () => {
    const ids = [await room('A'), await room('B\u001b[2J')]
    const { host, done } = world.start(
      ['rooms', 'update', '--where', 'type=open', '--name', '{name}!', '-o', 'ids'],
      { tty: true },
    )
    setImmediate(() => host.type('2\n'))
    const { code, stderr } = await done
    const said = stripVTControlCharacters(stderr).replace(/\s+/g, ' ')
    expect(code).toBe(0)
    expect(stderr).not.toContain('\u001b[2J')
    expect(said.indexOf('2 rooms change:')).toBeLessThan(said.indexOf('Update 2 rooms'))
    expect(said).toContain(`${ids[1]} name “B\\u001b[2J” → “B\\u001b[2J!”`)
    expect(said).toContain('Type 2 to continue')
    expect(await names()).toEqual(['B\u001b[2J!', 'A!'])
  })

  test.each([
    [1, [], 'updating rooms needs confirmation, and there is no terminal for a prompt'],
    [21, ['--yes'], 'updating rooms would affect 21 items, but --yes alone allows 20'],
    [3, ['--yes', '--max', '2'], 'the command would affect 3 rooms, but --max allows 2; nothing was changed'],
  ])(
    'rooms update --where exits 10 without a write (rooms: %i, flags: %j)',
    async (count, flags, message) => {
      for (let i = 0; i < count; i++) await room(`R${i}`)
      const run = await update('--where', 'type=open', '--name', '{name}x', ...flags)
      expect(run).toMatchObject({ code: 10, stdout: '' })
      expect(run.stderr).toContain(`error: ${message}\n`)
      expect(writes()).toEqual([])
    },
  )

  test('rooms update --where combines field flags with --data and --set', async () => {
    await room('A', { layout: 'grid' })
    await update(
      '--where',
      'layout=grid',
      '--yes',
      '--terminated',
      '--no-record',
      '--data',
      '{"a":"{b}"}',
      '--set',
      'c={"d":["{name}"]}',
    )
    expect(bodies()).toEqual([{ a: '{b}', c: { d: ['A'] }, record: false, is_terminated: true }])
  })

  test('rooms update --where replaces the placeholder of a null field with empty text', async () => {
    await room('A')
    await update('--where', 'name=A', '--yes', '--name', '{{name}} {terminated_at}{status} {{{name}}}')
    expect(bodies()).toEqual([{ name: '{name} active {A}' }])
  })

  test('rooms update --where sends the value of a placeholder as text even if it is valid JSON', async () => {
    await room('{"a":5}')
    await room('5')
    await update('--where', 'type=open', '--yes', '--set', 'note={name}')
    expect(bodies()).toEqual([{ note: '5' }, { note: '{"a":5}' }])
  })

  test('rooms update --where sends no write if no room matches', async () => {
    await room('A')
    expect(await update('--where', 'name=x', '--name', '{name}2')).toMatchObject({
      code: 0,
      stderr: 'no rooms; nothing to do\n',
    })
    expect(writes()).toEqual([])
  })

  test('rooms update --where reads placeholder fields that the room list omits', async () => {
    await room('A')
    const gone = await room('B')
    await room('C')
    otherService(world, { minimalLists: true })
    const respond = world.intercept
    world.intercept = async (request, next, signal) =>
      request.url.endsWith(gone) ? answer(404, {}) : (respond?.(request, next, signal) ?? next())
    const run = await update('--where', 'type=open', '--name', '{name} {layout}', '--yes')
    expect(run.code).toBe(0)
    expect(bodies()).toEqual([{ name: 'C default' }, { name: 'A default' }])
  })

  test.each([
    '{nam}',
    '{}',
    '{ name }',
    '{Name}',
    '{is_terminated}',
    '{webhook}',
    '{name.x}',
    '{__proto__}',
    '{online}',
  ])('rooms update --where refuses the unknown placeholder %s before the first request', async (text) => {
    await room('A')
    world.requests.length = 0
    for (const flags of [
      ['--name', text],
      ['--set', `note=x ${text}`],
    ])
      expect(await update('--where', 'type=open', '--yes', ...flags)).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          `error: no room has a field “${text.slice(1, -1)}” for the placeholder ${text}\n` +
          'hint: fields are id, type, name, application_id, thumbnail_url, layout, record, meeting_time, started_at, ' +
          'terminated_at, updated_at, created_at, status, max_meeting_seconds, remaining_seconds; write {{ or }} for a brace\n',
      })
    expect(world.requests).toEqual([])
  })

  test.each(['{name', 'name}', '{{name}', '{', '{na{me}'])(
    'rooms update --where refuses the unpaired brace in %j',
    async (text) => {
      expect(await update('--where', 'type=open', '--yes', '--name', text)).toMatchObject({
        code: 2,
        stderr:
          `error: “${text}”: with --where, write {{ or }} for a brace\n` +
          'hint: a single brace begins or ends a placeholder, such as {name}\n',
      })
      expect(world.requests).toEqual([])
    },
  )

  test('rooms update --where sends no write if a room lacks the field of a placeholder', async () => {
    await room('A')
    await room('B')
    otherService(world, { without: ['layout'] })
    const run = await update('--where', 'type=open', '--yes', '--name', '{layout}')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toMatch(
      /^error: room \w{24} has no field “layout” for the placeholder \{layout\}; nothing was changed\n$/,
    )
    expect(writes()).toEqual([])
  })

  test.each([
    [['r1', '--where', 'type=open', '--name', 'x'], 'an ID and --where cannot be used together'],
    [['--name', 'x'], 'the argument “room” is missing'],
    [['--where', 'type=open'], 'no fields given: pass at least one field'],
    [
      ['--where', 'type=open', '--name', 'x', '--curl'],
      '--curl cannot be used: this command reads the items that --where selects',
    ],
  ])('rooms update exits 2 without a request for the invalid arguments %j', async (argv, message) => {
    const { code, stderr } = await update(...argv, '--yes')
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: `error: ${message}` })
    expect(world.requests).toEqual([])
  })
})

test('rooms update with an ID sends braces in values unchanged', async () => {
  const id = await room('A')
  await update(id, '--name', '{name} {{x}', '--set', 'note={nope}')
  expect(bodies()).toEqual([{ name: '{name} {{x}', note: '{nope}' }])
})

test('rooms update --where expands placeholders and double braces in any template', async () => {
  const piece = fc.oneof(
    fc.record({ text: fc.string({ unit: 'grapheme' }) }),
    fc.record({ field: fc.constantFrom('name' as const, 'layout' as const, 'type' as const) }),
  )
  const text = fc.oneof(
    fc.constantFrom('{name}', '{{', '}', '$&', '"', '{'),
    fc.string({ unit: 'grapheme', minLength: 1 }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ name: text, layout: text }), { minLength: 1, maxLength: 3 }),
      async (pieces, made) => {
        const rooms = made.map((fields, i) => ({ id: `r${i}`, type: 'open', ...fields }))
        world.requests.length = 0
        world.intercept = async ({ method, url, body }) =>
          method === 'GET'
            ? answer(200, { rooms, paging: { total: rooms.length } })
            : answer(200, { room: { id: url.split('/').at(-1), ...JSON.parse(String(body)) } })
        const template = pieces
          .map((one) => ('field' in one ? `{${one.field}}` : one.text.replace(/[{}]/g, '$&$&')))
          .join('')
        const { code, stderr } = await update(
          '--where',
          'id!=',
          '--yes',
          '--concurrency',
          '1',
          '--data',
          '{"a":1}',
          `--layout=${template}`,
        )
        expect({ code }, stderr).toEqual({ code: 0 })
        expect(bodies()).toEqual(
          rooms.map((one) => ({
            a: 1,
            layout: pieces.map((part) => ('field' in part ? one[part.field] : part.text)).join(''),
          })),
        )
      },
    ),
    { numRuns: sized(10, 100) },
  )
})

describe('--rename', () => {
  test('users update --rename skips a user without a name', async () => {
    await world.send('POST', '/users', { user_id: 'nameless' })
    await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
    const { code, stderr } = await world.run([
      'users',
      'update',
      '--where',
      'user_id~.',
      '--rename',
      's/Ada/Eve/',
      '--yes',
    ])
    expect({ code }, stderr).toEqual({ code: 0 })
    expect(bodies()).toEqual([{ name: 'Eve' }])
  })

  test.each([
    ['%name% old', '{name} old'],
    ['$name old', '{name} old'],
    ['<name> <x>', '{name} <x>'],
  ])('rooms update --where --name %j is refused for two rooms, with a hint on %j', async (typed, meant) => {
    const ids = [await room('A'), await room('B')]
    const flags = ['--where', 'type=open', '--yes', '--name']
    expect(await update(...flags, typed)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `error: 2 rooms would have the name “${typed}”: “B” (${ids[1]}), “A” (${ids[0]}); nothing was changed\n` +
          `hint: did you mean: meetroom rooms update --where type=open --yes --name '${meant}'`,
      ),
    })
    expect(writes()).toEqual([])
  })

  test('rooms update --where --name is refused if several rooms would have the name', async () => {
    await room('A 1')
    await room('B')
    const changeTo = (name: string) => update('--where', 'type=open', '--yes', '--name', name)
    expect((await changeTo('X')).stderr).toContain('hint: select fewer items with --where, or another name\n')
    expect((await changeTo('{type}')).stderr).toContain('error: 2 rooms would have the name “open”: ')
    expect(writes()).toEqual([])
    expect((await update('--where', 'name=B', '--yes', '--name', 'A 1')).code).toBe(0)
    // The rooms have the same name already.
    expect((await changeTo('A 1')).code).toBe(0)
  })

  const rename = (pattern: string, ...more: string[]) =>
    update('--where', 'name~^Maths 7', '--rename', pattern, ...more)

  test('rooms update --rename changes only names that match the pattern', async () => {
    const ids: string[] = []
    for (const name of ['Maths 7a', 'Maths 7b', 'Maths 7c', 'Maths 7d', 'maths 7e', 'Physics'])
      ids.push(await room(name))
    const dry = await rename('s/^Maths 7(.)/Maths 8$1/', '--dry-run')
    expect(dry.code).toBe(0)
    expect(dry.stderr).toContain(
      '--rename does not change the names of 1 room\n4 rooms change:\n' +
        [3, 2, 1, 0].map((i) => `  ${ids[i]}  name “Maths 7${'abcd'[i]}” → “Maths 8${'abcd'[i]}”\n`).join(''),
    )
    expect(writes()).toEqual([])
    expect(await rename('s/^Maths 7/Maths 8/', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('updated 4 rooms\n'),
    })
    expect(await names()).toEqual(['Physics', 'maths 7e', 'Maths 8d', 'Maths 8c', 'Maths 8b', 'Maths 8a'])
    world.requests.length = 0
    expect((await rename('s/^Maths 7/Maths 8/i', '--yes')).code).toBe(0)
    expect(bodies()).toEqual([{ name: 'Maths 8e' }])
  })

  test.each([
    [['Maths 7a', 'Maths 7b'], 's/[ab]$//', '2 rooms would have the name “Maths 7”'],
    [['Maths 7a', 'Maths 8a'], 's/7/8/', '2 rooms would have the name “Maths 8a”'],
    [['Maths 7a', 'Maths 7b'], 's/7a/7b/', '2 rooms would have the name “Maths 7b”'],
    [['Maths 7a'], 's/.*//', '--rename would remove the name of room “Maths 7a”'],
  ])(
    'rooms update --rename refuses duplicate or empty names (rooms: %j, pattern: %s)',
    async (given, pattern, problem) => {
      for (const name of given) await room(name)
      const { code, stderr } = await rename(pattern, '--yes')
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(problem.replace('room “Maths 7a”', 'room “Maths 7a” (')),
      ])
      expect(writes()).toEqual([])
    },
  )

  test('rooms update --rename with two --where conditions renames only the room that matches both', async () => {
    const ids = [await room('Maths 7a'), await room('Maths 7b')]
    otherService(world, { minimalLists: true, maxLimit: 1 })
    const { code } = await rename('s/7a|7b/8/g', '--where', `id=${ids[0]}`, '--yes')
    expect(code).toBe(0)
    expect(await names()).toEqual(['Maths 7b', 'Maths 8'])
  })

  test.each([
    ['Maths', '--rename must be s/PATTERN/TEXT/, not “Maths”'],
    ['s/a/b', '--rename must be s/PATTERN/TEXT/, not “s/a/b”'],
    ['s/a/b/x', '--rename must be s/PATTERN/TEXT/, not “s/a/b/x”'],
    ['s//b/', '--rename must be s/PATTERN/TEXT/, not “s//b/”'],
    ['s/(/b/', '--rename s/(/b/: the value is not a valid regular expression: “(” is not closed'],
    ['s/(?=a)/b/', '--rename s/(?=a)/b/: lookaround and backreferences are not supported'],
    ['s/a/$1/', '--rename s/a/$1/: the pattern has no group 1 for $1'],
  ])('rooms update --rename %s exits 2 before any request', async (pattern, problem) => {
    const { code, stderr } = await rename(pattern)
    expect([code, stderr.split('\n')[0]]).toEqual([2, `error: ${problem}`])
    expect(world.requests).toEqual([])
  })

  test('rooms update --rename exits 2 without --where or with --name', async () => {
    expect(await update('R', '--rename', 's/a/b/')).toMatchObject({
      code: 2,
      stderr: 'error: --rename needs --where\nhint: to change one name, pass the ID and --name\n',
    })
    expect(await update('--where', 'name=x', '--name', 'y', '--rename', 's/a/b/')).toMatchObject({ code: 2 })
  })

  test.each([
    ['s|7/8|a\\|b|', '7/8', 'a|b'],
    ['s#\\##-#g', '#1#', '-1-'],
    ['s/(\\d)(?<x>[a-z])/\\2$1&\\//i', '7A', 'A7&/'],
    ['s/(a+)+$/x/', `${'a'.repeat(5000)}!`, `${'a'.repeat(5000)}!`],
  ])('parseSubstitution with %s returns $2 for $1', (pattern, before, after) => {
    expect(parseSubstitution(pattern, '--rename')(before)).toBe(after)
  })

  test('users update --where changes names with --rename and emails with placeholders', async () => {
    for (const [user_id, name] of [
      ['1', 'Ada 7a'],
      ['2', 'Bea 7a'],
      ['3', 'Cleo'],
    ] as const)
      await world.send('POST', '/users', { user_id, name })
    const change = ['users', 'update', '--where', 'name~ 7a$', '--rename', 's/ 7a$/ 8a/']
    const { code, stderr } = await world.run([...change, '--email', '{user_id}@x.test', '--yes'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        '2 users change:\n  2  email (empty) → “2@x.test”, name “Bea 7a” → “Bea 8a”\n' +
        '  1  email (empty) → “1@x.test”, name “Ada 7a” → “Ada 8a”\nupdated 2 users\n' +
        'rooms keep the names of their members; “members update --all-rooms --user” changes the names of one user\n',
    })
    expect(bodies()).toEqual([
      { email: '2@x.test', name: 'Bea 8a' },
      { email: '1@x.test', name: 'Ada 8a' },
    ])
    expect(await world.run('users update --name x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the argument “user” is missing'),
    })
  })
})
