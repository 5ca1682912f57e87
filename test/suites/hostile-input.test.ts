import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ImportAdapter } from '../../src/cli/import/adapter/adapter.ts'
import { createAdapters } from '../../src/cli/import/adapters/index.ts'
import { checkInput } from '../../src/cli/import/read/check.ts'
import type { Encoding } from '../../src/cli/import/read/encoding.ts'
import { createMemberReader, memberColumns } from '../../src/cli/import/read/group.ts'
import { createRowReader, type RowReader } from '../../src/cli/import/read/reader.ts'
import { type InputFormat, type Row, readRows } from '../../src/cli/import/read/rows.ts'
import { openSource, type Source } from '../../src/cli/import/read/source.ts'
import { UsageError } from '../../src/errors.ts'
import { testHost } from '../helpers/host.ts'
import { hostileJson, hostileText } from '../helpers/hostile.ts'
import { perTest } from '../helpers/per-test.ts'
import { designed, harmIn, stack } from '../helpers/terminal.ts'
import { answer, createWorld } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

const { add } = counted('hostile')

const world = perTest(createWorld)

const columns = [
  ...'user_id name type profile_url default_member_type email room_id member_type'.split(' '),
  ...'members record max_meeting_seconds is_terminated is_blocked id reason __proto__ constructor'.split(' '),
  '',
  ' Name ',
]
const cell = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      ...['', 'a', 'ada', 'host', 'open', 'true', '1', '-1', '=1+1', "'=1", '[]', '{"a":1}', '1e400', 'null'],
    ),
    weight: 3,
  },
  { arbitrary: hostileText, weight: 2 },
)
const delimiters = fc.constantFrom(',', ',', ',', ';', '\t', '|', '\u00a7')
const lineEnds = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '')

/** Cell in valid or invalid CSV. */
const written = fc
  .tuple(cell, fc.constantFrom('as it is', 'quoted', 'quoted', 'opened', 'closed', 'doubled'))
  .map(([text, how]) => {
    if (how === 'quoted') return `"${text.replaceAll('"', '""')}"`
    return `${how === 'opened' ? '"' : ''}${how === 'doubled' ? '""' : ''}${text}${how === 'closed' ? '"' : ''}`
  })

const csv = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff', 'sep=;\r\n', '"sep=\t"\n', '\n\n', '\ufeffsep=,\n'),
    delimiters,
    fc.array(
      fc.oneof({ arbitrary: fc.constantFrom(...columns), weight: 9 }, { arbitrary: cell, weight: 1 }),
      { minLength: 1, maxLength: 4 },
    ),
    fc.array(fc.tuple(fc.array(written, { maxLength: 5 }), lineEnds), { maxLength: 4 }),
  )
  .map(([start, delimiter, header, rows]) =>
    [
      start,
      header.join(delimiter),
      '\n',
      ...rows.flatMap(([cells, end]) => [cells.join(delimiter), end]),
    ].join(''),
  )

const deep = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{"members":[', ']}']),
    fc.integer({ min: 1, max: 3000 }),
  )
  .map(([[open = '', close = ''], levels]) => `${open.repeat(levels)}1${close.repeat(levels)}`)
const record = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...columns), fc.oneof(cell, hostileJson), { maxKeys: 4 }),
    fc.constantFrom('', '', ',', '}', '\\', '"', '\ufeff'),
  )
  .map(([fields, after]) => JSON.stringify(fields) + after)
const value = fc.oneof(
  { arbitrary: record, weight: 6 },
  { arbitrary: hostileJson.map((json) => JSON.stringify(json)), weight: 2 },
  { arbitrary: deep, weight: 1 },
  { arbitrary: hostileText, weight: 1 },
)
const ndjson = fc.array(fc.tuple(value, lineEnds), { maxLength: 5 }).map((lines) => lines.flat().join(''))
const json = fc
  .tuple(
    fc.constantFrom('[', '{"users":[', '{"a":[1],"users":[', '', '\ufeff[', '{"users":{"users":['),
    fc.array(value, { maxLength: 5 }),
    fc.constantFrom(']', ']}', '', ']]', ']x', ',]'),
  )
  .map(([start, values, end]) => start + values.join(',') + end)

