import { describe, expect, test } from 'vitest'
import { importFixture } from '../../../helpers/imports.ts'
import { answer } from '../../../helpers/world.ts'

const { world } = importFixture()

const users = (held: Record<string, string | null>) => {
  const count = Object.keys(held).length
  return {
    code: 0,
    stdout: '',
    stderr: `imported ${count} of ${count} user${count === 1 ? '' : 's'}\n`,
    users: held,
  }
}
const refused = (stderr: unknown) => ({ code: 2, stdout: '', stderr, users: {} })

describe('users import from CSV', () => {
  const ada = { ada: 'Ada', grace: 'Grace' }
  test('users import from CSV skips empty lines between rows, and counts them', async () => {
    expect(await world.imported('people.csv', 'user_id,name\n\nada,Ada\n  \n\ngrace,Grace\n')).toEqual({
      ...users(ada),
      stderr: 'skipped 3 empty rows\nimported 2 of 2 users\n',
    })
  })

  test.each<[string, string, Record<string, string | null>]>([
    ['with line feeds', 'user_id,name\nada,Ada\ngrace,Grace\n', ada],
    ['without a final line break', 'user_id,name\nada,Ada\ngrace,Grace', ada],
    ['with carriage returns and line feeds', 'user_id,name\r\nada,Ada\r\ngrace,Grace\r\n', ada],
    ['with carriage returns', 'user_id,name\rada,Ada\rgrace,Grace\r', ada],
    ['with line breaks of both kinds', 'user_id,name\nada,Ada\r\ngrace,Grace\n', ada],
    ['with line breaks of both kinds and quotes', 'user_id,name\r\nada,"Ada"\ngrace,"Grace"\r\n', ada],
    ['with a BOM', '\ufeffuser_id,name\nada,Ada\ngrace,Grace\n', ada],
    ['with a BOM before a quoted header', '\ufeff"user_id","name"\nada,Ada\ngrace,Grace\n', ada],
    ['with other columns first', 'name,email,user_id\nAda,,ada\nGrace,g@navy.test,grace\n', ada],
    ['with spaces around column names', ' user_id , name \nada,Ada\ngrace,Grace\n', ada],
    [
      'with empty lines before the header and at the end',
      '\n\nuser_id,name\nada,Ada\ngrace,Grace\n\n\n',
      ada,
    ],
    ['with one column', 'user_id\nada\ngrace\n', { ada: null, grace: null }],
    ['with empty cells', 'user_id,name\nada,\n"grace",""\n', { ada: null, grace: null }],
    ['with a comma in quotes', 'user_id,name\nada,"Lovelace, Ada"\n', { ada: 'Lovelace, Ada' }],
    ['with quotes in quotes', 'user_id,name\nada,"""Ada"" L."\n', { ada: '"Ada" L.' }],
    ['with a line break in quotes', 'user_id,name\r\nada,"A\nB\r\nC"\r\n', { ada: 'A\nB\r\nC' }],
    ['with a line break in a column name', '"user_id","\nname\n"\nada,Ada\n', { ada: 'Ada' }],
    [
      'with all columns of an export',
      'user_id,name,profile_url,default_member_type,created_at,updated_at,id,reason\nada,Ada,,,2026,2026,7,old\n',
      { ada: 'Ada' },
    ],
  ])('users import from CSV reads a file %s', async (_what, content, held) => {
    expect(await world.imported('people.csv', content)).toEqual(users(held))
  })

  test('users import names the read-only columns of a CSV file that is not an export', async () => {
    const content = 'user_id,name,access_token,Created at,reason\nada,Ada,t,1.9.2026,old\n'
    const { code, stderr } = await world.imported('people.csv', content)
    expect([code, stderr]).toEqual([
      0,
      'only the service sets these fields, so they are not imported: access_token, Created at\nimported 1 of 1 user\n',
    ])
  })

  test.each([
    ["'=1+1", '=1+1'],
    ["'+1", '+1'],
    ["'-1", '-1'],
    ["'@x", '@x'],
    ["'＝1", '＝1'],
    ["''=1", "'=1"],
    ['=1+1', '=1+1'],
    ["'tis", "'tis"],
    ["'", "'"],
    ["''", "''"],
  ])('users import from CSV reads the cell %j as %j', async (cell, name) => {
    expect(await world.imported('people.csv', `user_id,name\nada,${cell}\n`)).toEqual(users({ ada: name }))
  })

  const quoting = 'hint: double the quotes inside a quoted cell: "like ""this"" one"\n'
  const mending =
    'hint: fix the rows, or skip them with: meetroom users import people.csv --skip-invalid --base-url https://meet.test/v1\n'
  test.each<[string, string, string]>([
    [
      'rows with more or fewer cells than the header',
      'user_id,name\nada,Ada,x\ngrace\n\nalan,Alan,,\nkay,Kay\n',
      'error: people.csv:2: 3 cells instead of 2; quote a cell that contains “,”\n' +
        'error: people.csv:3: 1 cell instead of 2\n' +
        'error: people.csv:5: 4 cells instead of 2; quote a cell that contains “,”\n' +
        'skipped 1 empty row\n' +
        `error: invalid rows: 3 of 4; nothing was sent\n${mending}`,
    ],
    [
      'an unclosed quote, and prints the line of the quote',
      'user_id,name\nada,"Ada\ngrace,Grace\n',
      `error: people.csv:2: a quote is not closed\n${quoting}`,
    ],
    [
      'a quote in the middle of a cell',
      'user_id,name\nada,Ada "the" L.\n',
      `error: people.csv:2: unexpected quote character\n${quoting}`,
    ],
    [
      'text after a closing quote',
      'user_id,name\nada,"Ada" L.\n',
      `error: people.csv:2: unexpected quote character\n${quoting}`,
    ],
    ['an empty file', '', 'error: people.csv is empty: the first line of a CSV file names its columns\n'],
    [
      'a file with only a BOM',
      '\ufeff',
      'error: people.csv is empty: the first line of a CSV file names its columns\n',
    ],
    [
      'an unknown column',
      'user_id,Full name\nada,Ada\n',
      'error: no user has a field “Full name”; fields are user_id, name, profile_url, default_member_type, email\n' +
        "hint: did you mean: meetroom users import people.csv --map 'Full name=name' --base-url https://meet.test/v1\n",
    ],
    [
      'a file without a required column',
      'name,email\nAda,\n',
      'error: there is no column user_id\nhint: columns are name, email; pass --map to map one of them to user_id\n',
    ],
    ['a repeated column', 'user_id,name,name\nada,A,B\n', 'error: two columns are mapped to name\n'],
  ])('users import from CSV refuses %s', async (_what, content, stderr) => {
    expect(await world.imported('people.csv', content)).toEqual(refused(stderr))
    expect(world.requests).toEqual([])
  })
})

