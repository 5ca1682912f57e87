import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { importFixture, resultsOf } from '../../../helpers/imports.ts'

const { world } = importFixture()

const people = (delimiter: string, header = ['user_id', 'name', 'default_member_type']) =>
  [header, ['ada', 'Ada Müller', 'host'], ['grace', '"Hopper, Grace; “Amazing” – 5 €"', '']]
    .map((cells) => `${cells.join(delimiter)}\r\n`)
    .join('')
const names = { ada: 'Ada Müller', grace: 'Hopper, Grace; “Amazing” – 5 €' }
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
/** Encodes text in windows-1252, as far as these tests use it. */
const encodeWindows1252 = (text: string) =>
  Buffer.from(
    text.replaceAll(
      /[€“”–]/g,
      (sign) => ({ '€': '\x80', '“': '\x93', '”': '\x94', '–': '\x96' })[sign] ?? '',
    ),
    'latin1',
  )

describe('a CSV file from Excel', () => {
  test.each<[string, string, string | Uint8Array, ...string[]]>([
    ['with semicolons', 'people.csv', people(';')],
    ['with tabs', 'people.tsv', people('\t')],
    ['with a BOM', 'people.csv', `\ufeff${people(';')}`],
    ['with a BOM and another --encoding', 'people.csv', `\ufeff${people(';')}`, '--encoding', 'windows-1252'],
    ['with a sep= line', 'people.csv', `sep=;\r\n${people(';')}`],
    ['with a BOM and a sep= line', 'people.csv', `\ufeffsep=;\r\n${people(';')}`],
    ['in UTF-16 and with tabs', 'people.csv', utf16(people('\t'))],
    ['in big-endian UTF-16', 'people.csv', utf16(people('\t')).swap16()],
    ['in UTF-16 without a BOM', 'people.csv', utf16(people(';')).subarray(2), '--encoding', 'utf-16le'],
    ['in windows-1252', 'people.csv', encodeWindows1252(people(';')), '--encoding', 'windows-1252'],
    ['with vertical bars as delimiters', 'people.csv', people('|')],
    ['with --delimiter against its sep= line', 'people.csv', `sep=,\r\n${people(';')}`, '--delimiter', ';'],
    ['with headers in any case', 'people.csv', people(';', ['User ID', 'NAME', 'Default-Member-Type'])],
    [
      'with German headers',
      'people.csv',
      people(';', ['Kürzel', 'Voller Name', 'Rolle']),
      ...['--map', 'Kürzel=user_id', '--map', 'voller name=name', '--map', 'Rolle=default_member_type'],
    ],
  ])('users import reads a CSV file from Excel %s', async (_what, name, content, ...flags) => {
    expect(await world.imported(name, content, ...flags)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'imported 2 of 2 users\n',
      users: names,
    })
    expect(await world.user('ada')).toMatchObject({ default_member_type: 'host' })
  })

  test('users import reports invalid rows of a CSV file with a sep= line by the line numbers of the file', async () => {
    const { stderr } = await world.imported('people.csv', 'sep=;\r\nuser_id;name\r\n;Ada\r\n')
    expect(stderr).toMatch(/^error: people.csv:3: user_id is missing\n/)
  })

  test('users import writes the failed rows of a CSV file from Excel to a file that can be imported in the same encoding', async () => {
    const flags = ['--encoding', 'windows-1252', '--failed-out', 'rejects.csv', '--skip-invalid']
    const first = await world.imported(
      'people.csv',
      encodeWindows1252(people(';').replace('host', 'boss')),
      ...flags,
    )
    expect(first).toMatchObject({ code: 8, users: { grace: names.grace } })
    const rejects = world.read('rejects.csv') ?? ''
    expect(
      await world.imported('rejects.csv', rejects.replace('boss', 'host'), ...flags.slice(0, 2)),
    ).toMatchObject({
      code: 0,
      users: names,
    })
  })

  test('users import refuses a CSV file with unknown columns, and one error names all unknown columns', async () => {
    expect(await world.imported('people.csv', 'user_id;Klasse;Notiz\nada;7b;x\n')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: no user has the fields “Klasse”, “Notiz”; fields are user_id, name, profile_url, default_member_type, email\n' +
        'hint: pass --map to map a column to a field, --map Klasse= to ignore it, or --ignore-unknown to ignore all unknown columns\n',
      users: {},
    })
    expect(
      await world.imported('people.csv', 'user_id;Klasse;Notiz\nada;7b;x\n', '--ignore-unknown'),
    ).toMatchObject({
      code: 0,
      stderr: 'imported 1 of 1 user\n',
      users: { ada: null },
    })
    expect(world.requests.at(-1)?.body).toBe('{"user_id":"ada"}')
  })

  test('users import reports several problems in one row of a CSV file in one error', async () => {
    const content = 'user_id;profile_url;default_member_type\n;img.test;boss\n'
    expect((await world.imported('people.csv', content)).stderr).toMatch(
      /^error: people.csv:2: profile_url must .*; default_member_type must be guest, host or monitor, not “boss”; user_id is missing\n/,
    )
  })

  test.each<[string, string, string]>([
    ['users', 'user_id;name\n1,00E+03;Ada', 'user_id “1,00E+03”'],
    ['users', 'user_id;name\n1.0E+11;Ada', 'user_id “1.0E+11”'],
    ['members', 'room_id;user_id\n6.6E+23;ada', 'room_id “6.6E+23”'],
    ['rooms --group-by name', 'name;type;user_id\nMaths;open;1E+05', 'user_id “1E+05”'],
  ])('%s import of %j refuses an ID that a spreadsheet damaged', async (kind, content, id) => {
    world.file('list.csv', `${content}\n`)
    const [group = '', ...flags] = kind.split(' ')
    const { code, stderr } = await world.run([group, 'import', 'list.csv', ...flags])
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      `error: list.csv:2: ${id} was damaged by a spreadsheet; format the column as text and save the file again`,
    ])
    expect(stderr).not.toContain('warning')
  })

  test.each([
    ['users', 'user_id;name\n#REF!;Ada', 'user_id “#REF!”'],
    ['rooms', 'name;type;members\nMaths;open;ada|#N/A:host', 'members: user_id “#N/A”'],
  ])('%s import of %j refuses a formula error', async (group, content, id) => {
    world.file('list.csv', `${content}\n`)
    const { code, stderr } = await world.run([group, 'import', 'list.csv'])
    expect([code, stderr.split('\n')[0]]).toEqual([
      2,
      `error: list.csv:2: ${id} is the error of a formula; correct the formula and save the file again`,
    ])
  })

  test('users import accepts the ID 7E3 with a warning', async () => {
    const { code, stderr } = await world.imported('people.csv', 'user_id\n7E3\n')
    expect([code, stderr]).toEqual([
      0,
      'warning: people.csv:2: user_id “7E3” does not look like an ID\nimported 1 of 1 user\n',
    ])
  })

  test('users import of a CSV file with 23 invalid rows prints the first twenty errors', async () => {
    const content = `user_id;name\n${';x\n'.repeat(23)}`
    const { stderr } = await world.imported('people.csv', content)
    expect(stderr.split('\n').slice(20, 22)).toEqual([
      'and 3 more',
      'error: invalid rows: 23 of 23; nothing was sent',
    ])
  })

  test.each([
    [';', ',', 'separated by “;”, not by “,”'],
    [',', ';', 'separated by “,”, not by “;”'],
    ['\t', ',', 'separated by tabs, not by “,”'],
    ['|', 'tab', 'separated by “|”, not by tabs'],
  ])(
    'users import of a CSV file with the delimiter %j refuses --delimiter %s',
    async (own, given, problem) => {
      expect(await world.imported('people.csv', people(own), '--delimiter', given)).toMatchObject({
        code: 2,
        stderr: `error: people.csv: the columns in the header are ${problem}\nhint: to use the delimiter of the header: meetroom users import people.csv --base-url https://meet.test/v1\n`,
      })
    },
  )

  test.each(['ab', 'a', '"', ''])('users import refuses --delimiter %j', async (delimiter) => {
    expect(await world.imported('people.csv', people(';'), '--delimiter', delimiter)).toMatchObject({
      code: 2,
      stderr: `error: --delimiter must be one character or tab, not “${delimiter}”\n`,
    })
  })
})

