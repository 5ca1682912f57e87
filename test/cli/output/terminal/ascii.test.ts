import { describe, expect, test } from 'vitest'
import { topicSummaries } from '../../../../src/cli/help/topics.ts'
import { allCalls, prepare, stays } from '../../../helpers/calls.ts'
import { talk } from '../../../helpers/talk.ts'
import { leaves } from '../../../helpers/tree.ts'
import { createWorld } from '../../../helpers/world.ts'
import { share } from '../../../suites/size.ts'

const ascii = /^[\n -~]*$/

const ways: Record<string, { env: Record<string, string>; flags: string[] }> = {
  '--ascii': { env: {}, flags: ['--ascii', '--no-color'] },
  'TERM=dumb': { env: { TERM: 'dumb' }, flags: [] },
  'LC_ALL=C': { env: { LC_ALL: 'C', LANG: 'en_US.UTF-8' }, flags: ['--no-color'] },
  'LC_CTYPE=POSIX': { env: { LC_CTYPE: 'POSIX', LANG: 'en_US.UTF-8' }, flags: ['--no-color'] },
  'LANG=de_DE.ISO-8859-1': { env: { LANG: 'de_DE.ISO-8859-1' }, flags: ['--no-color'] },
}

const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
/** Pattern of commands whose output is for programs. */
const forPrograms = /^(__complete|openapi|schema)\b/
const calls = (await allCalls()).filter((call) => !forPrograms.test(call))

test.each(calls)(
  'the command “%s” with --ascii or TERM=dumb prints only ASCII on a terminal',
  async (call) => {
    for (const way of share(['--ascii', 'TERM=dumb'], calls.indexOf(call), 2)) {
      const { env, flags } = ways[way] ?? { env: {}, flags: [] }
      const { world, argvOf } = await prepare()
      const { host, done } = world.start([...argvOf(call), '--yes', ...flags], {
        env: { ...bare, ...env },
        tty: true,
        ...(call.startsWith('auth login') ? { stdin: world.apiKey } : {}),
      })
      if (stays.test(call)) setTimeout(() => host.signal('SIGINT'), 20).unref()
      const { stdout, stderr } = await done
      // In JSON, the mask of a token is not ASCII.
      expect(stdout.replaceAll('"••••"', '""'), way).toMatch(ascii)
      expect(stderr, way).toMatch(ascii)
    }
  },
)

test('--ascii prints the help of every command and topic in ASCII', async () => {
  const world = await createWorld()
  const pages = [
    ...(await leaves()).map(({ words }) => [...words, '--help']),
    ...Object.keys(topicSummaries).map((topic) => ['help', topic]),
    [],
  ]
  for (const page of pages) {
    const { stdout, stderr } = await world.run([...page, '--ascii'])
    expect(stdout + stderr, page.join(' ')).toMatch(ascii)
  }
})

async function roomsNamed(...names: readonly string[]) {
  const world = await createWorld()
  for (const name of names) await world.send('POST', '/rooms', { name, type: 'open' })
  return world
}

test.each(Object.entries(ways))('rooms list with %s prints a table in ASCII', async (_, way) => {
  const world = await roomsNamed('a'.repeat(60), 'R…')
  const argv = ['rooms', 'list', '--columns', 'name,type', ...way.flags]
  const { stdout } = await world.run(argv, { tty: true, columns: 30, env: way.env })
  expect(stdout).toBe(
    [
      'NAME                      TYPE',
      '------------------------  ----',
      'R...                      open',
      `${'a'.repeat(21)}...  open`,
      '',
    ].join('\n'),
  )
})

test.each(Object.entries(ways))(
  'rooms list with %s prints errors with ASCII quotes, except in JSON',
  async (_, way) => {
    const world = await createWorld()
    const run = (...more: string[]) =>
      world.run(['rooms', 'list', '--limit', 'x', ...way.flags, ...more], { tty: true, env: way.env })
    expect((await run()).stderr).toMatch(/^error: .*"x"/)
    expect(JSON.parse((await run('--json')).stderr).error.message).toContain('“x”')
  },
)

test.each([{}, { LANG: 'en_US.UTF-8' }, { LC_ALL: 'C.UTF-8' }, { LANG: 'en_US' }])(
  'rooms list prints a table with Unicode lines in the locale %j',
  async (env) => {
    const world = await roomsNamed('R')
    expect((await world.run('rooms list', { tty: true, env })).stdout).toContain('───')
  },
)

test('--ascii keeps Unicode characters in machine-readable formats', async () => {
  const world = await roomsNamed('“R”…')
  for (const format of ['json', 'ndjson', 'csv', 'tsv']) {
    const plain = await world.run(`rooms list -o ${format}`)
    expect(plain.stdout).toContain('“R”…')
    expect(await world.run(`rooms list -o ${format} --ascii`)).toMatchObject({ stdout: plain.stdout })
  }
})

test('rooms list prints the complete table on a terminal that reports 0 columns', async () => {
  const world = await roomsNamed('Maths')
  const argv = 'rooms list --columns name,type --no-color'
  const { stdout } = await world.run(argv, { tty: true, columns: 0 })
  expect(stdout).toBe('NAME   TYPE\n─────  ────\nMaths  open\n')
})

describe.each(Object.entries(ways))('a prompt with %s', (_, { env, flags }) => {
  test('rooms create repeats an ASCII prompt after invalid input', async () => {
    const world = await createWorld()
    const { code, stderr } = await talk(
      world,
      ['rooms', 'create', '-o', 'ids', ...flags].join(' '),
      [
        ['Name of the room: ', 'Maths\n'],
        ['Type of the room: ', 'opn\n'],
        ['> ', 'open\n'],
      ],
      { env },
    )
    expect(code, stderr).toBe(0)
    expect(stderr).toMatch(ascii)
    expect(world.requests.map(({ body }) => JSON.parse(String(body)))).toEqual([
      { name: 'Maths', type: 'open' },
    ])
  })

  test.each([
    ['y\n', 0, 1],
    ['\n', 10, 0],
    ['no\n', 10, 0],
    ['\u0004', 130, 0],
  ])('after the input %j at an ASCII prompt, users delete exits %i', async (typed, code, deletions) => {
    const world = await createWorld()
    await world.send('POST', '/users', { user_id: 'ada' })
    const { host, done } = world.start(['users', 'delete', 'ada', ...flags], { tty: true, env })
    while (!host.stderr.text.includes('(y/N) ')) await new Promise((turn) => setTimeout(turn, 1))
    if (typed === '\u0004') host.hangUp()
    else host.type(typed)
    const ended = await done
    expect(ended.code).toBe(code)
    expect(ended.stderr).toMatch(ascii)
    expect(world.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(deletions)
  })

  test('auth login hides a typed key at an ASCII prompt', async () => {
    const world = await createWorld()
    const { code, stderr } = await talk(
      world,
      ['auth', 'login', '--base-url', 'https://meet.test/v1', ...flags].join(' '),
      [['API key for https://meet.test: ', `x\u007f${world.apiKey}\n`]],
      { env: { ...bare, ...env } },
    )
    expect(code, stderr).toBe(0)
    expect(stderr).toMatch(ascii)
    expect(stderr).not.toContain(world.apiKey)
  })
})
