import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { importFixture, journalOf, resultsOf, trimmed } from '../../../helpers/imports.ts'
import { share, sized } from '../../../suites/size.ts'

const { world, renew } = importFixture()

const one = (id: string, name: string | null) => ({
  code: 0,
  stdout: '',
  stderr: 'imported 1 of 1 user\n',
  users: { [id]: name },
})
const listOpenFiles = () =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return []
    }
  })
const refused = (stderr: string) => ({ code: 2, stdout: '', stderr, users: {} })

describe('an import', () => {
  const content = { csv: 'user_id\nada\n', ndjson: '{"user_id":"ada"}\n', json: '[{"user_id":"ada"}]' }

  test.each([
    ['people.csv', content.csv],
    ['PEOPLE.CSV', content.csv],
    ['people.ndjson', content.ndjson],
    ['people.jsonl', content.ndjson],
    ['people.json', content.json],
  ])('users import derives the format from the file name %s', async (name, text) => {
    expect(await world.imported(name, text)).toEqual(one('ada', null))
  })

  test.each(Object.entries(content))(
    'users import reads a file in the format %s of --input-format regardless of the file name',
    async (format, text) => {
      expect(await world.imported('people.txt', text, '--input-format', format)).toEqual(one('ada', null))
      await world.send('DELETE', '/users/ada')
      const other = format === 'csv' ? 'people.json' : 'people.csv'
      expect(await world.imported(other, text, '--input-format', format)).toEqual(one('ada', null))
    },
  )

  test('users import refuses YAML', async () => {
    expect(await world.imported('people.yml', '- user_id: ada\n')).toEqual(
      refused('error: people.yml is YAML, which imports do not read\nhint: save the file as JSON or CSV\n'),
    )
  })

  test('users import reads JSON in a file *.yaml with --input-format json', async () => {
    expect(await world.imported('people.yaml', content.json, '--input-format', 'json')).toEqual(
      one('ada', null),
    )
  })

  test.runIf(existsSync('/proc/self/fd'))(
    'users import closes a file from whose beginning it detects the format',
    async () => {
      const comments = ' '.repeat(100_000)
      expect(await world.imported('people.txt', `user_id,name\nada,${comments}\n`)).toMatchObject({ code: 0 })
      expect(listOpenFiles()).not.toContain(world.path('people.txt'))
    },
  )

  test.each(Object.entries(content))('users import reads standard input as %s', async (format, stdin) => {
    const run = await world.run(`users import - --input-format ${format}`, { stdin })
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: 'imported 1 of 1 user\n' })
    expect(await world.users()).toEqual({ ada: null })
  })

  test('users import reads a named pipe', async () => {
    execFileSync('mkfifo', [world.path('pipe.csv')])
    spawn('sh', ['-c', `printf 'user_id\\nada\\n' > '${world.path('pipe.csv')}'`])
    expect(await world.run('users import pipe.csv')).toMatchObject({
      code: 0,
      stderr: 'imported 1 of 1 user\n',
    })
    expect(world.read(journalOf('pipe.csv'))).toBeUndefined()
  })

  test.each([
    ...Object.values(content),
    '\ufeff\n [{"user_id": "ada"}]',
    '{"users": [{"user_id": "ada"}]}\n',
    '{\n  "users": [{"user_id": "ada"}]\n}\n',
  ])('users import detects the format of standard input without --input-format: %j', async (stdin) => {
    expect(await world.run('users import -', { stdin })).toMatchObject({ code: 0, stdout: '' })
    expect(await world.users()).toEqual({ ada: null })
  })

  test('users import calls its source “standard input” in error messages', async () => {
    const run = (stdin: string | Uint8Array) => world.run('users import - --input-format csv', { stdin })
    expect(await run('')).toMatchObject({
      code: 2,
      stderr: 'error: standard input is empty: the first line of a CSV file names its columns\n',
    })
    expect(await run(Buffer.from('user_id\n\xff\n', 'latin1'))).toMatchObject({
      code: 2,
      stderr:
        'error: standard input is not UTF-8 at byte offset 8\nhint: save the file as UTF-8, or pass its encoding: --encoding windows-1252\n',
    })
    expect((await run('user_id,name\n,x\n')).stderr).toMatch(/^error: standard input:2: user_id is missing\n/)
  })

  test('users import exits 2 for a missing file and for a directory', async () => {
    mkdirSync(world.path('folder.csv'))
    expect(await world.run('users import nope.csv')).toMatchObject({
      code: 2,
      stderr: 'error: nope.csv cannot be read: no such file\n',
    })
    expect(await world.run('users import folder.csv')).toMatchObject({
      code: 2,
      stderr: 'error: folder.csv cannot be read: it is a directory\n',
    })
  })
})

