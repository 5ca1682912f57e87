import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { launcher, node } from '../helpers/built.ts'
import { runCommand } from '../helpers/command.ts'
import { hostileId, hostileText } from '../helpers/hostile.ts'
import { homes } from '../helpers/serving.ts'
import { designed, stack } from '../helpers/terminal.ts'
import { leaves, wholeProgram } from '../helpers/tree.ts'
import { answer, createWorld } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

const { add } = counted('hostile')

const root = await wholeProgram()
const globalFlags = root.options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag != null)
const commands = (await leaves()).map(({ words, command }) => ({
  words,
  flags: command.options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag != null),
}))

/** File names that stay inside the directory of the test. */
const fileName = fc.oneof(
  fc.constantFrom('a.csv', 'a.ndjson', 'a.json', 'body.json', 'headers.txt', 'nowhere.csv', '.', '-', ''),
  hostileText.map((text) => text.replaceAll(/[/.]/g, '_').slice(0, 100)),
)

/** Harmless values of flags that could affect this machine. */
const tame: Record<string, fc.Arbitrary<string>> = {
  '--exec': fc.constantFrom('', ' ', 'false', 'no-such-program x'),
  '--host': fc.constantFrom('127.0.0.1', '::1', '', 'not a host', '127.0.0.1:1', '[::1]'),
  '--port': fc.constantFrom('0', '0', '-1', '65536', '1e3', '', 'x'),
  '--base-url': fc.oneof(
    fc.constantFrom('http://127.0.0.1:9/v1', 'https://[::1]:9', 'ftp://x', '//', 'http://a:b@[::1]/'),
    hostileText,
  ),
  ...Object.fromEntries(
    ['--data-dir', '--api-key-file', '--failed-out', '--journal', '--headers', '--room-ids'].map((flag) => [
      flag,
      fileName,
    ]),
  ),
}

const plausible = fc.constantFrom(
  ...[
    'r1',
    'ada',
    '-',
    '1',
    '0',
    '-1',
    '9007199254740993',
    'name=x',
    'age>90d',
    'name~^(a+)+$',
    'type=open',
    '=',
    '{}',
    '[]',
  ],
  ...[
    '{"a":1}',
    '@body.json',
    '@-',
    '@',
    'table',
    'json',
    'csv',
    'ndjson',
    'ids',
    'id,name',
    ',',
    'GET',
    'POST',
    '/rooms',
    '/',
  ],
  ...[
    'https://h.test/a.png',
    'javascript:x',
    'A: b',
    '1x2',
    'ada:host:Ada',
    'local',
    'default',
    'timeout',
    '20',
    'a.csv',
    'utf-8',
  ],
)
const value = fc.oneof(
  { arbitrary: plausible, weight: 3 },
  { arbitrary: hostileText, weight: 2 },
  { arbitrary: hostileId, weight: 1 },
)
const positional = fc.oneof(
  { arbitrary: fileName, weight: 1 },
  { arbitrary: value.map((text) => text.replaceAll('../', '')), weight: 3 },
)

const withValue = (flags: readonly string[]) =>
  fc.constantFrom(...flags).chain((flag) =>
    fc.tuple(tame[flag] ?? value, fc.constantFrom('none', 'next', 'equals')).map(([given, how]) => {
      if (how === 'none' && !tame[flag]) return [flag]
      return how === 'equals' ? [`${flag}=${given}`] : [flag, given]
    }),
  )

/** Random command. Commands such as `serve` are rare, because they end slowly. */
const command = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      ...commands.filter(({ words }) => !/^(serve|join|webhooks,listen)/.test(String(words))),
    ),
    weight: 200,
  },
  { arbitrary: fc.constantFrom(...commands), weight: 10 },
)

const likely = command.chain(({ words, flags }) =>
  fc
    .tuple(
      fc.array(
        positional.map((text) => [text]),
        { maxLength: 3 },
      ),
      fc.array(flags.length > 0 ? withValue(flags) : fc.constant<string[]>([]), { maxLength: 3 }),
      fc.array(withValue(globalFlags), { maxLength: 2 }),
      fc.constantFrom([], [], ['--']),
    )
    .map(([args, own, global, end]) => [...words, ...own.flat(), ...global.flat(), ...end, ...args.flat()]),
)