describe('rooms import from a CSV file', () => {
  beforeEach(async () => {
    for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
  })

  test('rooms import reads members with roles and names from one column of a CSV file', async () => {
    world.file('courses.csv', 'name;type;members\nAlgebra;open;ada:host|grace\nLatin;open;grace:guest:G: H\n')
    const { code, stdout } = await world.run('rooms import courses.csv -o ndjson --concurrency 1')
    expect(code).toBe(0)
    const [algebra, latin] = resultsOf(stdout).map((result: any) => result.id)
    expect(await world.members(algebra)).toEqual(['ada host -', 'grace guest -'])
    expect(await world.members(latin)).toEqual(['grace guest G: H'])
  })
})

describe('an Excel workbook', () => {
  const createArchive = (...files: [name: string, content: string][]) =>
    Buffer.concat(
      files.map(([name, content]) => {
        const head = Buffer.alloc(30)
        head.write('PK\x03\x04', 'latin1')
        head.writeUInt32LE(content.length, 18)
        head.writeUInt32LE(content.length, 22)
        head.writeUInt16LE(name.length, 26)
        return Buffer.concat([head, Buffer.from(name + content)])
      }),
    )
  const xlsx = createArchive(['[Content_Types].xml', '<Types/>'], ['xl/workbook.xml', '<workbook/>'])
  const late = createArchive(
    ['docProps/thumbnail.jpeg', 'x'.repeat(40_000)],
    ['xl/workbook.xml', '<workbook/>'],
  )
  const xls = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
  const isWorkbook = (name: string) => ({
    code: 2,
    stderr:
      `error: ${name} is an Excel workbook; save it as CSV (UTF-8)\n` +
      'hint: in Excel: File, Save As, “CSV UTF-8 (Comma delimited)”\n',
  })

  test.each([
    ['people.xlsx', xlsx],
    ['people.csv', xlsx],
    ['people.ndjson', xlsx],
    ['people.csv', late],
    ['people.xls', xls],
    ['people.csv', xls],
  ])('every import refuses an Excel workbook named %s', async (name, bytes) => {
    world.file(name, bytes)
    for (const what of ['users', 'rooms', 'members'])
      expect(await world.run(`${what} import ${name}`)).toMatchObject(isWorkbook(name))
    expect(world.requests).toEqual([])
  })

  test('an Excel workbook is refused on standard input', async () => {
    const argv = 'users import - --input-format csv'
    expect(await world.run(argv, { stdin: xlsx })).toMatchObject(isWorkbook('standard input'))
  })

  test('a ZIP archive that is not an Excel workbook is refused with a hint to unpack the archive', async () => {
    world.file('people.csv', createArchive(['word/document.xml', '<document/>']))
    expect(await world.run('users import people.csv')).toMatchObject({
      code: 2,
      stderr: 'error: people.csv is a ZIP archive\nhint: unpack the archive, and import the unpacked file\n',
    })
  })

  test('users import refuses a compressed file', async () => {
    world.file('people.csv.gz', gzipSync('user_id\nada\n'))
    expect(await world.run('users import people.csv.gz')).toMatchObject({
      code: 2,
      stderr: 'error: people.csv.gz is compressed\nhint: decompress the file with gunzip first\n',
    })
  })

  test.each(['people.ods', 'people.numbers'])(
    'users import refuses the file %s as a spreadsheet of another program',
    async (name) => {
      world.file(name, createArchive(['content.xml', '<document/>']))
      expect(await world.run(`users import ${name}`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`error: ${name} is a spreadsheet; save it as CSV (UTF-8)\n`),
      })
    },
  )
})