describe('import --map', () => {
  test('users import --map reads a column as the given field, and ignores a column that is mapped to no field', async () => {
    expect(
      await world.imported(
        'people.csv',
        'Full name,Notes,Kürzel,a=b\nAda,x,ada,ada@x.test\n',
        ...['Full name=name', 'Notes=', ' Kürzel = user_id ', 'a=b=email'].flatMap((map) => ['--map', map]),
      ),
    ).toEqual(users({ ada: 'Ada' }))
    expect(await world.user('ada')).toMatchObject({ email: 'ada@x.test' })
  })

  test.each([
    ['a.csv', 'E-Mail;Vorname;Nachname\nada@x.test;Ada;L\n'],
    ['a.ndjson', '{"E-Mail":"ada@x.test","Vorname":"Ada","Nachname":"L"}\n'],
  ])('users import --map of %s reads a column as several fields', async (name, content) => {
    const maps = [
      ...['E-Mail=user_id', 'E-Mail=email', 'E-Mail=name', 'E-Mail=email'],
      ...['{Vorname} {Nachname}=label', '{Vorname} {Nachname}=shown', 'Vorname=', 'Nachname='],
    ]
    const given = maps.flatMap((map) => ['--map', map])
    expect(await world.imported(name, content, ...given)).toMatchObject({ code: 0 })
    expect(JSON.parse(world.requests.at(-1)?.body ?? '')).toEqual({
      ...{ user_id: 'ada@x.test', email: 'ada@x.test', name: 'ada@x.test' },
      ...{ label: 'Ada L', shown: 'Ada L' },
    })
  })

  test('users import --map reads a column as several fields, regardless of letter case and hyphens in its name', async () => {
    const maps = ['--map', 'E-Mail=user_id', '--map', 'e mail=email']
    expect(await world.imported('a.csv', 'E-Mail\nada@x.test\n', ...maps)).toMatchObject({ code: 0 })
    expect(await world.user('ada@x.test')).toMatchObject({ email: 'ada@x.test' })
  })

  test('users import --map sends a field unchanged if the API does not list the field', async () => {
    await world.imported('people.csv', 'user_id,Dept\nada,01\n', '--map', 'Dept=department')
    expect(world.requests.at(-1)?.body).toBe('{"user_id":"ada","department":"01"}')
  })

  test('users import --map applies to the keys of NDJSON and JSON', async () => {
    const map = ['--map', 'login=user_id', '--map', 'Notes=']
    expect(await world.imported('a.ndjson', '{"login":"ada","Notes":{}}\n', ...map)).toMatchObject({
      code: 0,
    })
    expect(await world.imported('b.json', '[{"login":"grace","Notes":7}]', ...map)).toMatchObject({
      code: 0,
      users: { ada: null, grace: null },
    })
  })

  test.each([
    ['name', 'error: --map must be COLUMN=FIELD, not “name”\n'],
    ['=name', 'error: --map must be COLUMN=FIELD, not “=name”\n'],
    ['email=name', 'error: two columns are mapped to name\n'],
    [
      'user_id=login',
      'error: there is no column user_id\nhint: columns are user_id, name, email; pass --map to map one of them to user_id\n',
    ],
  ])('users import --map exits 2 for %j', async (map, stderr) => {
    expect(await world.imported('people.csv', 'user_id,name,email\nada,A,a\n', '--map', map)).toEqual(
      refused(stderr),
    )
  })
})

