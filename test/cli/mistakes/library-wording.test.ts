import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { leaves, wholeProgram } from '../../helpers/tree.ts'
import { createWorld, type World } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

/** Wording that error messages must not contain. */
const libraryWording = [
  // zod
  /Invalid (?:option|input|string|type|enum|key)\b/,
  /Too (?:small|big)\b/,
  /[Ee]xpected (?:string|number|boolean|array|object|record|one of)\b/,
  // Commander
  /argument .* is invalid/,
  /Allowed choices/,
  /\(Did you mean/,
  /missing mandatory/,
  // JSON.parse
  /Unexpected (?:token|end of)/,
  /JSON at position|Expected (?:property name|double-quoted|',')/,
  // JMESPath
  /Syntax error|Lexer|Parser|Undefined function|Invalid token|, got: /,
  // re2js and RegExp
  /error parsing regexp|missing closing|Invalid regular expression|Invalid group/,
  // SQLite
  /sqlite/i,
  // Node and the operating system
  /\bE[A-Z]{4,}\b/,
  /\bERR_[A-Z_]+/,
  /\b(?:Type|Range|Syntax|Reference)Error\b/,
  /Received (?:undefined|type)|must be of type/,
  /no such file or directory|illegal operation/,
  // JavaScript, and internal errors of the program
  /\bundefined\b|\[object |\bNaN\b/,
  /has a bug/,
]

const wrongValues = [
  '',
  ' ',
  'x',
  '-1',
  '1e99',
  '9007199254740993',
  '@missing.json',
  '@directory',
  '@invalid.json',
  'directory',
  'invalid.json',
  'invalid.csv/below',
  '{"a":',
  '[1]',
  'name~[',
  'name~(?<=a)b',
  'rooms[',
  'sort_by(@, &a, b)',
]

const wrongInputs = [
  'missing.csv',
  'directory',
  'invalid.json',
  'invalid.ndjson',
  'invalid.csv',
  'empty.csv',
  '-',
]

async function createWrongFiles(): Promise<World> {
  const world = await createWorld()
  mkdirSync(join(world.dir, 'directory'))
  for (const name of ['invalid.json', 'invalid.ndjson'])
    writeFileSync(join(world.dir, name), '[{"user_id":"ada",}')
  writeFileSync(join(world.dir, 'invalid.csv'), 'user_id,name\n"ada,Ada\n')
  writeFileSync(join(world.dir, 'empty.csv'), '')
  return world
}

async function check(world: World, argv: readonly string[]): Promise<void> {
  const { host, done } = world.start(argv, { stdin: '{"a":' })
  const stop = setTimeout(() => host.signal('SIGINT'), 20)
  const { stderr } = await done
  clearTimeout(stop)
  for (const pattern of libraryWording) expect(stderr, argv.join(' ')).not.toMatch(pattern)
}

const operands = (command: Command, value = 'x') =>
  command.registeredArguments.flatMap(({ required }) => (required ? [value] : []))
const flagsWithValue = (command: Command) =>
  command.options.flatMap(({ long, required, optional, parseArg }) =>
    long && (required || optional) ? [{ flag: long, parser: String(parseArg ?? '') }] : [],
  )

const commands = await leaves()
const groups = [...new Set(commands.map(({ words: [group] }) => group))]
/** Checked flags, each with its parser, or with the group if the flag has no parser. */
const checked = new Set<string>()

test.each(groups)(
  'errors for invalid flag values and arguments of %s contain no raw library messages',
  async (group) => {
    const world = await createWrongFiles()
    for (const each of commands) {
      const { words, command } = each
      if (words[0] !== group) continue
      for (const { flag, parser } of flagsWithValue(command)) {
        const key = [flag, parser || group].join(' ')
        if (checked.has(key)) continue
        checked.add(key)
        for (const value of share(wrongValues, checked.size, 3))
          await check(world, [...words, ...operands(command), `${flag}=${value}`, '--yes'])
      }
      if (command.registeredArguments.length > 0)
        for (const value of share([...wrongValues, ...wrongInputs], commands.indexOf(each), 3))
          await check(world, [...words, '--yes', '--', ...operands(command, value).slice(1), value])
    }
  },
)

test('errors for invalid global flag values contain no raw library messages', async () => {
  const world = await createWrongFiles()
  const lines = [
    ['rooms', 'list'],
    ['users', 'create', 'ada'],
    ['config', 'list'],
  ]
  for (const [row, { flag }] of flagsWithValue(await wholeProgram()).entries())
    for (const [i, value] of wrongValues.entries())
      for (const line of share(lines, row + i, lines.length))
        await check(world, [...line, `${flag}=${value}`])
})

test.each(['', ' ', 'x', '-1', 'directory', 'invalid.csv/below', '{"a":'])(
  'errors for environment variables with the value %j contain no raw library messages',
  async (value) => {
    const world = await createWrongFiles()
    const names = ['BASE_URL', 'OUTPUT', 'TIMEOUT', 'RETRIES', 'PROFILE', 'AUDIT_LOG', 'SAVE_DELETED']
    for (const name of names) {
      const { stderr } = await world.run('--local rooms list', { env: { [`MEETROOM_${name}`]: value } })
      for (const pattern of libraryWording) expect(stderr, `${name}=${value}`).not.toMatch(pattern)
    }
  },
)

test.each(['{"profile":', '[]', '{"profiles":{"a":{"timeout":"x","output":7}},"profile":"a"}', '\0'])(
  'errors for a settings file with the content %j contain no raw library messages',
  async (text) => {
    const world = await createWrongFiles()
    mkdirSync(world.configDir, { recursive: true })
    writeFileSync(join(world.configDir, 'config.json'), text)
    for (const line of ['rooms list', 'config list', 'config set timeout 5s', 'profiles list', 'doctor'])
      await check(world, line.split(' '))
  },
)
