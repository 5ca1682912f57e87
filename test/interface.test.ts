import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  currentInterface,
  formatInterface,
  type Interface,
  incompatibilities,
  isMentioned,
  policyBreaches,
  shapeOf,
} from './helpers/interface.ts'

const fixtures = `${import.meta.dirname}/fixtures`
const changelog = `${import.meta.dirname}/../src/help/changes.md`

const [file = ''] = readdirSync(fixtures).filter((name) => name.startsWith('interface-'))
const read = (): Interface => JSON.parse(readFileSync(`${fixtures}/${file}`, 'utf8'))

test('each incompatible change since the last release follows the compatibility policy', async () => {
  const released = read()
  const current = await currentInterface()
  if (process.env['UPDATE_INTERFACE']) {
    expect(current.version, `${file} belongs to a release; package.json names the next one`).not.toBe(
      released.version,
    )
    rmSync(`${fixtures}/${file}`)
    writeFileSync(`${fixtures}/interface-${current.version}.json`, formatInterface(current))
    return
  }
  expect(file).toBe(`interface-${released.version}.json`)
  expect(policyBreaches(released, current, readFileSync(changelog, 'utf8'))).toEqual([])
})

test('formatInterface reproduces the interface file', () => {
  expect(formatInterface(read())).toBe(readFileSync(`${fixtures}/${file}`, 'utf8'))
})

const optional = { 'name?': 'string|null', type: "'open'|'private'" }
const required = { id: 'string', note: 'any', name: 'string|null', type: "'open'|'private'" }

function example(): Interface {
  return {
    version: '1.0.0',
    commands: {
      'rooms list': {
        aliases: ['ls'],
        arguments: { room: { type: 'string' } },
        flags: {
          '--type': { type: "'open'|'private'" },
          '--limit': { short: '-l', type: 'integer', default: 20 },
          '--where': { type: 'string', repeatable: true },
        },
        exit_codes: [0, 1],
        writes: false,
        dry_run: true,
      },
    },
    global_flags: { '--yes': { short: '-y', type: 'boolean' } },
    environment: ['MEETROOM_PROFILE'],
    settings: ['timeout'],
    schemas: { 'rooms list': { rooms: [{ id: 'string', note: 'any', ...optional }] } },
  }
}

type Change = (changed: any) => void