describe('users import from NDJSON', () => {
  const both = { ada: 'Ada', grace: 'Grace' }
  test.each<[string, string, Record<string, string | null>]>([
    ['with one row per line', '{"user_id":"ada","name":"Ada"}\n{"user_id":"grace","name":"Grace"}\n', both],
    [
      'without a final line break',
      '{"user_id":"ada","name":"Ada"}\n{"user_id":"grace","name":"Grace"}',
      both,
    ],
    [
      'with empty lines',
      '\n{"user_id":"ada","name":"Ada"}\n  \n\n{"name":"Grace","user_id":"grace"}\n\n',
      both,
    ],
    [
      'with carriage returns',
      '{"user_id":"ada","name":"Ada"}\r\n{"user_id":"grace","name":"Grace"}\r\n',
      both,
    ],
    ['with a BOM', '\ufeff{"user_id":"ada","name":"Ada"}\n{"user_id":"grace","name":"Grace"}\n', both],
    [
      'with read-only fields of an export',
      '{"user_id":"ada","name":"Ada","access_token":"t"}\n{"user_id":"grace","name":"Grace","profile_url":null,"email":"#DEPRECATED#"}\n',
      both,
    ],
    ['with text that looks like a defused formula', '{"user_id":"ada","name":"\'=1"}\n', { ada: "'=1" }],
  ])('users import from NDJSON reads a file %s', async (_what, content, held) => {
    expect(await world.imported('people.ndjson', content)).toEqual(users(held))
  })

  test('users import from NDJSON reports every invalid line', async () => {
    expect(
      await world.imported(
        'people.ndjson',
        '{"user_id":"ada"}\n\n[1]\n"x"\nnull\n{"user_id":true}\nnope\n{"x":1,"user_id":"b"}\n{}\n{"user_id":"c"',
      ),
    ).toEqual(
      refused(
        'error: people.ndjson:3: not a JSON object\n' +
          'error: people.ndjson:4: not a JSON object\n' +
          'error: people.ndjson:5: not a JSON object\n' +
          'error: people.ndjson:6: user_id must be a string, not true\n' +
          'error: people.ndjson:7: not JSON: unexpected “n” at column 1\n' +
          'error: people.ndjson:9: user_id is missing\n' +
          'error: people.ndjson:10: not JSON: it ends too early\n' +
          'error: invalid rows: 7 of 9; nothing was sent\n' +
          'hint: fix the rows, or skip them with: meetroom users import people.ndjson --skip-invalid --base-url https://meet.test/v1\n',
      ),
    )
    expect(world.requests).toEqual([])
  })

  test('users import from NDJSON imports a row nested to the maximum depth', async () => {
    const metadata = `${'['.repeat(199)}${']'.repeat(199)}`
    world.intercept = async () => answer(200, { user: { user_id: 'ada' } })
    world.file('users.ndjson', `{"user_id":"ada","metadata":${metadata}}\n`)
    expect(await world.run('users import users.ndjson --if-exists overwrite -q')).toMatchObject({ code: 0 })
    expect(world.requests.map(({ body }) => body)).toEqual([`{"user_id":"ada","metadata":${metadata}}`])
  })
})

