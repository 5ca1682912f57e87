import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { readJson, writeJson } from '../../src/api/json.ts'
import { fillPath, formatQueryString } from '../../src/api/path.ts'
import { quoteForShell } from '../../src/api/quote-for-shell.ts'
import { Assignments, parseFields, parsePath } from '../../src/cli/input/assignments.ts'
import { createUrlParser } from '../../src/cli/input/input.ts'
import { formatCsv } from '../../src/cli/output/formats/csv.ts'
import { formatRecord } from '../../src/cli/output/formats/record.ts'
import { TableWriter } from '../../src/cli/output/formats/table.ts'
import { selectStyle } from '../../src/cli/output/terminal/style.ts'
import { visible, visibleJson } from '../../src/cli/output/terminal/visible.ts'
import { isDeprecated, views } from '../../src/cli/output/views/views.ts'
import { requireEncodedUrl } from '../../src/embedded/common/values.ts'
import { UsageError } from '../../src/errors.ts'
import { testHost, testNow } from '../helpers/host.ts'
import { sized } from '../suites/size.ts'

const hostilePieces = [
  ...[
    '',
    ' ',
    '  ',
    '..',
    '.',
    '%2e%2e',
    '%',
    '%zz',
    'a/b',
    '\\',
    '?',
    '#',
    '"',
    "'",
    ',',
    '=1+1',
    '+1',
    '-1',
    '@x',
  ],
  ...['\n', '\r', '\r\n', '\t', '\0', '\u001b[31m', '\u001b]0;title\u0007', '\u009b2J', '\u007f'],
  ...[
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u2028',
    '\u2029',
    '\u00ad',
    '\u{e0041}',
    '\ue000',
    '\u{100000}',
  ],
  ...['漢字', 'ｆｕｌｌ', '한', '😀', '👨‍👩‍👧', '🇩🇪', '✊🏽', 'e\u0301', '\u0301', '\ufe0f', 'ﷺ', 'é', 'ß'],
  ...['\ud800', '\udc00', 'x'.repeat(300), '漢'.repeat(200), 'null', '__proto__', '{"a":1}'],
]
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...hostilePieces), { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units)),
)

describe('request paths', () => {
  const base = 'https://meet.test/v1'
  const template = '/rooms/{room_id}/members/{member_id}'

  test('fillPath encodes each ID as one path segment or throws a UsageError', () => {
    fc.assert(
      fc.property(hostile, hostile, (room_id, member_id) => {
        let path: string
        try {
          path = fillPath(template, { room_id, member_id })
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError)
          return
        }
        const segments = new URL(base + path).pathname.split('/')
        expect(segments.map(decodeURIComponent)).toEqual(['', 'v1', 'rooms', room_id, 'members', member_id])
        expect(new URL(base + path).search + new URL(base + path).hash).toBe('')
      }),
      { numRuns: sized(80, 2000) },
    )
  })

  test.each(['', '.', '..', 'a\nb', 'a\u0000', '\u007f', '\u0085', '\ud800', 'x\udc00'])(
    'fillPath rejects the ID %j',
    (id) => {
      expect(() => fillPath('/rooms/{id}', { id })).toThrow(UsageError)
    },
  )

  test.each([
    ['%2e%2e', '/rooms/%252e%252e'],
    ['a/b', '/rooms/a%2Fb'],
    ['a\\b', '/rooms/a%5Cb'],
    ['?x#y', '/rooms/%3Fx%23y'],
    ['...', '/rooms/...'],
    ['..;', '/rooms/..%3B'],
    ['né 😀', '/rooms/n%C3%A9%20%F0%9F%98%80'],
    ["it's(*)!~", "/rooms/it's(*)!~"],
  ])('fillPath converts the ID %j to the path %j', (id, path) => {
    expect(fillPath('/rooms/{id}', { id })).toBe(path)
  })

  test('formatQueryString round-trips query parameters', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(fc.dictionary(text, fc.option(text, { nil: undefined })), (query) => {
        const given = Object.entries(query).filter(([, value]) => value !== undefined)
        expect([...new URL(`https://h/${formatQueryString(query)}`).searchParams]).toEqual(given)
      }),
    )
  })
})