/** Multiple of the size of the chunks in which files are read, in bytes. */
const chunk = 256 * 1024

describe('an import of a file that is not UTF-8', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  const csvWithBytes = (offset: number, bytes: string, rest = '\n') =>
    Buffer.concat([Buffer.from('user_id,name\nada,'.padEnd(offset, 'x')), latin1(bytes), Buffer.from(rest)])

  const encodingFor = (why: string) => {
    const [, nul] = /NUL at byte offset (\d+)/.exec(why) ?? []
    return nul === undefined ? 'windows-1252' : Number(nul) % 2 === 0 ? 'utf-16be' : 'utf-16le'
  }

  test.each<[string, Uint8Array, string]>([
    [
      'UTF-16 without a BOM',
      utf16('user_id\nada\n'),
      'has a NUL at byte offset 1, so the file is UTF-16 or not text',
    ],
    [
      'big-endian UTF-16 without a BOM',
      utf16('user_id\nada\n').swap16(),
      'has a NUL at byte offset 0, so the file is UTF-16 or not text',
    ],
    ['a NUL', csvWithBytes(20, '\0'), 'has a NUL at byte offset 20, so the file is UTF-16 or not text'],
    ['Latin-1', latin1('user_id,name\nada,Ad\xe9le\n'), 'is not UTF-8 at byte offset 19'],
    ['a byte that is never UTF-8', csvWithBytes(20, '\xff'), 'is not UTF-8 at byte offset 20'],
    ['a continuation byte on its own', csvWithBytes(20, '\x80'), 'is not UTF-8 at byte offset 20'],
    ['two continuation bytes on their own', csvWithBytes(20, 'x\x80\x80'), 'is not UTF-8 at byte offset 21'],
    ['an overlong encoding', csvWithBytes(20, '\xc0\xaf'), 'is not UTF-8 at byte offset 20'],
    ['a lone surrogate', csvWithBytes(20, '\xed\xa0\x80'), 'is not UTF-8 at byte offset 20'],
    ['a character beyond U+10FFFF', csvWithBytes(20, '\xf4\x90\x80\x80'), 'is not UTF-8 at byte offset 20'],
    ['an incomplete character', csvWithBytes(20, '\xf0\x9f\x98'), 'is not UTF-8 at byte offset 20'],
    [
      'an incomplete character at the end of the file',
      csvWithBytes(20, '\xe2\x82', ''),
      'is not UTF-8 at byte offset 20',
    ],
    ['two invalid bytes', csvWithBytes(20, '\xff and \xff'), 'is not UTF-8 at byte offset 20'],
    [
      'an invalid byte far into the file',
      csvWithBytes(chunk + 50_000, '\xff'),
      `is not UTF-8 at byte offset ${chunk + 50_000}`,
    ],
    [
      'an invalid byte very far into the file',
      csvWithBytes(3 * chunk + 1, '\xe9'),
      `is not UTF-8 at byte offset ${3 * chunk + 1}`,
    ],
    [
      'an invalid byte at the end of a chunk',
      csvWithBytes(chunk - 1, '\xff'),
      `is not UTF-8 at byte offset ${chunk - 1}`,
    ],
    [
      'an invalid byte at the start of a chunk',
      csvWithBytes(chunk, '\x80'),
      `is not UTF-8 at byte offset ${chunk}`,
    ],
    [
      'an incomplete character across two chunks',
      csvWithBytes(chunk - 2, '\xf0\x9fx'),
      `is not UTF-8 at byte offset ${chunk - 2}`,
    ],
    [
      'an incomplete character across two chunks at the end of the file',
      csvWithBytes(chunk - 1, '\xe2\x82', ''),
      `is not UTF-8 at byte offset ${chunk - 1}`,
    ],
    [
      'a NUL far into the file',
      csvWithBytes(chunk + 7, '\0'),
      `has a NUL at byte offset ${chunk + 7}, so the file is UTF-16 or not text`,
    ],
  ])(
    'users import refuses a file with %s and prints the byte offset of the first invalid byte',
    async (_what, content, why) => {
      expect(await world.imported('people.csv', content)).toEqual(
        refused(
          `error: people.csv ${why}\nhint: save the file as UTF-8, or pass its encoding: meetroom users import people.csv --encoding ${encodingFor(why)} --base-url https://meet.test/v1\n`,
        ),
      )
      expect(world.requests).toEqual([])
    },
  )

  test.each(['ndjson', 'json'])(
    'users import refuses invalid UTF-8 in a file of the format %s and prints the byte offset of the first invalid byte',
    async (format) => {
      expect(await world.imported(`people.${format}`, latin1('[{"user_id":"ad\xe9le"}]\n'))).toEqual(
        refused(
          `error: people.${format} is not UTF-8 at byte offset 15\nhint: save the file as UTF-8, or pass its encoding: meetroom users import people.${format} --encoding windows-1252 --base-url https://meet.test/v1\n`,
        ),
      )
    },
  )
})

