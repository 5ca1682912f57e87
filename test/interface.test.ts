import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  currentInterface,
  formatInterface,
  type Interface,
  incompatibilities,
  isMentioned,
  shapeOf,
} from './helpers/interface.ts'

const fixtures = `${import.meta.dirname}/fixtures`
const changelog = `${import.meta.dirname}/../src/help/changes.md`

const [file = ''] = readdirSync(fixtures).filter((name) => name.startsWith('interface-'))
const read = (): Interface => JSON.parse(readFileSync(`${fixtures}/${file}`, 'utf8'))

/** Returns the part of the changelog above the entries of the released version. */
function unreleasedChanges({ version }: Interface): string {
  const text = readFileSync(changelog, 'utf8')
  const [, ...sections] = text.split(/^(?=## )/m)
  const end = sections.findIndex((section) => section.startsWith(`## ${version}`))
  expect(end, `the changelog has no section ${version}`).not.toBe(-1)
  return sections.slice(0, end).join('')
}

test('the changelog mentions each incompatible change since the last release', async () => {
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
  const changes = unreleasedChanges(released)
  const unmentioned = incompatibilities(released, current).filter((change) => !isMentioned(changes, change))
  expect(unmentioned.map(({ change }) => change)).toEqual([])
})

test('the interface file is formatted as the generator writes it', () => {
  expect(formatInterface(read())).toBe(readFileSync(`${fixtures}/${file}`, 'utf8'))
})

const optional = { 'name?': 'string|null', type: "'open'|'private'" }
const required = { id: 'string', name: 'string|null', type: "'open'|'private'" }

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
    schemas: { 'rooms list': { rooms: [{ id: 'string', ...optional }] } },
  }
}

type Change = (changed: any) => void

describe('the comparison of two interfaces', () => {
  test.each<[name: string, change: Change]>([
    ['nothing', () => {}],
    ['a new command', (it) => (it.commands['rooms get'] = it.commands['rooms list'])],
    ['a new alias', (it) => it.commands['rooms list'].aliases.push('l')],
    ['a new optional argument', (it) => (it.commands['rooms list'].arguments.page = { type: 'string' })],
    ['a new flag', (it) => (it.commands['rooms list'].flags['--all'] = { type: 'boolean' })],
    ['a new choice', (it) => (it.commands['rooms list'].flags['--type'].type += "|'public'")],
    ['a new short flag', (it) => (it.commands['rooms list'].flags['--where'].short = '-w')],
    ['a flag that becomes repeatable', (it) => (it.commands['rooms list'].flags['--type'].repeatable = true)],
    ['a new exit code', (it) => it.commands['rooms list'].exit_codes.push(8)],
    ['a new variable', (it) => it.environment.push('MEETROOM_OUTPUT')],
    ['a new setting', (it) => it.settings.push('retries')],
    ['a new schema', (it) => (it.schemas['rooms get'] = 'string')],
    ['a new field', (it) => (it.schemas['rooms list'].rooms[0].layout = 'string')],
    ['a new literal', (it) => (it.schemas['rooms list'].rooms[0].type += "|'public'")],
    ['a field that becomes required', (it) => (it.schemas['rooms list'].rooms[0] = required)],
    [
      'a new kind of object',
      (it) => (it.schemas['rooms list'] = { '|': [{ count: 'integer' }, it.schemas['rooms list']] }),
    ],
  ])('accepts %s', (_, change) => {
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
      (it) => (it.schemas['rooms list'].rooms[0] = { 'id?': 'string', ...optional }),
    ],
    [
      "rooms list --json: rooms[].type is 'open', not 'open'|'private'",
      (it) => (it.schemas['rooms list'].rooms[0].type = "'open'"),
    ],
    [
      'rooms list --json: rooms is object, not array',
      (it) => (it.schemas['rooms list'].rooms = { id: 'string' }),
    ],
  ])('reports that %s', (message, change) => {
    const changed = example()
    change(changed)
    expect(incompatibilities(example(), changed).map((difference) => difference.change)).toEqual([message])
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
])('the changelog entry “%s” mentions the removed flag rooms list --type: %s', (entry, expected) => {
  expect(isMentioned(entry, { command: 'rooms list', name: '--type', change: '' })).toBe(expected)
})

test('a JSON Schema is reduced to its types and fields', () => {
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