const bytes = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    { arbitrary: text.map((text) => Buffer.from(text)), weight: 12 },
    { arbitrary: text.map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')), weight: 1 },
    { arbitrary: text.map((text) => Buffer.from(text, 'latin1')), weight: 1 },
    {
      arbitrary: fc.tuple(text, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
        const changed = Buffer.from(text)
        if (changed.length > 0) changed[at % changed.length] = byte
        return changed
      }),
      weight: 2,
    },
    { arbitrary: fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)), weight: 1 },
  )

const inputs = fc.oneof(
  ...(
    [
      ['csv', csv],
      ['ndjson', ndjson],
      ['json', json],
    ] as const
  ).map(([format, text]) => fc.record({ format: fc.constant<InputFormat>(format), content: bytes(text) })),
)

const ways = fc.record({
  kind: fc.constantFrom<keyof typeof createAdapters>('users', 'rooms', 'members'),
  groups: fc.boolean(),
  ignoreUnknown: fc.boolean(),
  delimiter: fc.constantFrom(undefined, undefined, ';', '\t'),
  encoding: fc.constantFrom<Encoding>('utf-8', 'utf-8', 'utf-8', 'utf-16le', 'windows-1252'),
})

/** Cached readers, because creating a reader takes longer than reading an input. */
const readers = new Map<string, Promise<readonly [ImportAdapter, RowReader, RowReader | undefined]>>()
function readerFor(
  name: keyof typeof createAdapters,
  format: InputFormat,
  groups: boolean,
  ignoreUnknown: boolean,
) {
  const key = [name, format, groups, ignoreUnknown].join()
  const make = async () => {
    const kind: ImportAdapter = createAdapters[name]({ ifExists: 'fail' })
    const rest = { renames: new Map(), defaults: { room_id: 'r1' }, roomIds: undefined }
    const options = { format, ignoreUnknown, ...rest, memberColumns: groups ? memberColumns : [] }
    const memberReader = groups ? await createMemberReader(options) : undefined
    return [kind, await createRowReader(kind, options), memberReader] as const
  }
  const reader = readers.get(key) ?? make()
  readers.set(key, reader)
  return reader
}

/** Creates a source with two chunks, so that the boundary may split a character. */
function inMemory(content: Buffer): Source {
  const middle = content.length >> 1
  async function* read() {
    yield content.subarray(0, middle)
    yield content.subarray(middle)
  }
  return { name: 'input', path: undefined, read, close: async () => {} }
}

test('a random import file is read to the end or causes a UsageError', async () => {
  const path = join(world.dir, 'input')
  const host = testHost({ cwd: world.dir })
  let read = 0
  await fc.assert(
    fc.asyncProperty(inputs, ways, fc.nat(9), async ({ format, content }, way, chance) => {
      const { groups, delimiter, encoding } = way
      const [kind, reader, memberReader] = await readerFor(way.kind, format, groups, way.ignoreUnknown)
      // Some inputs come from a file, in any encoding.
      if (chance === 0) writeFileSync(path, content)
      let source: Source | undefined
      let problems = 0
      const { signal } = new AbortController()
      const count = ({ rows }: Row) => rows?.length ?? 1
      const onProblem = async (row: Row) => {
        problems += count(row)
      }
      try {
        source = chance === 0 ? await openSource(path, host, encoding) : inMemory(content)
        const { rows, invalid, readAgain } = await checkInput({
          ...{ source, format, delimiter, adapter: kind, memberReader, reader, signal, onProblem },
        })
        let seen = 0
        for await (const batch of readAgain()) for (const { row } of batch) seen += count(row)
        expect({ seen, problems }).toEqual({ seen: rows, problems: invalid })
        read += rows
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
      } finally {
        await source?.close()
      }
      add('inputs')
    }),
    { numRuns: sized(120, 196_000) },
  )
  expect(read, 'some inputs have rows').toBeGreaterThan(sized(20, 100))
})

test('an import of a random file prints no stack trace or control characters', async () => {
  world.intercept = async ({ method }) =>
    method === 'GET'
      ? answer(404, {})
      : answer(200, { user: { user_id: 'ada' }, room: { id: 'r1' }, member: { id: 'm1' } })
  const path = join(world.dir, 'input')
  const flags = fc.subarray(['--dry-run', '--skip-invalid', '--ignore-unknown', '--json', '--verbose'])
  await fc.assert(
    fc.asyncProperty(
      inputs,
      ways,
      flags,
      fc.boolean(),
      async ({ format, content }, { kind, encoding }, flags, tty) => {
        writeFileSync(path, content)
        const room = kind === 'members' ? ['--room', 'r1'] : []
        const input = [
          '--input-format',
          format,
          '--encoding',
          encoding,
          '--no-journal',
          '--failed-out',
          'failed',
        ]
        const argv = [kind, 'import', 'input', ...input, ...room, ...flags]
        const { code, stdout, stderr } = await world.run(argv, { tty, env: { NO_COLOR: '1' } })
        expect(designed).toContain(code)
        expect(stdout + stderr).not.toMatch(stack)
        expect(harmIn(tty ? stdout + stderr : stderr)).toBeUndefined()
        add('inputs, by the whole program')
      },
    ),
    { numRuns: sized(12, 4000) },
  )
})