describe('an import of a file in another encoding', () => {
  const refuse = (message: string) => refused(`error: people.csv ${message}\n`)

  test('users import refuses a UTF-8 file with another --encoding, but accepts an ASCII file with --encoding windows-1252', async () => {
    const text = 'user_id,name\nada,Käthe Groß\n'
    for (const [encoding, content] of [
      ['windows-1252', text],
      ['windows-1252', `user_id,name\nada,${'ä'.repeat(2 * chunk)}`],
      ['utf-16le', 'user_id,name\nada,Ada\n'],
    ] as const)
      expect(await world.imported('people.csv', content, '--encoding', encoding)).toEqual(
        refuse(
          `is UTF-8, not ${encoding.toUpperCase()}\nhint: type: meetroom users import people.csv --base-url https://meet.test/v1`,
        ),
      )
    const ascii = await world.imported('people.csv', 'user_id\nada\n', '--encoding', 'windows-1252')
    expect(ascii.code).toBe(0)
  })

  test('users import refuses Mac Roman or a DOS code page without suggesting another encoding', async () => {
    for (const name of ['K\x8athe', 'K\x84the', 'Mart\x92n'])
      expect(await world.imported('people.csv', Buffer.from(`user_id,name\nk,${name}\n`, 'latin1'))).toEqual(
        refuse(
          `is not UTF-8 at byte offset ${15 + name.search(/[\x80-\x9f]/)}\nhint: save the file as UTF-8`,
        ),
      )
  })
})

describe('a very long row in an import', () => {
  const MB = 1024 * 1024
  const long = (length: number) => ({
    'people.csv': `user_id,name\nada,Ada\n,"${'a'.repeat(length)}"\n`,
    'people.ndjson': `{"user_id":"ada"}\n{"name":"${'a'.repeat(length)}"}\n`,
    'people.json': `[{"user_id":"ada"},{"name":"${'a'.repeat(length)}"}]`,
  })

  // A linear algorithm takes at most two seconds; a quadratic algorithm takes half a minute.
  test.each(share(Object.entries(long(15 * MB)), 0, 3))(
    'users import reads a row of 15 MB in the file %s and reports its missing user_id',
    { timeout: 20_000 },
    async (name, text) => {
      const { code, stderr } = await world.imported(name, text)
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/user_id is missing\n/),
      })
    },
  )

  const problems = [
    [
      'people.csv',
      'people.csv:3: the row is longer than 16 MB\nhint: check the row for a quote that is not closed',
    ],
    ['people.ndjson', 'people.ndjson:2: the line is longer than 16 MB'],
    ['people.json', 'people.json: element 2 is longer than 16 MB'],
  ] as const

  test.each(problems)(
    'users import refuses a row of more than 16 MB in the file %s and prints its position',
    { timeout: 20_000 },
    async (name, problem) => {
      expect(await world.imported(name, long(sized(17, 30) * MB)[name])).toEqual(
        refused(`error: ${problem}\n`),
      )
    },
  )

  test('users import refuses a JSON object with a text of 17 MB after its array', {
    timeout: 20_000,
  }, async () => {
    expect(await world.imported('people.json', `{"users":[],"x":"${'k'.repeat(17 * MB)}"}`)).toEqual(
      refused('error: people.json: the text after the array is longer than 16 MB\n'),
    )
  })

  test('users import refuses a JSON object that has only a key of 15 MB and no array “users”', {
    timeout: 20_000,
  }, async () => {
    expect(await world.imported('people.json', `{"${'k'.repeat(15 * MB)}":[]}`)).toEqual(
      refused(
        'error: people.json is not a JSON array: the array is missing\n' +
          'hint: JSON input is an array of objects, or {"users": […]}\n',
      ),
    )
  })
})