describe('rooms import --group-by name', () => {
  const line = 'rooms import courses.csv --group-by name --concurrency 1'
  const ids = async () =>
    Object.fromEntries((await world.send('GET', '/rooms')).body.rooms.map(({ name, id }: any) => [name, id]))
  beforeEach(async () => {
    for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
    world.file(
      'courses.csv',
      'Name;Type;User_ID;Member_Type;Member_Name\nAlgebra;open;ada;host;\nAlgebra;;grace;;G\nLatin;public;ada;guest;\nEmpty;open;;;\n',
    )
  })

  test('rooms import --group-by name creates one room from rows with the same name, and a second run updates the room', async () => {
    expect(await world.run(line)).toMatchObject({
      code: 0,
      stderr: 'imported 3 of 3 rooms\n',
    })
    const { Algebra, Latin } = await ids()
    expect(await world.members(Algebra)).toEqual(['ada host -', 'grace guest G'])
    expect(await world.members(Latin)).toEqual(['ada guest -'])
    expect(await world.run(`${line} --if-exists update`)).toMatchObject({
      code: 0,
      stderr: 'imported 3 of 3 rooms: updated 3\n',
    })
    expect(await world.members(Algebra)).toEqual(['ada host -', 'grace guest G'])
    expect(await world.rooms()).toEqual(['Algebra', 'Empty', 'Latin'])
  })

  test('rooms import --group-by name refuses contradictory values in the rows of one room', async () => {
    world.file(
      'courses.csv',
      'name;type;user_id\nAlgebra;open;ada\nAlgebra;public;grace\nLatin;open;ada\nGreek;open;ada\nLatin;open;grace\n',
    )
    expect(await world.run(line)).toMatchObject({
      code: 2,
      stderr:
        'error: courses.csv:2: type of the room differs between line 2 and line 3\n' +
        'error: invalid rows: 2 of 5; nothing was sent\n' +
        'hint: fix the rows, or skip them with: meetroom rooms import courses.csv --group-by name --concurrency 1 --skip-invalid --base-url https://meet.test/v1\n',
    })
  })

  test('rooms import --group-by name creates one room from non-consecutive rows with the same name', async () => {
    world.file(
      'courses.csv',
      'name;type;user_id\nAlgebra;open;ada\nLatin;open;ada\nAlgebra ;;grace\nGreek;open;ada\n Latin;;grace\n',
    )
    expect(await world.run(line)).toMatchObject({
      code: 0,
      stderr: 'white space around 2 values was removed (name 2)\nimported 3 of 3 rooms\n',
    })
    const { Algebra, Latin, Greek } = await ids()
    expect(await world.members(Algebra)).toEqual(['ada guest -', 'grace guest -'])
    expect(await world.members(Latin)).toEqual(['ada guest -', 'grace guest -'])
    expect(await world.members(Greek)).toEqual(['ada guest -'])
    expect(await world.rooms()).toEqual(['Algebra', 'Greek', 'Latin'])
  })

  test('rooms import --group-by name refuses contradictory values in non-consecutive rows', async () => {
    world.file('courses.csv', 'name;type;user_id\nAlgebra;open;ada\nLatin;open;ada\nAlgebra;public;grace\n')
    const { code, stderr } = await world.run(line)
    expect(code).toBe(2)
    expect(stderr).toContain('error: courses.csv:2: type of the room differs between line 2 and line 4\n')
  })

  test.each([
    ['a column removed by --map', ['--map', 'E-Mail=']],
    ['columns removed by --ignore-unknown', ['--ignore-unknown']],
  ])(
    'rooms import --group-by name accepts different values of %s in the rows of one room',
    async (_, flags) => {
      world.file(
        'courses.csv',
        'name;type;user_id;E-Mail;created_at\nAlgebra;open;ada;ada@x.test;1\nAlgebra;open;grace;grace@x.test;2\n',
      )
      expect(await world.run([...line.split(' '), ...flags])).toMatchObject({ code: 0 })
      expect(await world.members((await ids())['Algebra'])).toEqual(['ada guest -', 'grace guest -'])
    },
  )

  test.each([
    ['follow each other', 'Algebra;open;ada\nAlgebra;open;nobody\nLatin;open;ada\n'],
    ['do not follow each other', 'Algebra;open;ada\nLatin;open;ada\nAlgebra;open;nobody\n'],
  ])(
    'rooms import --group-by name writes every row of a failed room to the file of --failed-out if the rows %s',
    async (_, rows) => {
      world.file('courses.csv', `name;type;user_id\n${rows}`)
      expect(await world.run(`${line} --failed-out rejects.csv`)).toMatchObject({ code: 8 })
      const lines = world.read('rejects.csv')?.split('\r\n') ?? []
      expect(lines.map((line) => line.split(';').slice(0, 3).join(';'))).toEqual([
        'name;type;user_id',
        'Algebra;open;ada',
        'Algebra;open;nobody',
        '',
      ])
    },
  )

  describe('rows with an invalid member', () => {
    const rows =
      'name;type;user_id;member_type\n' +
      'Algebra;open;ada;Boss\nAlgebra;;grace;\nAlgebra;;;host\nGreek;;ada;Boss\nLatin;open;ada;\n'
    beforeEach(() => world.file('courses.csv', rows))
    const imported = '; 3 invalid rows'

    test('rooms import --group-by name reports and counts the rows with an invalid member', async () => {
      const { code, stderr } = await world.run(line)
      expect([code, stderr]).toEqual([
        2,
        'error: courses.csv:4: user_id is missing\n' +
          'error: courses.csv: 1 value is not guest, host or monitor: “Boss” (2 rows from line 2)\n' +
          'hint: name its role with --role-map: guest, host or monitor\n' +
          'error: invalid rows: 3 of 5; nothing was sent\n' +
          'hint: fix the rows, or skip them with: meetroom rooms import courses.csv --group-by name --concurrency 1 --skip-invalid --base-url https://meet.test/v1\n',
      ])
    })

    test.each([
      ['adjacent', ''],
      ['scattered', 'Algebra;;ada;\n'],
    ])(
      'rooms import --group-by name --skip-invalid imports rooms with %s rows without their invalid members',
      async (_, more) => {
        world.file('courses.csv', rows + more)
        const { code, stderr } = await world.run(`${line} --skip-invalid --failed-out rejects.csv`)
        expect([code, stderr]).toEqual([
          8,
          'error: courses.csv:2: member_type must be guest, host or monitor, not “Boss”\n' +
            'error: courses.csv:4: user_id is missing\n' +
            'error: courses.csv:5: member_type must be guest, host or monitor, not “Boss”\n' +
            `error: imported 2 of 2 rooms${imported}\nhint: fix rejects.csv and import it\n`,
        ])
        const rooms = await ids()
        expect(Object.keys(rooms).sort()).toEqual(['Algebra', 'Latin'])
        const others = more ? ['ada guest -'] : []
        expect(await world.members(rooms['Algebra'])).toEqual([...others, 'grace guest -'])
        expect(world.read('rejects.csv')).toBe(
          'name;type;user_id;member_type;reason\r\n' +
            'Algebra;open;ada;Boss;member_type must be guest, host or monitor, not “Boss”\r\n' +
            'Algebra;;;host;user_id is missing\r\n' +
            'Greek;;ada;Boss;member_type must be guest, host or monitor, not “Boss”\r\n',
        )
      },
    )

    test.each([
      ['', 1],
      [' --if-exists update', 8],
      [' --dry-run -o ids', 1],
    ])(
      'rooms import --group-by name%s names all unknown users of a room, with the line of the first unknown user',
      async (flags, expected) => {
        if (flags.includes('update')) await world.room('Latin')
        const users = ['', 'grace', 'grace', 'grace', 'grace', 'ada', 'grace', 'x1', 'x2', 'x1']
        world.file('courses.csv', `name;type;user_id\n${users.map((id) => `Latin;open;${id}\n`).join('')}`)
        const { code, stderr } = await world.run(`${line}${flags}`)
        expect([code, stderr.split('\n')[0]]).toEqual([
          expected,
          'error: courses.csv:9 (Latin): no such users: x1, x2',
        ])
      },
    )

    test('rooms import --group-by name --skip-invalid writes the NDJSON row of an invalid member to --failed-out', async () => {
      const bad = { name: 'Algebra', user_id: 5, member_type: 5, member_name: 'A' }
      const good = { name: 'Algebra', type: 'open', user_id: 'grace' }
      world.file('courses.ndjson', `${JSON.stringify(bad)}\n${JSON.stringify(good)}\n`)
      const flags = '--skip-invalid --failed-out rejects.ndjson'
      expect(await world.run(`rooms import courses.ndjson --group-by name ${flags}`)).toMatchObject({
        code: 8,
      })
      expect(JSON.parse(world.read('rejects.ndjson') ?? '')).toEqual({
        ...bad,
        reason: 'member_type must be guest, host or monitor, not 5',
      })
      expect(await world.members((await ids())['Algebra'])).toEqual(['grace guest -'])
    })
  })

  test('rooms import --group-by name refuses more than 100,000 non-consecutive rows', async () => {
    const rows = Array.from({ length: 100_002 }, (_, i) => `R${i % 2};open;u${i}`)
    world.file('courses.csv', `Course;type;user_id\n${rows.join('\n')}\n`)
    expect(await world.run(`${line} --map Course=name`)).toMatchObject({
      code: 2,
      stderr:
        'error: more than 100,000 rows belong to rooms whose rows are not consecutive\n' +
        'hint: sort the file by Course, or split the file\n',
    })
    expect(world.writes()).toEqual([])
  })
})