describe('users import from JSON', () => {
  const both = [
    { user_id: 'ada', name: 'Ada' },
    { user_id: 'grace', name: 'Grace' },
  ]
  const many = Array.from({ length: 900 }, (_, i) => ({
    user_id: `u${i}`,
    name: `${i} ${'é漢😀'.repeat(60)}`,
  }))
  test.each([
    ['with one line', JSON.stringify(both), both],
    ['with indentation', JSON.stringify(both, null, 2), both],
    ['with a BOM', `\ufeff${JSON.stringify(both)}\n`, both],
    ['of many chunks', JSON.stringify(many), many],
  ])('users import from JSON reads a file %s', async (_what, content, rows) => {
    expect(await world.imported('people.json', content)).toEqual(
      users(Object.fromEntries(rows.map(({ user_id, name }) => [user_id, name]).sort())),
    )
  })

  test.each([
    ['', 'the input ends too early'],
    ['[{"user_id":"ada"},', 'the input ends too early'],
    ['[{"user_id":"ada"', 'the input ends too early'],
    ['[{"user_id":"ada"}}', 'the brackets of the input do not match'],
    ['[{"user_id":"ada"}] x', 'the input continues after its end'],
    ['{"users":[{"user_id":"ada"}]} []', 'the input continues after its end'],
    ['user_id,name', 'the input must be an array or an object'],
    ['{}', 'the array is missing'],
    ['{"user_id":"ada"}', 'the array is missing'],
    ['{"rooms":[{"user_id":"ada"}]}', 'the array is missing'],
    ['{"page":{"users":[{"user_id":"ada"}]}}', 'the array is missing'],
    ['"ada"', 'the input must be an array or an object'],
    ['null', 'the input must be an array or an object'],
    ['true', 'the input must be an array or an object'],
    ['42', 'the input must be an array or an object'],
  ])('users import from JSON refuses the content %j', async (content, why) => {
    expect(await world.imported('people.json', content)).toEqual(
      refused(
        `error: people.json is not a JSON array: ${why}\nhint: JSON input is an array of objects, or {"users": […]}\n`,
      ),
    )
    expect(world.requests).toEqual([])
  })

  test.each([
    '{"users":[{"user_id":"ada","name":"Ada"},{"user_id":"grace","name":"Grace"}],"paging":{"total":2}}',
    '{"paging":{"total":2,"users":"[]"},"note":"\\"[","users" : [ {"user_id":"ada","name":"Ada"} , {"user_id":"grace","name":"Grace"} ] }',
    '{"\\u0075sers":[{"user_id":"ada","name":"Ada"},{"name":"Grace","user_id":"grace","deprecated":null}],"x":[[1,{"users":[7]}]]}',
  ])('users import from JSON reads %s, which has the form of a list response', async (content) => {
    expect(await world.imported('people.json', content)).toMatchObject({
      users: { ada: 'Ada', grace: 'Grace' },
    })
  })

  test.each([
    ['[{"user_id":"ada"},,{"user_id":"grace"}]', 'there is no object; remove the comma'],
    [
      '[{"user_id":"ada"},{"user_id":grace}]',
      'not JSON: unexpected “g” at column 12; strings in JSON need double quotes',
    ],
    [
      `[{"user_id":"ada"},{'user_id':'x'}]`,
      "not JSON: unexpected “'” at column 2; strings in JSON need double quotes",
    ],
    ['[{"user_id":"ada"},]', 'there is no object; remove the comma'],
  ])(
    'users import from JSON refuses the array %s, which has an invalid element',
    async (content, problem) => {
      const { code, stderr } = await world.imported('people.json', content)
      expect({ code, first: stderr.split('\n')[0] }).toEqual({
        code: 2,
        first: `error: people.json row 2: ${problem}`,
      })
    },
  )

  test('users import from JSON reports invalid rows with their numbers', async () => {
    expect(
      await world.imported('people.json', '[{"user_id":"ada"},7,{"user_id":"ada","name":"Ada"},["x"]]'),
    ).toEqual(
      refused(
        'error: people.json row 2: not a JSON object\n' +
          'error: people.json row 4: not a JSON object\n' +
          'error: people.json row 3: the same user_id as row 1\n' +
          'error: invalid rows: 3 of 4; nothing was sent\n' +
          'hint: fix the rows, or skip them with: meetroom users import people.json --skip-invalid --base-url https://meet.test/v1\n',
      ),
    )
  })
})