describe('the time to read a long import file', () => {
  const size = sized(16, 128) * 1024
  const repeated =
    (unit: string, start = '', end = '') =>
    (length: number) =>
      start + unit.repeat(Math.ceil(length / unit.length)) + end
  const shapes: Record<string, [InputFormat, (length: number) => string]> = {
    rows: ['csv', repeated('ada,Ada\n', 'user_id,name\n')],
    'a header of many columns': ['csv', repeated('name,')],
    'a header of one long column': ['csv', repeated('n')],
    'one row with many cells': ['csv', repeated(',', 'user_id\n')],
    'one long cell': ['csv', repeated('a', 'user_id\n')],
    'a quote that is never closed': ['csv', repeated('a,\n', 'user_id\n"')],
    'doubled quotes': ['csv', repeated('""', 'user_id\n"', '"')],
    'quotes in the header': ['csv', repeated('"",', '')],
    'line breaks within cells': ['csv', repeated('\r\n', 'user_id\n"', '"')],
    'carriage returns': ['csv', repeated('\r')],
    'line feeds': ['csv', repeated('\n')],
    apostrophes: ['csv', repeated("'", 'user_id\n')],
    spaces: ['csv', repeated(' ', 'user_id\n')],
    'byte order marks': ['csv', repeated('\ufeff')],
    lines: ['ndjson', repeated('{"user_id":"ada"}\n')],
    'one long line': ['ndjson', repeated('a', '{"user_id":"', '"}')],
    'brackets that open': ['ndjson', repeated('[')],
    'brackets that open and close': ['ndjson', repeated('[]')],
    'objects that open': ['ndjson', repeated('{"a":')],
    backslashes: ['ndjson', repeated('\\\\', '{"user_id":"', '"}')],
    digits: ['ndjson', repeated('1', '{"user_id":', '}')],
    'many fields': ['ndjson', repeated('"a":1,', '{', '"b":1}')],
    elements: ['json', repeated('{"user_id":"ada"},', '[', '{}]')],
    'one long element': ['json', repeated('a', '[{"user_id":"', '"}]')],
    'many arrays before the imported array': ['json', repeated('"a":[],', '{', '"users":[]}')],
    'arrays that open': ['json', repeated('[')],
    'a long key': ['json', repeated('a', '{"', '":[]}')],
    // Shorter, because each comma is an error.
    commas: ['json', (length) => repeated(',', '[', ']')(length / 16)],
  }
  /** Yields blocks of at most 16 KB, because files also arrive in blocks. */
  async function* blocks(text: string): AsyncGenerator<Buffer> {
    const all = Buffer.from(text)
    for (let at = 0; at < all.length; at += 16 * 1024) yield all.subarray(at, at + 16 * 1024)
  }
  /**
   * Returns the processor time in milliseconds: the minimum of up to three runs, to exclude noise. Stops
   * after a run that takes less than `enough` milliseconds.
   */
  async function time(format: InputFormat, text: string, enough: number): Promise<number> {
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3 && best >= enough; i++) {
      const began = process.cpuUsage()
      try {
        for await (const _ of readRows(blocks(text), format, 'input', 'users', () => {}));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error
      }
      const { user, system } = process.cpuUsage(began)
      best = Math.min(best, (user + system) / 1000)
    }
    return best
  }
  test.each(Object.entries(shapes))(
    'an import file with %s takes less than 24 times as long to read at eight times the size',
    async (_, [format, make]) => {
      // Durations below 10 ms are mostly noise.
      const short = await time(format, make(size), 10)
      const most = 24 * Math.max(short, 10)
      const long = await time(format, make(8 * size), most)
      expect(long, `${short.toFixed(1)} ms, then ${long.toFixed(1)} ms`).toBeLessThan(most)
      add('shapes of growing input')
    },
  )
})