describe('the comparison of two interfaces', () => {
  test.each<[name: string, change: Change]>([
    ['an unchanged interface', () => {}],
    ['a new command', (it) => (it.commands['rooms get'] = it.commands['rooms list'])],
    ['a new alias', (it) => it.commands['rooms list'].aliases.push('l')],
    ['a new optional argument', (it) => (it.commands['rooms list'].arguments.page = { type: 'string' })],
    ['a new flag', (it) => (it.commands['rooms list'].flags['--all'] = { type: 'boolean' })],
    ['a new value of a flag', (it) => (it.commands['rooms list'].flags['--type'].type += "|'public'")],
    ['a new short flag', (it) => (it.commands['rooms list'].flags['--where'].short = '-w')],
    ['a flag that becomes repeatable', (it) => (it.commands['rooms list'].flags['--type'].repeatable = true)],
    ['a new exit code', (it) => it.commands['rooms list'].exit_codes.push(8)],
    ['a new environment variable', (it) => it.environment.push('MEETROOM_OUTPUT')],
    ['a new setting', (it) => it.settings.push('retries')],
    ['a new schema', (it) => (it.schemas['rooms get'] = 'string')],
    ['a new field', (it) => (it.schemas['rooms list'].rooms[0].layout = 'string')],
    ['a new value of a field', (it) => (it.schemas['rooms list'].rooms[0].type += "|'public'")],
    ['a field that becomes required', (it) => (it.schemas['rooms list'].rooms[0] = required)],
    [
      'a new object type',
      (it) => (it.schemas['rooms list'] = { '|': [{ count: 'integer' }, it.schemas['rooms list']] }),
    ],
  ])('the comparison of two interfaces accepts %s', (_, change) => {
    const changed = example()
    change(changed)
    expect(incompatibilities(example(), changed)).toEqual([])
  })

  test.each<[change: string, Change]>([
    ['rooms list is removed', (it) => delete it.commands['rooms list']],
    ['rooms list: alias ls is removed', (it) => it.commands['rooms list'].aliases.pop()],
    ['rooms list room is required', (it) => (it.commands['rooms list'].arguments.room.required = true)],
    [
      'rooms list page is new and required',
      (it) => (it.commands['rooms list'].arguments.page = { type: 'string', required: true }),
    ],
    ['rooms list --where is removed', (it) => delete it.commands['rooms list'].flags['--where']],
    [
      "rooms list --type is 'open', not 'open'|'private'",
      (it) => (it.commands['rooms list'].flags['--type'].type = "'open'"),
    ],
    [
      'rooms list --limit is string, not integer',
      (it) => (it.commands['rooms list'].flags['--limit'].type = 'string'),
    ],
    [
      'rooms list --limit default is 50, not 20',
      (it) => (it.commands['rooms list'].flags['--limit'].default = 50),
    ],
    [
      'rooms list --limit short is undefined, not -l',
      (it) => delete it.commands['rooms list'].flags['--limit'].short,
    ],
    [
      'rooms list --where repeatable is undefined, not true',
      (it) => delete it.commands['rooms list'].flags['--where'].repeatable,
    ],
    ['rooms list --where default is x', (it) => (it.commands['rooms list'].flags['--where'].default = 'x')],
    ['rooms list: exit code 1 is removed', (it) => it.commands['rooms list'].exit_codes.pop()],
    ['rooms list: writes is true', (it) => (it.commands['rooms list'].writes = true)],
    ['rooms list: dry_run is false', (it) => (it.commands['rooms list'].dry_run = false)],
    ['--yes is removed', (it) => delete it.global_flags['--yes']],
    ['MEETROOM_PROFILE is removed', (it) => it.environment.pop()],
    ['timeout is removed', (it) => it.settings.pop()],
    ['rooms list --json: output is removed', (it) => delete it.schemas['rooms list']],
    ['rooms list --json: rooms[].id is removed', (it) => delete it.schemas['rooms list'].rooms[0].id],
    ['rooms list --json: rooms[].note is removed', (it) => delete it.schemas['rooms list'].rooms[0].note],
    [
      'rooms list --json: rooms[].id is integer, not string',
      (it) => (it.schemas['rooms list'].rooms[0].id = 'integer'),
    ],
    [
      'rooms list --json: rooms[].id is string|null, not string',
      (it) => (it.schemas['rooms list'].rooms[0].id = 'string|null'),
    ],
    [
      'rooms list --json: rooms[].id is optional',
      (it) => (it.schemas['rooms list'].rooms[0] = { 'id?': 'string', note: 'any', ...optional }),
    ],
    [
      "rooms list --json: rooms[].type is 'open', not 'open'|'private'",
      (it) => (it.schemas['rooms list'].rooms[0].type = "'open'"),
    ],
    [
      'rooms list --json: rooms is object, not array',
      (it) => (it.schemas['rooms list'].rooms = { id: 'string' }),
    ],
  ])('the comparison of two interfaces reports that %s', (message, change) => {
    const changed = example()
    change(changed)
    expect(incompatibilities(example(), changed).map((difference) => difference.change)).toEqual([message])
  })
})