describe('a file with a field that the API does not list', () => {
  test.each([
    [
      'people.ndjson',
      '{"user_id":"ada","metadata":{"n":1},"access_token":"t"}\n{"user_id":"grace","metadata":2}\n',
    ],
    [
      'people.json',
      '[{"user_id":"ada","metadata":{"n":1},"access_token":"t"},{"user_id":"grace","metadata":2}]',
    ],
  ])('users import sends the value of an unlisted field in the file %s', async (name, content) => {
    expect(await world.imported(name, content, '--concurrency', '1')).toMatchObject({
      code: 0,
      stderr:
        'warning: the API lists no field “metadata” of a user; the field is sent anyway\nimported 2 of 2 users\n',
    })
    expect(world.writes()).toHaveLength(2)
    const bodies = world.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
    expect(bodies).toEqual(['{"user_id":"ada","metadata":{"n":1}}', '{"user_id":"grace","metadata":2}'])
  })
})

describe('the body of an import request', () => {
  test('the body of a users import request contains the empty strings of NDJSON', async () => {
    await world.imported('people.ndjson', '{"user_id":"ada","name":"","email":"#DEPRECATED#"}\n')
    expect(world.requests.at(-1)?.body).toBe('{"user_id":"ada","name":"","email":"#DEPRECATED#"}')
  })

  test('the body of a rooms import request omits empty cells of CSV and deprecated fields', async () => {
    world.file('rooms.csv', 'name,type,layout,is_terminated\n#DEPRECATED#,open,,#DEPRECATED#\n')
    expect(await world.run('rooms import rooms.csv')).toMatchObject({ code: 0 })
    expect(world.requests.at(-1)?.body).toBe('{"name":"#DEPRECATED#","type":"open"}')
  })
})