describe('a character split between two chunks of the file', () => {
  const splits = ['é', '漢', '😀'].flatMap((character) =>
    Array.from({ length: Buffer.byteLength(character) - 1 }, (_, i) => ({ character, first: i + 1 })),
  )
  const forms = {
    csv: ['user_id,name\nada,', '\n'],
    ndjson: ['{"user_id":"ada","name":"', '"}\n'],
    json: ['[{"user_id":"ada","name":"', '"}]'],
  } as const

  test.each(
    Object.keys(forms).flatMap((format) =>
      splits.map((split) => ({ ...split, format: format as keyof typeof forms })),
    ),
  )(
    'users import of $format decodes the character $character correctly if the first chunk ends after $first of its bytes',
    async ({ character, first, format }) => {
      const [before, after] = forms[format]
      const name = 'x'.repeat(chunk - before.length - first) + character
      expect(await world.imported(`people.${format}`, before + name + after)).toEqual(one('ada', name))
    },
  )
})

test('users import imports the cells of random CSV tables unchanged', { timeout: 60_000 }, async () => {
  // Excludes lone surrogates and NUL, which cannot be stored, and escaped formulas, which the import
  // unescapes.
  const text = fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((value) => !value.includes('\0') && !/^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value))
  const piece = fc.oneof(
    text,
    fc.constantFrom('\r', '\n', '\r\n', '"', '""', ',', ', ', ' ', '=1', '@x', "'", '\ufeff', '\u2028', 'é'),
  )
  const cell = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
  const usable = (value: string) => !/^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value)
  const value = cell.map(trimmed).filter(usable)
  const id = value.filter((id) => !['', '.', '..'].includes(id) && !/\p{Cc}/u.test(id))
  const form = fc.record({
    bom: fc.boolean(),
    quoted: fc.boolean(),
    escape_formulas: fc.boolean(),
    record_delimiter: fc.constantFrom('\n', '\r\n'),
    columns: fc.shuffledSubarray(['user_id', 'name', 'email'], { minLength: 3 }),
  })
  const people = fc.uniqueArray(fc.record({ user_id: id, name: value, email: value }), {
    selector: ({ user_id }) => user_id,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(people, form, async (rows, options) => {
      await renew()
      world.file('people.csv', stringify(rows, { ...options, header: true, quoted_match: /[\r\n]/ }))
      const { code, stdout, stderr } = await world.run(
        'users import people.csv --if-exists overwrite -o ndjson',
      )
      expect({ code, rows: resultsOf(stdout).map(({ status }) => status) }, stderr).toEqual({
        code: 0,
        rows: rows.map(() => 'ok'),
      })
      const held = (await world.send('GET', '/users?limit=1000')).body.users
      expect(new Map(held.map(({ user_id, name, email }: any) => [user_id, { name, email }]))).toEqual(
        new Map(
          rows.map(({ user_id, name, email }) => [user_id, { name: name || null, email: email || null }]),
        ),
      )
    }),
    { numRuns: sized(8, 150) },
  )
})

test('users import from NDJSON detects a duplicate of a row that has almost the maximum number of values', async () => {
  const rows = `{"user_id":"ada","x":[${'0,'.repeat(999_990)}0]}\n{"user_id":"ada"}\n`
  const { code, stderr } = await world.imported('people.ndjson', rows, '--dry-run')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('people.ndjson:2: the same user_id as line 1\n'),
  })
})

test('members import refuses a row whose room ID is an array', async () => {
  world.file('m.ndjson', '{"room_id":[{"toString":null}],"user_id":"ada"}\n')
  expect(await world.run('members import m.ndjson')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('room_id must be text or a number'),
  })
})