describe('the compatibility policy', () => {
  const removeWhere: Change = (it) => delete it.commands['rooms list'].flags['--where']
  const changeLimit: Change = (it) => (it.commands['rooms list'].flags['--limit'].default = 50)
  const entry = '## Unreleased\n\n- `rooms list --where` is removed.\n\n'
  const noEntry = 'rooms list --where is removed: no entry'
  const notAnnounced = 'rooms list --where is removed: not announced in 1.0.0'

  test.each<[what: string, Change, changelog: string, breaches: string[]]>([
    ['a removal without an entry', removeWhere, '## 1.0.0\n\n- First.\n', [noEntry, notAnnounced]],
    ['a removal without an announcement', removeWhere, `${entry}## 1.0.0\n\n- First.\n`, [notAnnounced]],
    [
      'an announcement for another command',
      removeWhere,
      `${entry}## 1.0.0\n\n### Deprecated\n\n- \`users list --where\`\n`,
      [notAnnounced],
    ],
    [
      'an announcement outside “Deprecated”',
      removeWhere,
      `${entry}## 1.0.0\n\n### Deprecated\n\n### New\n\n- \`--where\`\n`,
      [notAnnounced],
    ],
    [
      'an announcement of an earlier release only',
      removeWhere,
      `${entry}## 1.0.0\n\n- A.\n\n## 0.9.0\n\n### Deprecated\n\n- \`--where\`\n`,
      [notAnnounced],
    ],
    [
      'an announced removal',
      removeWhere,
      `${entry}## 1.0.0\n\n### Deprecated\n\n- \`rooms list --where\`: use \`--filter\`.\n\n### New\n`,
      [],
    ],
    [
      'an entry outside “Unreleased”',
      changeLimit,
      '## Compatibility\n\n- `--limit`\n\n## Unreleased\n\n## 1.0.0\n\n- `--limit`\n',
      ['rooms list --limit default is 50, not 20: no entry'],
    ],
    ['a changed default with an entry', changeLimit, '## Unreleased\n\n- `--limit` is 50.\n\n## 1.0.0\n', []],
    [
      'a changelog without the last release',
      changeLimit,
      '## Unreleased\n',
      ['the changelog has no section 1.0.0'],
    ],
  ])('policyBreaches returns the expected breaches for %s', (_, change, text, breaches) => {
    const current = example()
    change(current)
    expect(policyBreaches(example(), current, text)).toEqual(breaches)
  })

  test('the compatibility policy requires no announcement of a removal since 0.2.0', () => {
    const current = example()
    removeWhere(current)
    const text = `${entry}## 0.2.0\n\n- First.\n`
    expect(policyBreaches({ ...example(), version: '0.2.0' }, current, text)).toEqual([])
  })

  test('the compatibility policy rejects each unannounced removal from the current interface', async () => {
    const current = await currentInterface()
    const empty = { commands: {}, global_flags: {}, schemas: {}, settings: [], environment: [] }
    type Removal = [name: string, part: Partial<Interface>, remove: Change]
    const removals: Removal[] = [
      ...Object.entries(current.commands).flatMap(([name, command]): Removal[] => {
        const part = { commands: { [name]: command } }
        return [
          [name, part, (it) => delete it.commands[name]],
          ...Object.keys(command.flags).map(
            (flag): Removal => [`${name} ${flag}`, part, (it) => delete it.commands[name].flags[flag]],
          ),
          ...command.exit_codes.map(
            (code, i): Removal => [
              `${name}: ${code}`,
              part,
              (it) => it.commands[name].exit_codes.splice(i, 1),
            ],
          ),
        ]
      }),
      ...Object.entries(current.global_flags).map(
        ([name, flag]): Removal => [
          name,
          { global_flags: { [name]: flag } },
          (it) => delete it.global_flags[name],
        ],
      ),
      ...Object.entries(current.schemas).map(
        ([name, shape]): Removal => [
          `schema ${name}`,
          { schemas: { [name]: shape } },
          (it) => delete it.schemas[name],
        ],
      ),
      ...(['settings', 'environment'] as const).flatMap((list) =>
        current[list].map((name): Removal => [name, { [list]: [name] }, (it) => it[list].pop()]),
      ),
    ]
    expect(removals.length).toBeGreaterThan(1000)
    const text = `## Unreleased\n\n## ${current.version}\n`
    const accepted = removals.filter(([, part, remove]) => {
      const before = { ...current, ...empty, ...part }
      const after = structuredClone(before)
      remove(after)
      return policyBreaches(before, after, text).length === 0
    })
    expect(accepted.map(([name]) => name)).toEqual([])
  })
})

test.each([
  ['- `rooms list --type` is removed.', true],
  ['- `rooms list <room> --type` is removed.', false],
  ['- `rooms --type=open` is refused.', true],
  ['- `--type` is removed.', true],
  ['- `rooms create --type` is removed.', false],
  ['- `--types` is removed.', false],
  ['- The flag --type is removed.', false],
])(
  'isMentioned with the changelog entry “%s” and the removed flag rooms list --type returns %s',
  (entry, expected) => {
    expect(isMentioned(entry, { command: 'rooms list', name: '--type', change: '' })).toBe(expected)
  },
)

test('shapeOf reduces a JSON Schema to its types and fields', () => {
  const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
  const shape = shapeOf({
    title: 'T',
    anyOf: [
      object({ id: { type: 'string', description: 'D' }, list: { type: 'array', items: {} } }, ['id']),
      { anyOf: [object({ kind: { const: 'x' }, on: { enum: ['a', 'b'] } }), { type: ['integer', 'null'] }] },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
  })
  expect(shape).toEqual({
    '|': [
      { id: 'string', 'list?': ['any'] },
      { 'kind?': "'x'", 'on?': "'a'|'b'" },
      'integer',
      'null',
      { '*': 'string' },
    ],
  })
})