describe('URL parser of --image', () => {
  const encode = createUrlParser('--image')
  const encoded = fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
  const anything = fc
    .array(fc.oneof(encoded, hostile), { maxLength: 6 })
    .map((pieces) => `https://host/${pieces.join('')}`)
  const wellFormed = (text: string) => text.replaceAll('%', '').toWellFormed().trim()

  test('the URL parser of --image returns printable ASCII without spaces', () => {
    fc.assert(
      fc.property(anything, (url) => {
        expect(encode(url)).toMatch(/^[\x21-\x7e]+$/)
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('the URL parser of --image is idempotent', () => {
    fc.assert(
      fc.property(anything, (url) => {
        expect(encode(encode(url))).toBe(encode(url))
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('the URL parser of --image keeps valid percent escapes and encodes stray percent signs', () => {
    fc.assert(
      fc.property(fc.array(encoded), (escapes) => {
        const url = `https://host/${escapes.join('/')}`
        expect(encode(url)).toBe(url)
      }),
    )
    expect(encode('https://host/100%/a%20b/%zz/%4')).toBe('https://host/100%25/a%20b/%25zz/%254')
  })

  test('the URL parser of --image losslessly encodes well-formed text without percent signs', () => {
    fc.assert(
      fc.property(hostile.map(wellFormed), (text) => {
        expect(decodeURIComponent(encode(`https://host/${text}`))).toBe(`https://host/${text}`)
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('the URL parser of --image returns a URL that the embedded service accepts', () => {
    fc.assert(
      fc.property(anything, (url) => requireEncodedUrl('src', encode(url))),
      { numRuns: sized(40, 1000) },
    )
  })

  test.each(['https://ho\tst/', 'https://host/\u00a0', ' https://host/ '])(
    'the URL parser of --image returns https://host/ for %j',
    (url) => expect(encode(url)).toBe('https://host/'),
  )

  test('the URL parser of --image throws a UsageError for a URL after a control character', () => {
    expect(() => encode('\u0001https://host/')).toThrow(UsageError)
  })
})

/** Keys with white space around them are refused. */
const isTrimmed = (text: string) => text.trim() === text

describe('--set key=value', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => !text.includes('=') && isTrimmed(text))

  test('--set key=value parses any JSON value', () => {
    fc.assert(
      fc.property(key, fc.jsonValue(), (name, value) => {
        const read = parseFields('--set', [`${name}=${JSON.stringify(value)}`])
        expect(Object.keys(read)).toEqual([name])
        expect(writeJson(read[name])).toBe(JSON.stringify(value))
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('--set key=value reads a non-JSON value as text', () => {
    const notJson = hostile.filter((text) => {
      try {
        JSON.parse(text)
        return false
      } catch {
        return true
      }
    })
    fc.assert(
      fc.property(key, notJson, (name, text) => {
        expect(parseFields('--set', [`${name}=${text}`])).toEqual(Object.fromEntries([[name, text]]))
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test.each([['a', '1'], ['=1'], ['']])('--set rejects the argument %j', (...pairs) => {
    expect(() => parseFields('--set', pairs)).toThrow(UsageError)
  })
})

describe('dotted keys of --set', () => {
  const hostileName = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty')
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 5 }).filter(isTrimmed),
    fc.constantFrom('.', '\\', '\\.', 'a.b'),
    hostileName,
  )
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.integer()))
  type Tree = { [name: string]: Tree | number | string | boolean | null | number[] }
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.dictionary(name, fc.oneof({ maxDepth: 4 }, leaf, tie('tree')), {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    }),
  }))

  const isTree = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const leaves = (value: unknown, path: string[] = []): { path: string[]; value: unknown }[] =>
    isTree(value)
      ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
      : [{ path, value }]
  const sorted = (value: unknown): unknown =>
    isTree(value)
      ? Object.entries(value)
          .map(([name, inner]) => [name, sorted(inner)])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      : value
  const keyOf = (path: readonly string[]) => path.map((name) => name.replace(/[\\.]/g, '\\$&')).join('.')

  const built = (said: readonly { path: string[]; value: unknown }[], data: object = {}) => {
    const assignments = new Assignments()
    for (const { path, value } of said) assignments.set('--set', parsePath(keyOf(path)), value)
    return assignments.applyTo(data)
  }

  test('dotted keys of --set build the same object in any order', () => {
    fc.assert(
      fc.property(
        tree.chain((tree) =>
          fc.tuple(fc.constant(tree), fc.shuffledSubarray(leaves(tree), { minLength: leaves(tree).length })),
        ),
        ([tree, said]) => {
          expect(sorted(built(said))).toEqual(sorted(tree))
          expect(Object.getPrototypeOf(built(said))).toBe(Object.prototype)
        },
      ),
      { numRuns: sized(40, 1000) },
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('a dotted key of --set keeps all other fields of the data', () => {
    fc.assert(
      fc.property(tree, fc.array(name, { minLength: 1, maxLength: 4 }), (tree, names) => {
        const path = ['data of its own', ...names]
        const both = built([{ path, value: 1 }], tree)
        const { [path[0] ?? '']: added, ...others } = both as Tree
        expect(sorted(others)).toEqual(sorted(tree))
        expect(leaves(added)).toEqual([{ path: names, value: 1 }])
      }),
      { numRuns: sized(40, 500) },
    )
  })

  test.each(['.', '.a', 'a.', 'a..b', '..', Array(101).fill('a').join('.')])(
    '--set rejects the dotted key %j',
    (key) => {
      expect(() => parsePath(key)).toThrow(UsageError)
    },
  )

  test.each([
    ['a', ['a']],
    ['a.b', ['a', 'b']],
    ['a\\.b', ['a.b']],
    ['a\\\\.b', ['a\\', 'b']],
    ['\\.', ['.']],
    ['a\\', ['a\\']],
    ['a\\b.c', ['a\\b', 'c']],
  ])('--set parses the dotted key %s as the path %j', (key, path) => {
    expect(parsePath(key)).toEqual(path)
  })
})

describe('JSON', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 })
  const number = fc
    .tuple(
      fc.boolean(),
      digits.map((text) => text.replace(/^0+(?=\d)/, '')),
      fc.option(digits),
      fc.option(fc.integer({ min: -400, max: 400 })),
    )
    .map(
      ([negative, whole, fraction, exponent]) =>
        `${negative ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}${exponent === null ? '' : `e${exponent}`}`,
    )

  function parseNumberParts(text: string): string {
    const [, sign, whole = '', fraction = '', exponent = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
    const all = `${whole}${fraction}`.replace(/^0+/, '')
    const significant = all.replace(/0+$/, '')
    if (significant === '') return '0'
    return `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`
  }

  test('readJson and writeJson keep every significant digit of a number', () => {
    fc.assert(
      fc.property(number, (text) => {
        expect(parseNumberParts(writeJson(readJson(text)))).toBe(parseNumberParts(text))
        const [, inside = ''] = /^\{"n":\[(.*)\]\}$/.exec(writeJson(readJson(`{"n":[${text}]}`))) ?? []
        expect(parseNumberParts(inside)).toBe(parseNumberParts(text))
      }),
      { numRuns: sized(120, 3000) },
    )
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '1e-400',
    '0.1',
    '1E5',
    '12345678901234567890.5',
    '5e-324',
  ])('readJson and writeJson keep the value of %s', (text) =>
    expect(parseNumberParts(writeJson(readJson(text)))).toBe(parseNumberParts(text)),
  )

  test('readJson and writeJson round-trip JSON like JSON.parse and JSON.stringify', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(writeJson(readJson(text))).toBe(JSON.stringify(JSON.parse(text)))
        const both = `[${text},12345678901234567890]`
        expect(writeJson(readJson(both))).toBe(`[${JSON.stringify(JSON.parse(text))},12345678901234567890]`)
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('readJson and writeJson round-trip any string', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(readJson(writeJson(text))).toBe(text)
        expect(readJson(writeJson([text, '0'.repeat(20)]))).toEqual([text, '0'.repeat(20)])
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('readJson throws a SyntaxError for invalid JSON', () => {
    for (const text of ['', '{', '[1,]', '01', '1.', '.5', '+1', 'NaN', '"\n"', "'a'", '{"a":1}}', 'nul'])
      for (const variant of [text, `[12345678901234567890,${text}]`])
        expect(() => readJson(variant), variant).toThrow(SyntaxError)
  })
})

// Excludes joiners and tags, which the output contains where they are valid. Another test checks them.
const unsafe = /(?![\p{Join_C}\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u

describe('text for a terminal', () => {
  test('visible() returns text without control or invisible characters', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(visible(text)).not.toMatch(unsafe)
      }),
      { numRuns: sized(80, 2000) },
    )
    for (let code = 0; code <= 0x10ffff; code++) {
      const shown = visible(String.fromCodePoint(code))
      if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{VS}]/u.test(shown))
        expect.fail(`U+${code.toString(16)} is shown as it is`)
    }
  })

  test('visible() returns plain text and escaped text unchanged', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(visible(visible(text))).toBe(visible(text))
      }),
    )
    for (const text of ['plain', 'né', '漢字', '😀 ✊🏽', 'e\u0301', 'a\\nb', ' '])
      expect(visible(text)).toBe(text)
  })

  test('visibleJson() returns equivalent JSON without control characters except line breaks', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), fc.constantFrom(undefined, 2), (value, space) => {
        const shown = visibleJson(writeJson(value, space))
        expect(shown.replaceAll('\n', '')).not.toMatch(unsafe)
        expect(JSON.stringify(JSON.parse(shown))).toBe(JSON.stringify(value))
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test('quoteForShell() quotes any text as one shell word', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(quoteForShell(text).replaceAll(`'\\''`, '')).toMatch(/^([\w@%+=:,./-]+|'[^']*')$/)
      }),
    )
  })
})

/** Parses CSV as in RFC 4180. Each record must end with CRLF. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  let row: string[] = []
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const match = field.exec(text)
    if (!match) throw new Error(`no CSV from position ${at}: ${JSON.stringify(text.slice(at, at + 40))}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

describe('CSV', () => {
  const escapeFormula = (text: string) => (/^'*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text)
  const fields = ['name', 'layout', 'id'] as const
  const item = fc.record({ name: hostile, layout: hostile, id: hostile })

  test('CSV output preserves any text and escapes formulas', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), fc.boolean(), (items, header) => {
        const text = formatCsv(items, { view: views.room, fields, header })
        expect(parseCsv(text)).toEqual([
          ...(header ? [[...fields]] : []),
          ...items.map(({ name, layout, id }) => [name, layout, id].map(escapeFormula)),
        ])
      }),
      { numRuns: sized(40, 1000) },
    )
  })

  test.each([
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a\r\nb', '"a\r\nb"'],
    ['a"b', '"a""b"'],
    ['a,b', '"a,b"'],
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("https://evil.test","x")', `"'=HYPERLINK(""https://evil.test"",""x"")"`],
    ['@SUM(1)', "'@SUM(1)"],
    ['\t=1', "'\t=1"],
    [' x ', ' x '],
    ['', ''],
  ])('CSV output encodes the name %j as the cell %j', (name, cell) => {
    expect(formatCsv([{ id: 'r1', name }], { view: views.room, fields: ['id', 'name'], header: false })).toBe(
      `r1,${cell}\r\n`,
    )
  })

  test('CSV output writes a negative number without formula escaping', () => {
    const items = [{ id: 'r1', offset: -5, big: readJson('-12345678901234567890') }]
    expect(formatCsv(items, { view: views.room, fields: ['id', 'offset', 'big'], header: false })).toBe(
      'r1,-5,-12345678901234567890\r\n',
    )
  })
})

describe('tables and records', async () => {
  const { stdout } = testHost()
  const style = await selectStyle(stdout, {}, false)
  const item = fc.record(
    {
      id: hostile,
      name: hostile,
      type: hostile,
      layout: fc.oneof(hostile, fc.constant(null)),
      record: fc.boolean(),
      created_at: fc.oneof(hostile, fc.constant('2026-01-02T03:04:05.678Z')),
    },
    { requiredKeys: ['id'] },
  )
  const items = fc.array(item, { minLength: 1, maxLength: 4 })

  function table(rows: object[], width: number | undefined, header = true, fields?: string[]): string[] {
    const writer = new TableWriter({
      view: views.room,
      header,
      style,
      width,
      now: width === undefined ? undefined : testNow,
      fields,
      redact: (text) => text,
    })
    const text = writer.page(rows as Record<string, unknown>[])
    expect(text.endsWith('\n')).toBe(true)
    return text.slice(0, -1).split('\n')
  }

  test('a table prints each item on one line without control characters', () => {
    fc.assert(
      fc.property(items, fc.option(fc.integer({ min: 20, max: 200 }), { nil: undefined }), (rows, width) => {
        const lines = table(rows, width)
        expect(lines).toHaveLength(rows.length + 2)
        for (const line of lines) expect(line).not.toMatch(unsafe)
      }),
      { numRuns: sized(40, 500) },
    )
  })

  test('a table fits the terminal width', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 20, max: 200 }), fc.boolean(), (rows, width, header) => {
        for (const line of table(rows, width, header)) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }),
      { numRuns: sized(40, 500) },
    )
  })

  test('a table with two pages fits the terminal width', () => {
    fc.assert(
      fc.property(items, items, fc.integer({ min: 20, max: 200 }), (first, second, width) => {
        const writer = new TableWriter({
          ...{ view: views.room, header: true, style, width, now: testNow },
          redact: (text) => text,
        })
        const text = writer.page(first) + writer.page(second)
        for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }),
      { numRuns: sized(24, 300) },
    )
  })

  test.each([
    ['wide letters', '漢字'.repeat(50)],
    ['a narrow letter and wide letters', `x${'漢字'.repeat(50)}`],
    ['emoji', '😀'.repeat(50)],
    ['flag emoji', '🇩🇪'.repeat(50)],
    ['wide letters and combining marks', '漢'.repeat(40) + '\u0301'.repeat(40)],
    ['letters with combining marks', 'e\u0301'.repeat(80)],
  ])('a table truncates a long name of %s to the terminal width', (_what, name) => {
    for (let width = 20; width <= 60; width++) {
      const lines = table([{ id: 'r1', name, type: 'open' }], width, true, ['id', 'name'])
      for (const line of lines) {
        expect(line).not.toMatch(unsafe)
        expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }
      expect(lines.at(-1)).toMatch(/…$/)
    }
  })

  test('a table with a name of 8,000 wide letters renders within 500 ms', () => {
    const started = performance.now()
    table([{ id: 'r1', name: '漢'.repeat(8000) }], 80)
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('a table in a pipe prints cells of any length in full', () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const [line = ''] = table([{ id: 'r1', name, type: 'open' }], undefined, false, [
          'id',
          'name',
          'type',
        ])
        expect(line).toContain(visible(name))
        expect(line.startsWith('r1  ')).toBe(true)
        expect(line.endsWith('  open')).toBe(true)
      }),
      {
        numRuns: sized(40, 500),
        examples: [[`${'漢'.repeat(100)}${'x'.repeat(5000)}`], ['漢'.repeat(3000)]],
      },
    )
  })

  test('a record prints each non-deprecated field on one line without control characters', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile, { minKeys: 1 }), (record) => {
        const fields = Object.keys({ status: '', ...record })
        const shown = fields.filter((field) => !isDeprecated(views.room, field, record[field]))
        const text = formatRecord(record, {
          ...{ view: views.room, style, now: testNow },
          redact: (text) => text,
        })
        const lines = text.split('\n')
        expect(lines).toHaveLength(shown.length + 1)
        for (const line of lines) expect(line).not.toMatch(unsafe)
      }),
      { numRuns: sized(40, 500) },
    )
  })
})