const anyFlag = withValue([...new Set([...globalFlags, ...commands.flatMap(({ flags }) => flags)])])
const unlikely = fc
  .array(
    fc.oneof(
      fc.constantFrom(...commands.flatMap(({ words }) => words)).map((word) => [word]),
      anyFlag,
      positional.map((text) => [text]),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.flat())
  // Any word may be a value here, so words with effects outside the test are excluded.
  .filter((words) => !words.some((word) => /^(serve|join|listen)$|^--(exec|host|data-dir)/.test(word)))

/** Command line without NUL, at which the operating system ends an argument. */
const vector = fc
  .oneof({ arbitrary: likely, weight: 4 }, { arbitrary: unlikely, weight: 1 })
  .map((words) => words.map((word) => word.replaceAll('\0', '')))

test('meetroom exits with a documented code for random arguments', async () => {
  const world = await createWorld()
  const file = (name: string, text: string) => writeFileSync(join(world.dir, name), text)
  file('a.csv', 'user_id,name\nada,Ada\n')
  file('a.ndjson', '{"user_id":"ada"}\n')
  file('a.json', '[{"user_id":"ada"}]')
  file('body.json', '{"action":"x"}')
  file('headers.txt', 'a: b\n')
  const thing = { id: 'r1', user_id: 'ada', name: 'n', type: 'private' }
  const body = {
    room: thing,
    member: thing,
    user: thing,
    rooms: [thing],
    members: [thing],
    users: [thing],
    pages: [thing],
    sessions: [thing],
  }
  const surroundings = fc.record({
    tty: fc.boolean(),
    stdin: fc.option(fc.oneof(plausible, hostileText), { nil: undefined }),
  })
  const statuses = fc.constantFrom(200, 200, 200, 400, 404, 500, 204)
  await fc.assert(
    fc.asyncProperty(vector, surroundings, statuses, async (argv, { tty, stdin }, status) => {
      world.intercept = async () => answer(status, body)
      world.requests.length = 0
      const env = { MEETROOM_BASE_URL: 'http://127.0.0.1:9/v1' }
      const { host, done } = world.start(argv, { env, ...(tty ? { tty } : { stdin: stdin ?? '' }) })
      // Ends prompts, which get no input, and long-running commands.
      const stop = setTimeout(() => {
        host.signal('SIGINT')
        host.hangUp()
      }, 50)
      const { code, stdout, stderr } = await done
      clearTimeout(stop)
      expect(designed, `${stderr}`).toContain(code)
      expect(stdout + stderr).not.toMatch(stack)
      expect(stderr).not.toContain('has a bug')
      add('command lines')
    }),
    { numRuns: sized(120, 50_000) },
  )
})

test('the built program exits with a documented code for random arguments', async () => {
  const { MEETROOM_CONFIG_DIR, MEETROOM_DATA_DIR, HOME, TMPDIR } = homes()
  const env = {
    MEETROOM_CONFIG_DIR,
    MEETROOM_DATA_DIR,
    HOME,
    TMPDIR,
    MEETROOM_API_KEY: 'canary-key',
    MEETROOM_BASE_URL: 'http://127.0.0.1:9/v1',
  }
  const started = vector
    // On POSIX, no argument contains NUL or half a surrogate pair.
    .map((words) => words.map((word) => word.replaceAll('\0', '').toWellFormed()))
    .filter((words) => !/^(serve|join|webhooks)/.test(words[0] ?? ''))
  await fc.assert(
    fc.asyncProperty(started, async (argv) => {
      const { code, stdout, stderr } = await runCommand(node, [launcher, ...argv], env, '', { cwd: HOME })
      expect(designed, `${stderr}`).toContain(code)
      expect(stdout + stderr).not.toMatch(stack)
      add('command lines of the built program')
    }),
    { numRuns: sized(5, 500) },
  )
})
