import stringWidth from 'string-width'
import { beforeEach, describe, expect, test } from 'vitest'
import type { HostOptions } from '../../helpers/host.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

function respondWith(body: unknown): void {
  world.intercept = async () => answer(200, body)
}

const esc = String.fromCharCode(27)
const rightToLeft = String.fromCharCode(0x202e)

const room = (fields: object = {}) => ({
  id: 'r1',
  type: 'open',
  name: 'Sync',
  layout: 'grid',
  record: true,
  terminated_at: null,
  created_at: '2026-01-02T03:00:00.000Z',
  is_terminated: '#DEPRECATED#',
  created_user_id: '#DEPRECATED#',
  ...fields,
})
const list = (...rooms: object[]) => ({ rooms, paging: { limit: 30, offset: 0, total: rooms.length } })
const terminal: HostOptions = { tty: true, columns: 120, env: { NO_COLOR: '1' } }

async function print(line: string, options: HostOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await world.run(line, options)
  expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' })
  return stdout
}

const two = list(
  room(),
  room({ id: 'r2', name: 'Demo', type: 'private', terminated_at: '2026-01-02T03:01:00.000Z', record: false }),
)

describe('the output of a list', () => {
  beforeEach(() => respondWith(two))

  test('rooms list prints a table with absolute times in a pipe', async () => {
    expect(await print('rooms list')).toBe(
      'ID  NAME  TYPE     STATUS      RECORD  LAYOUT  CREATED AT\n' +
        '──  ────  ───────  ──────────  ──────  ──────  ────────────────────\n' +
        'r1  Sync  open     active      true    grid    2026-01-02T03:00:00Z\n' +
        'r2  Demo  private  terminated  false   grid    2026-01-02T03:00:00Z\n',
    )
  })

  test('rooms list prints a table with relative times on a terminal', async () => {
    expect(await print('rooms list', terminal)).toBe(
      'ID  NAME  TYPE     STATUS      RECORD  LAYOUT  CREATED AT\n' +
        '──  ────  ───────  ──────────  ──────  ──────  ─────────────\n' +
        'r1  Sync  open     active      true    grid    4 minutes ago\n' +
        'r2  Demo  private  terminated  false   grid    4 minutes ago\n',
    )
  })

  test('rooms list --json prints the response unchanged in a pipe', async () => {
    expect(await print('rooms list --json')).toBe(JSON.stringify(two))
    expect(await print('rooms list -o json')).toBe(JSON.stringify(two))
  })

  test('rooms list --json prints indented JSON on a terminal', async () => {
    expect(await print('rooms list --json', terminal)).toBe(`${JSON.stringify(two, null, 2)}\n`)
  })

  test('rooms list -o ndjson prints one item per line on a terminal and in a pipe', async () => {
    const lines = two.rooms.map((item) => `${JSON.stringify(item)}\n`).join('')
    expect(await print('rooms list -o ndjson')).toBe(lines)
    expect(await print('rooms list -o ndjson', terminal)).toBe(lines)
  })

  test('rooms list -o csv prints the documented fields and omits deprecated fields', async () => {
    expect(await print('rooms list -o csv')).toBe(
      'id,type,name,application_id,thumbnail_url,layout,record,meeting_time,started_at,terminated_at,updated_at,created_at\r\n' +
        'r1,open,Sync,,,grid,true,,,,,2026-01-02T03:00:00.000Z\r\n' +
        'r2,private,Demo,,,grid,false,,,2026-01-02T03:01:00.000Z,,2026-01-02T03:00:00.000Z\r\n',
    )
  })

  test('rooms list -o csv prints the same cells on a terminal and in a pipe', async () => {
    const piped = await print('rooms list -o csv')
    expect(await print('rooms list -o csv', terminal)).toBe(piped.replaceAll('\r\n', '\n'))
  })

  test('rooms list -o ids prints one ID per line on a terminal and in a pipe', async () => {
    expect(await print('rooms list -o ids')).toBe('r1\nr2\n')
    expect(await print('rooms list -o ids', terminal)).toBe('r1\nr2\n')
  })
})

describe('the output of an empty list', () => {
  beforeEach(() => respondWith(list()))

  test.each([
    ['table', '', 'no rooms\n'],
    ['json', '{"rooms":[],"paging":{"limit":30,"offset":0,"total":0}}', ''],
    ['ndjson', '', ''],
    [
      'csv',
      'id,type,name,application_id,thumbnail_url,layout,record,meeting_time,started_at,terminated_at,updated_at,created_at\r\n',
      '',
    ],
    ['ids', '', ''],
  ])('rooms list -o %s prints no items for an empty list', async (format, stdout, stderr) => {
    expect(await world.run(`rooms list -o ${format}`)).toMatchObject({ code: 0, stdout, stderr })
    expect(await world.run(`rooms list -o ${format} -q`)).toMatchObject({ code: 0, stdout, stderr: '' })
  })

  test('rooms list -o csv --no-header prints nothing for an empty list', async () => {
    expect(await print('rooms list -o csv --no-header')).toBe('')
  })

  test('rooms list --columns accepts an unknown field if the list is empty', async () => {
    respondWith(list(room({ seats: 5 })))
    expect(await print('rooms list -o csv --columns id,seats')).toBe('id,seats\r\nr1,5\r\n')
    respondWith(list())
    expect(await print('rooms list -o csv --columns id,seats')).toBe('id,seats\r\n')
  })
})

describe('the output of a single item', () => {
  beforeEach(() => respondWith({ room: room({ seats: 5 }) }))

  test('rooms get prints a record with one field per line in a pipe', async () => {
    expect(await print('rooms get r1')).toBe(
      'id             r1\n' +
        'type           open\n' +
        'name           Sync\n' +
        'layout         grid\n' +
        'record         true\n' +
        'terminated_at\n' +
        'created_at     2026-01-02T03:00:00.000Z\n' +
        'status         active\n' +
        'seats          5\n',
    )
  })

  test('rooms get prints absolute and relative times on a terminal', async () => {
    expect(await print('rooms get r1 --columns name,created_at', terminal)).toBe(
      'name        Sync\ncreated_at  2026-01-02T03:00:00.000Z (4 minutes ago)\n',
    )
  })

  test('rooms get prints the same room as JSON, NDJSON and CSV', async () => {
    const item = JSON.stringify(room({ seats: 5 }))
    expect(await print('rooms get r1 --json')).toBe(`{"room":${item}}`)
    expect(await print('rooms get r1 -o ndjson')).toBe(`${item}\n`)
    expect(await print('rooms get r1 -o ids')).toBe('r1\n')
    expect(await print('rooms get r1 -o csv --columns id,seats')).toBe('id,seats\r\nr1,5\r\n')
    expect(await print('rooms get r1 --json', terminal)).toBe(
      `${JSON.stringify({ room: room({ seats: 5 }) }, null, 2)}\n`,
    )
  })
})

describe('JSON output', () => {
  const odd =
    '{ "paging":{"total":1,"limit":30.0,  "offset":0},\r\n\t"rooms" : [ {"name":"\\u0041\\/\\ud83d\\ude00","id":"r1","type":"open",\n' +
    '"z":1.0,"a":12345678901234567890,"e":1E400,"m":-0,"d":0.1000000000000000055511151231257827} ],"extra":{"b":1,"a":[]}}  '

  test('--json prints the response byte for byte in a pipe', async () => {
    respondWith(odd)
    expect(await print('rooms list --json')).toBe(odd)
    expect(await print('rooms list --json --limit 1')).toBe(odd)
    expect(await print('rooms list --json --all')).toBe(odd)
    const single = odd.replace('"rooms" : [', '"room" : ').replace('],"extra"', ',"extra"')
    respondWith(single)
    expect(await print('rooms get r1 --json')).toBe(single)
    expect(await print('rooms update r1 --name A/😀 --json')).toBe(single)
  })

  test('rooms list --json keeps a byte order mark and a literal U+2028 in a pipe', async () => {
    const bytes = new TextEncoder().encode('\ufeff{"rooms":[{"id":"\u2028","type":"open","name":"n"}]}')
    world.intercept = async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: bytes,
    })
    const { code, host } = await world.run('rooms list --json')
    expect(code).toBe(0)
    expect(Buffer.concat(host.stdout.chunks)).toEqual(Buffer.from(bytes))
  })

  test('rooms list -o ndjson keeps every digit of large numbers and the order of fields', async () => {
    respondWith(odd)
    expect(await print('rooms list -o ndjson')).toBe(
      '{"name":"A/😀","id":"r1","type":"open","z":1,"a":12345678901234567890,"e":1E400,"m":0,"d":0.1000000000000000055511151231257827}\n',
    )
  })

  test('rooms list --all --json prints one document with every digit of large numbers', async () => {
    const big = '123456789012345678901234567890'
    world.intercept = async ({ url }) =>
      answer(
        200,
        url.includes('offset=1')
          ? `{"rooms":[{"id":"b","type":"open","name":"x","n":${big}}],"paging":{"total":2}}`
          : `{"rooms":[{"id":"a","type":"open","name":"x","n":${big}}],"paging":{"total":2}}`,
      )
    expect(await print('rooms list --all --page-size 1 --json')).toBe(
      `{"rooms":[{"id":"a","type":"open","name":"x","n":${big}},{"id":"b","type":"open","name":"x","n":${big}}],"paging":{"limit":2,"offset":0,"total":2}}\n`,
    )
  })

  test('rooms get --json escapes control and bidi characters on a terminal', async () => {
    const hostile = `${esc}]0;owned\u0007${esc}[2J${rightToLeft}evil\u200b\u{e0041}\u2028\r\n\ttab "quoted" \\ ü 😀`
    const body = { room: room({ name: hostile, [`key${esc}`]: rightToLeft }) }
    respondWith(body)
    const stdout = await print('rooms get r1 --json', terminal)
    expect(JSON.parse(stdout)).toEqual(body)
    for (const character of [esc, rightToLeft, '\u0007', '\u200b', '\u{e0041}', '\u2028', '\r', '\t'])
      expect(stdout).not.toContain(character)
    expect(stdout).toContain('ü 😀')
    expect(stdout).toContain('\\u001b]0;owned\\u0007')
    expect(stdout).toContain('\n    "id": "r1",\n')
  })

  test('rooms get --json keeps every digit of large numbers on a terminal', async () => {
    respondWith('{"room":{"id":"r1","type":"open","name":"n","n":12345678901234567890}}')
    expect(await print('rooms get r1 --json', terminal)).toContain('\n    "n": 12345678901234567890\n')
  })

  test('rooms list exits 0 for an item with a repeated field and a 20-digit number', async () => {
    respondWith('{"rooms":[{"id":"r1","type":"open","name":"n","n":12345678901234567890,"x":1,"x":2}]}')
    for (const format of ['json', 'ndjson', 'ids', 'table'])
      expect(await world.run(`rooms list -o ${format}`), format).toMatchObject({ code: 0, stderr: '' })
  })

  test('rooms list -o ndjson prints a field named __proto__', async () => {
    for (const n of ['1', '12345678901234567890']) {
      const item = `{"id":"r1","type":"open","name":"n","__proto__":{"x":1},"n":${n}}`
      respondWith(`{"rooms":[${item}]}`)
      expect(await print('rooms list -o ndjson')).toBe(`${item}\n`)
    }
  })
})

describe('CSV output', () => {
  test('CSV output quotes cells according to RFC 4180', async () => {
    const name = 'a "quoted", name\nof two lines'
    respondWith(list(...[name, 'plain', ' blanks ', ''].map((name, i) => room({ id: `r${i}`, name }))))
    expect(await print('rooms list -o csv --columns name,type')).toBe(
      'name,type\r\n"a ""quoted"", name\nof two lines",open\r\nplain,open\r\n blanks ,open\r\n,open\r\n',
    )
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '＋1'])(
    'CSV output prefixes the formula %j with an apostrophe',
    async (name) => {
      respondWith(list(room({ name })))
      const stdout = await print('rooms list -o csv --columns name --no-header')
      expect(stdout.replaceAll('"', '')).toBe(`'${name}\r\n`)
    },
  )

  test('CSV output writes nested values as JSON and null as an empty cell', async () => {
    respondWith(list(room({ a: { x: [1, null] }, b: null, c: 12, d: false })))
    expect(await print('rooms list -o csv --columns a,b,c,d --no-header')).toBe(
      '"{""x"":[1,null]}",,12,false\r\n',
    )
  })

  test('users get -o csv prints a header and one line', async () => {
    respondWith({ user: { user_id: 'ada', name: 'Ada' } })
    expect(await print('users get ada -o csv')).toBe(
      'user_id,name,profile_url,default_member_type,created_at,updated_at,id\r\nada,Ada,,,,,\r\n',
    )
  })

  test('CSV output sorts undocumented fields alphabetically after the documented fields', async () => {
    respondWith(
      list(room({ zeta: 1 }), room({ id: 'r2', alpha: null, '=x': 2, is_recurring: '#DEPRECATED#' })),
    )
    expect((await print('rooms list -o csv')).split('\r\n')[0]).toMatch(
      /,updated_at,created_at,'=x,alpha,zeta$/,
    )
  })

  test('rooms list -o csv prints at most 300 columns and a notice about omitted fields', async () => {
    const own = Array.from({ length: 400 }, (_, i) => [`f${String(i).padStart(3, '0')}`, i])
    respondWith(list(room({ id: 'r1', ...Object.fromEntries(own) })))
    const { code, stdout, stderr } = await world.run('rooms list -o csv')
    const [header = ''] = stdout.split('\r\n')
    const columns = header.split(',')
    expect({ code, count: columns.length }).toEqual({ code: 0, count: 300 })
    const left = own.slice(Number(columns.at(-1)?.slice(1)) + 1).map(([name]) => name)
    expect(stderr).toBe(
      `fields omitted, because there are more than 300 columns: ${left.slice(0, 20).join(', ')} and ${left.length - 20} more; -o ndjson includes them\n`,
    )
  })

  test('CSV output omits fields of later pages and names the fields in one notice', async () => {
    const pages = [{}, { note: 1, tags: [] }, { note: null, [`a${esc}`]: 1, is_recurring: '#DEPRECATED#' }]
    world.intercept = async ({ url }) => {
      const at = Number(new URL(url).searchParams.get('offset') ?? 0)
      return answer(200, {
        rooms: pages.slice(at, at + 1).map((page) => room({ id: `r${at}`, ...page })),
        room: room({ id: new URL(url).pathname.split('/').at(-1) }),
        paging: { total: 3 },
      })
    }
    for (const command of ['rooms list --all --page-size 1', 'rooms export --page-size 1']) {
      const { code, stdout, stderr } = await world.run(`${command} -o csv`)
      expect({ code, hasNote: /note/.test(stdout) }).toEqual({ code: 0, hasNote: false })
      expect(stderr.replace(/(exported|lists of|an import).*\n/g, '')).toBe(
        'fields omitted, because the first response does not contain them: a\\u001b, note, tags; -o ndjson includes them\n',
      )
      expect((await world.run(`${command} -o csv --columns id`)).stderr).not.toContain('fields')
      expect((await world.run(`${command} -o csv -q`)).stderr).toBe('')
    }
  })

  test('users export prints emails that only a later page contains', async () => {
    await world.send('POST', '/users', { user_id: 'ada', email: 'a@x.test' })
    expect(await print('users list -o csv')).toMatch(/,id,email\r\nada,.*,a@x.test\r\n$/)
    world.intercept = async ({ url }) => {
      const users = url.includes('offset=1')
        ? [{ user_id: 'ada', email: 'a@x.test' }]
        : [{ user_id: 'grace' }]
      return answer(200, { users, user: users[0], paging: { total: 2 } })
    }
    expect((await world.run('users export --page-size 1')).stdout).toBe(
      'user_id,name,profile_url,default_member_type,created_at,updated_at,id,email\r\n' +
        'grace,,,,,,,\r\nada,,,,,,,a@x.test\r\n',
    )
  })

  test('rooms list --all -o csv prints one header for several pages', async () => {
    for (const name of ['a', 'b', 'c']) await world.send('POST', '/rooms', { name, type: 'open' })
    expect(await print('rooms list -o csv --columns name --all --page-size 1')).toBe(
      'name\r\nc\r\nb\r\na\r\n',
    )
  })

  test('CSV output on a terminal escapes control characters', async () => {
    respondWith(list(room({ name: `${esc}[31mred` })))
    expect(await print('rooms list -o csv --columns name --no-header', terminal)).toBe('\\u001b[31mred\n')
  })
})

test('the error for an invalid --query is text on a terminal, and JSON with --json or in a pipe', async () => {
  const text = async (line: string, tty: boolean) => (await world.run(line, { ...terminal, tty })).stderr
  expect(await text('rooms list --query [', true)).toMatch(/^error: --query “\[” is incomplete/)
  expect(await text('rooms list --query [ --json', true)).toMatch(/^\{"error":/)
  expect(await text('rooms list --query [', false)).toMatch(/^\{"error":/)
})

describe('--columns and --no-header', () => {
  beforeEach(() => respondWith(two))

  test('--columns selects and orders the columns of a table', async () => {
    expect(await print('rooms list --columns name,id')).toBe('NAME  ID\n────  ──\nSync  r1\nDemo  r2\n')
    expect(await print('rooms list --columns status,name --no-header')).toBe(
      'active      Sync\nterminated  Demo\n',
    )
    expect(await world.run(['rooms', 'list', '--columns', ' id , type ', '--no-header'])).toMatchObject({
      code: 0,
      stdout: 'r1  open\nr2  private\n',
    })
  })

  test('--columns selects fields and derived columns in CSV', async () => {
    expect(await print('rooms list -o csv --columns id,status')).toBe(
      'id,status\r\nr1,active\r\nr2,terminated\r\n',
    )
    expect(await print('rooms list -o csv --columns id --no-header')).toBe('r1\r\nr2\r\n')
  })

  test('--columns selects and orders the fields of a record', async () => {
    respondWith({ room: room() })
    expect(await print('rooms get r1 --columns status,id')).toBe('status  active\nid      r1\n')
  })

  test('rooms list --columns with an unknown field exits 2 and lists the known fields', async () => {
    for (const line of ['rooms list', 'rooms list -o csv'])
      expect(await world.run(`${line} --columns id,whatever`), line).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          'error: no room has a field “whatever”\n' +
          'hint: fields are id, name, type, status, record, layout, created_at, application_id, thumbnail_url, meeting_time, started_at, terminated_at, updated_at, max_meeting_seconds, remaining_seconds\n',
      })
    respondWith({ room: room() })
    expect(await world.run('rooms get r1 --columns nmae')).toMatchObject({ code: 2, stdout: '' })
  })

  test.each([
    ['Name, Created at', 'did you mean: meetroom rooms list --columns name,created_at --base-url'],
    ['nme, tpe,id', 'did you mean: meetroom rooms list --columns name,type,id --base-url'],
    ['nme,whatever', 'did you mean “name”? fields are id, name, '],
    ['whatever,other', 'fields are id, name, '],
  ])('rooms list --columns “%s” exits 2 with one error for all unknown fields', async (columns, hint) => {
    const { code, stdout, stderr } = await world.run(['rooms', 'list', '--columns', columns])
    const unknown = columns
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== 'id')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      `error: no room has the fields ${unknown.map((name) => `“${name}”`).join(', ')}\n`,
    )
    expect(stderr).toContain(`\nhint: ${hint}`)
  })

  test.each(['json', 'ndjson', 'ids'])('rooms list --columns id -o %s exits 2', async (format) => {
    const { code, stdout, stderr } = await world.run(`rooms list -o ${format} --columns id`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      `--columns cannot be used with the format ${format}, only with table, csv and tsv`,
    )
    expect(world.requests).toEqual([])
  })

  test.each(['', ',', 'id,', 'id,,name'])(
    'rooms list --columns %j exits 2 because of an empty field name',
    async (names) => {
      expect(await world.run(['rooms', 'list', `--columns=${names}`])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: --columns must be field names separated by commas, such as id,name, not “${names}”\n`,
      })
      expect(world.requests).toEqual([])
    },
  )

  test.each(['__proto__', 'constructor', 'toString'])(
    'rooms list --columns %s exits 2, although JavaScript objects have this property',
    async (name) => {
      expect(await world.run(`rooms list --columns ${name}`)).toMatchObject({ code: 2, stdout: '' })
    },
  )
})

describe('a command that writes with an unknown column in --columns', () => {
  const writes = () => world.requests.filter(({ method }) => method !== 'GET')

  test.each([
    'users create ada --columns nmae',
    'users create ada -o csv --columns nmae',
    'rooms create --name X --type open --columns nmae',
  ])('the command “%s” with an unknown column exits 2 and sends no write request', async (line) => {
    const { code } = await world.run(line)
    expect({ code, sent: writes().length }).toEqual({ code: 2, sent: 0 })
  })

  test('users delete --columns with an unknown column exits 2 without a write request', async () => {
    for (const user_id of ['a', 'b', 'c']) await world.send('POST', '/users', { user_id })
    const { code } = await world.run('users delete a b c --yes --columns nmae')
    expect({ code, sent: writes().length }).toEqual({ code: 2, sent: 0 })
  })
})

describe('the status field', () => {
  const { terminated_at: _, ...minimal } = room()
  const statusOf = async (item: object) => {
    respondWith({ ...list(item), room: item })
    const record = await print('rooms get r1 --columns status')
    expect(await print('rooms list --columns status --no-header')).toBe(record.replace(/^status */, ''))
    return record.replace(/^status */, '').trim()
  }

  test.each([
    ['active where terminated_at is null', room(), 'active'],
    [
      'terminated where terminated_at is a time',
      room({ terminated_at: '2026-01-02T03:00:00.000Z' }),
      'terminated',
    ],
    ['empty when no field shows the status', minimal, ''],
    ['terminated when is_terminated is true', { ...minimal, is_terminated: true }, 'terminated'],
    ['active when is_terminated is false', { ...minimal, is_terminated: false }, 'active'],
    ['computed even if the service sends a status', { ...room(), status: 'paused' }, 'active'],
  ])('the status field of a room is %s', async (_, item, status) => {
    expect(await statusOf(item)).toBe(status)
  })

  test('the status field of a session is empty if disconnected_at is missing or invalid', async () => {
    respondWith({
      sessions: [{ id: 's1' }, { id: 's2', disconnected_at: null }, { id: 's3', disconnected_at: 'then' }],
    })
    expect(await print('sessions list r1 --columns id,status --no-header')).toBe('s1\ns2  online\ns3\n')
  })

  test('rooms get prints the status once if the service sends a field named status', async () => {
    respondWith({ room: { id: 'r1', type: 'open', name: 'n', status: 'paused' } })
    expect(await print('rooms get r1')).toBe('id      r1\ntype    open\nname    n\nstatus  paused\n')
  })
})

describe('the deprecated fields of a room', () => {
  beforeEach(() => respondWith({ ...list(room()), room: room() }))

  test('rooms list and rooms get omit deprecated fields from tables, records and CSV', async () => {
    for (const line of ['rooms list', 'rooms get r1', 'rooms list -o csv', 'rooms get r1 -o csv'])
      expect(await print(line), line).not.toMatch(/DEPRECATED|is_terminated|created_user_id/i)
  })

  test('rooms list --columns prints an empty column for a deprecated field', async () => {
    expect(await print('rooms list --columns id,is_terminated --no-header')).toBe('r1\n')
    expect(await print('rooms list -o csv --columns id,is_terminated --no-header')).toBe('r1,\r\n')
    expect(await print('rooms get r1 --columns id,is_terminated')).toBe('id  r1\n')
  })

  test('rooms list --json prints deprecated fields unchanged', async () => {
    expect(await print('rooms list -o ndjson')).toBe(`${JSON.stringify(room())}\n`)
    expect(await print('rooms list --json')).toContain('"is_terminated":"#DEPRECATED#"')
  })
})

describe('colors', () => {
  beforeEach(() => respondWith(two))
  const coloured = (text: string) => text.includes(`${esc}[`)
  const on = async (line: string, options: HostOptions) => coloured(await print(line, options))

  test.each<[string, 'colors' | 'no colors', string, HostOptions]>([
    ['on a terminal', 'colors', 'rooms list', { tty: true }],
    ['in a pipe', 'no colors', 'rooms list', {}],
    ['with --no-color', 'no colors', 'rooms list --no-color', { tty: true }],
    ['with --no-color in front', 'no colors', '--no-color rooms list', { tty: true }],
    ['with NO_COLOR', 'no colors', 'rooms list', { tty: true, env: { NO_COLOR: '1' } }],
    ['with an empty NO_COLOR', 'colors', 'rooms list', { tty: true, env: { NO_COLOR: '' } }],
    ['with FORCE_COLOR in a pipe', 'colors', 'rooms list', { env: { FORCE_COLOR: '1' } }],
    ['with FORCE_COLOR=0', 'no colors', 'rooms list', { tty: true, env: { FORCE_COLOR: '0' } }],
    [
      'with NO_COLOR and FORCE_COLOR',
      'no colors',
      'rooms list',
      { env: { FORCE_COLOR: '1', NO_COLOR: '1' } },
    ],
    ['with --no-color and FORCE_COLOR', 'no colors', 'rooms list --no-color', { env: { FORCE_COLOR: '1' } }],
    ['on a dumb terminal', 'no colors', 'rooms list', { tty: true, env: { TERM: 'dumb' } }],
    ['in CSV', 'no colors', 'rooms list -o csv', { tty: true }],
    ['in ids', 'no colors', 'rooms list -o ids', { tty: true }],
    ['in JSON', 'no colors', 'rooms list -o json', { tty: true }],
    ['in CSV with FORCE_COLOR', 'no colors', 'rooms list -o csv', { env: { FORCE_COLOR: '1' } }],
  ])('output %s has %s', async (_, expected, line, options) => {
    expect(await on(line, options)).toBe(expected === 'colors')
  })

  test('rooms list prints the same table text with and without colors', async () => {
    const plain = await print('rooms list', { tty: true, env: { NO_COLOR: '1' } })
    const colourful = await print('rooms list', { tty: true })
    expect(colourful.replaceAll(new RegExp(`${esc}\\[\\d+m`, 'g'), '')).toBe(plain)
  })

  test('rooms get prints colored errors only on a terminal without NO_COLOR, --no-color or --json', async () => {
    world.intercept = async () => answer(404, {})
    expect(coloured((await world.run('rooms get x', { tty: true })).stderr)).toBe(true)
    expect(coloured((await world.run('rooms get x', { tty: true, env: { NO_COLOR: '1' } })).stderr)).toBe(
      false,
    )
    expect(coloured((await world.run('rooms get x --no-color', { tty: true })).stderr)).toBe(false)
    expect(coloured((await world.run('rooms get x')).stderr)).toBe(false)
    expect(coloured((await world.run('rooms get x --json', { tty: true })).stderr)).toBe(false)
  })
})

describe('a table', () => {
  const id = '66f1a2b3c4d5e6f708192a3b'
  const wide = list(
    room({
      id,
      name: 'A room with a name that goes on and on and on and on',
      layout: 'a-layout-with-a-long-name',
    }),
    room({
      id: id.replace('b', 'c'),
      name: '会議室の名前はとても長いです会議室の名前はとても長いです',
      layout: '👩‍👩‍👧‍👦'.repeat(9),
    }),
  )
  const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)))

  test.each([10, 24, 40, 60, 80, 120, 200])(
    'the table of rooms list fits a terminal of %d columns',
    async (columns) => {
      respondWith(wide)
      for (const options of [
        { tty: true, columns },
        { tty: true, columns: 999, env: { COLUMNS: String(columns) } },
      ]) {
        const stdout = await print('rooms list -q', options)
        expect(widest(stdout)).toBeLessThanOrEqual(columns)
        expect(stdout.trimEnd().split('\n')).toHaveLength(4)
      }
    },
  )

  test('rooms list prints complete IDs on a terminal of at least 24 columns', async () => {
    respondWith(wide)
    for (const columns of [24, 40, 80, 200])
      expect(await print('rooms list -q', { ...terminal, columns }), `${columns}`).toContain(id)
  })

  test('rooms list on a narrow terminal shortens the least important columns first', async () => {
    const name = 'A room with quite a long name!'
    const layout = `a-layout-${'x'.repeat(50)}`
    respondWith(list(room({ id, name, layout })))
    const at = async (columns: number) => (await print('rooms list -q', { ...terminal, columns })).split('\n')
    expect((await at(200))[2]).toContain(layout)
    const [, , narrower] = await at(130)
    expect(narrower).toContain(name)
    expect(narrower).toMatch(/ a-layout-x+… /)
    const [titles, , narrow] = await at(80)
    expect(titles).toMatch(/^ID +NAME +TYPE/)
    expect(narrow).toContain('A room with')
    expect((await at(40))[0]).toMatch(/^ID +NAME/)
  })

  test('rooms list prints one notice about hidden columns on a narrow terminal', async () => {
    respondWith(wide)
    const { stdout, stderr } = await world.run('rooms list', { ...terminal, columns: 50 })
    expect(stdout).toMatch(/^ID +NAME +TYPE/)
    expect(stderr).toBe(
      'columns omitted for width: status, record, layout, created_at; select columns with --columns\n',
    )
    for (let i = 0; i < 3; i++) await world.send('POST', '/rooms', { name: 'a', type: 'open' })
    world.intercept = undefined
    const pages = await world.run('rooms list --all --page-size 1', { ...terminal, columns: 50 })
    expect(pages.stderr).toMatch(/^columns omitted for width: .*\n$/)
  })

  test('rooms list prints no notice if all columns fit or --quiet is set', async () => {
    respondWith(wide)
    for (const [line, options] of [
      ['rooms list', { ...terminal, columns: 200 }],
      ['rooms list -q', { ...terminal, columns: 50 }],
      ['rooms list', { env: { COLUMNS: '50' } }],
    ] as const)
      expect((await world.run(line, options)).stderr).toBe('')
  })

  test('rooms list in a pipe ignores COLUMNS and prints the complete table', async () => {
    respondWith(wide)
    const stdout = await print('rooms list', { env: { COLUMNS: '20' } })
    expect(stdout).toContain('A room with a name that goes on and on and on and on')
    expect(stdout).toContain('会議室の名前はとても長いです会議室の名前はとても長いです')
  })

  test.each(['0', '-5', 'wide', '', '1.5'])(
    'rooms list on a terminal ignores the invalid COLUMNS=%s',
    async (columns) => {
      respondWith(wide)
      expect(
        widest(await print('rooms list -q', { ...terminal, columns: 80, env: { COLUMNS: columns } })),
      ).toBeLessThanOrEqual(80)
    },
  )

  test('the table of rooms list --columns fits a terminal of 50 columns', async () => {
    respondWith(wide)
    expect(
      widest(await print('rooms list -q --columns name,id,layout', { ...terminal, columns: 50 })),
    ).toBeLessThanOrEqual(50)
  })

  test('rooms list aligns columns after wide and combining characters', async () => {
    const names = ['会議', 'abcd', 'e\u0301e\u0301e\u0301e\u0301', '😀😀']
    respondWith(list(...names.map((name, i) => room({ id: `r1${i}`, name }))))
    const lines = (await print('rooms list --columns name,id --no-header', terminal)).trimEnd().split('\n')
    expect(lines.map((line) => stringWidth(line.slice(0, line.indexOf('r1'))))).toEqual([6, 6, 6, 6])
  })

  test('rooms list --all prints the same column widths on every page', async () => {
    for (const name of ['a', 'a longer name', 'b']) await world.send('POST', '/rooms', { name, type: 'open' })
    expect(
      await print('rooms list --columns name,type --all --page-size 1', { ...terminal, columns: 15 }),
    ).toBe('NAME  TYPE\n────  ────\nb     open\na l…  open\na     open\n')
  })
})

describe('control characters', () => {
  const hostile = `${esc}[31m${rightToLeft}x\u0000\n\u009b\u200by`
  const shown = '\\u001b[31m\\u202ex\\u0000\\n\\u009b\\u200by'
  const raw = new RegExp(`[\\0-\\x09\\x0b-\\x1f\\x7f-\\x9f${rightToLeft}\\u200b]`)

  test.each([{}, terminal])(
    'rooms list escapes control characters in names with the output options %j',
    async (options) => {
      respondWith({ ...list(room({ name: hostile })), room: room({ name: hostile, [hostile]: hostile }) })
      expect(await print('rooms list --columns id,name --no-header', options)).toBe(`r1  ${shown}\n`)
      const record = await print('rooms get r1', options)
      expect(record).toMatch(
        new RegExp(`\n${shown.replaceAll(/[\\[]/g, '\\$&')} +${shown.replaceAll(/[\\[]/g, '\\$&')}\n$`),
      )
      expect(record).not.toMatch(raw)
    },
  )

  test('rooms get escapes control characters in a time exactly once', async () => {
    respondWith({ room: room({ created_at: `${esc}]52;c;b3duZWQ=\u0007` }) })
    expect(await print('rooms get r1 --columns created_at', terminal)).toBe(
      'created_at  \\u001b]52;c;b3duZWQ=\\u0007\n',
    )
  })

  test.each([{}, terminal])(
    'rooms list -o ids escapes control characters with the output options %j',
    async (options) => {
      respondWith(list(room({ id: hostile }), room({ id: 'a\nb' })))
      expect(await print('rooms list -o ids', options)).toBe(`${shown}\na\\nb\n`)
    },
  )

  test('rooms list -o ndjson escapes control characters on a terminal', async () => {
    respondWith(list(room({ name: hostile })))
    expect(JSON.parse(await print('rooms list -o ndjson')).name).toBe(hostile)
    const onTerminal = await print('rooms list -o ndjson', terminal)
    expect(JSON.parse(onTerminal).name).toBe(hostile)
    expect(onTerminal).not.toMatch(raw)
  })

  test.each([{}, terminal])(
    'rooms get escapes control characters in an error of the service with the output options %j',
    async (options) => {
      world.intercept = async () => answer(500, { error: { code: 'x', message: hostile } })
      const { stderr } = await world.run('rooms get r1', options)
      expect(stderr.split('\n')[0]).toBe(`error: the service reports a validation exception (500): ${shown}`)
      expect(stderr).not.toMatch(raw)
      const { stderr: json } = await world.run('rooms get r1 --json', options)
      expect(json).not.toMatch(raw)
      expect(JSON.parse(json).error.body.error.message).toBe(hostile)
    },
  )

  test('rooms get prints no control characters from a redirect target', async () => {
    world.intercept = async () => answer(302, '', { location: hostile })
    expect((await world.run('rooms get r1')).stderr).not.toMatch(raw)
  })

  test('usage errors contain no control characters from the command line', async () => {
    await world.send('POST', '/rooms', { name: 'a', type: 'open' })
    for (const words of [
      ['rooms', hostile],
      ['rooms', 'list', `--${hostile}`],
      ['rooms', 'list', '-o', hostile],
      ['rooms', 'list', '--limit', hostile],
      ['rooms', 'get', hostile],
      ['help', hostile],
      ['rooms', 'list', '--profile', hostile],
      ['rooms', 'list', '--columns', hostile],
    ]) {
      const { code, stdout, stderr } = await world.run(words)
      expect({ code, stdout }, words.join(' ')).toEqual({ code: 2, stdout: '' })
      expect(stderr.replaceAll('\n', '')).not.toMatch(raw)
      expect(stderr).toMatch(/^error: .*\n(hint: .*\n)?$/)
    }
  })

  test('the confirmation prompt of rooms delete escapes control characters', async () => {
    respondWith({ room: room({ name: hostile }) })
    const { host, done } = world.start(['rooms', 'delete', 'r1'], { tty: true })
    setImmediate(() => host.type('n\n'))
    const { code, stderr } = await done
    expect(code).toBe(10)
    expect(stderr).toContain(`Delete room “${shown}” (r1)`)
    expect(stderr).not.toContain(rightToLeft)
    expect(stderr).not.toContain(`${esc}[31m${rightToLeft}`)
  })

  test('rooms update --dry-run escapes control characters on a terminal', async () => {
    for (const flags of ['--dry-run', '--dry-run --json']) {
      const { stdout } = await world.run(
        ['rooms', 'update', 'r1', '--name', `a${rightToLeft}b`, ...flags.split(' ')],
        terminal,
      )
      expect(stdout, flags).not.toMatch(raw)
      expect(stdout, flags).toContain('a\\u202eb')
    }
  })
})

describe('the time in a table', () => {
  test.each([
    ['2026-01-02T03:04:05.000Z', 'now'],
    ['2026-01-02T03:03:35.000Z', '30 seconds ago'],
    ['2026-01-02T01:04:05.000Z', '2 hours ago'],
    ['2026-01-01T03:04:05.000Z', 'yesterday'],
    ['2025-11-02T03:04:05.000Z', '2 months ago'],
    ['2024-01-01T00:00:00.000Z', '2 years ago'],
    ['2026-01-03T04:04:05.000Z', 'tomorrow'],
    ['2026-01-02T03:14:06.000Z', 'in 10 minutes'],
    ['not a time', 'not a time'],
    ['', ''],
  ])('rooms list prints the created_at value %j as “%s” on a terminal', async (created_at, relative) => {
    respondWith(list(room({ created_at })))
    const line = 'rooms list --columns id,created_at --no-header'
    expect(await print(line, terminal)).toBe(`r1  ${relative}`.trimEnd().concat('\n'))
    expect(await print(line)).toBe(`r1  ${created_at.replace('.000', '')}`.trimEnd().concat('\n'))
  })

  test('--time-zone converts times in tables and records, even in a pipe', async () => {
    const created_at = '2026-01-02T22:04:05.123Z'
    const zone = '--time-zone Asia/Tokyo'
    respondWith(list(room({ created_at })))
    const line = `rooms list --columns created_at --no-header ${zone}`
    expect(await print(line)).toBe('2026-01-03 07:04:05\n')
    expect(await print(line, terminal)).toBe('2026-01-03 07:04:05\n')
    expect(await print(`${line} -o csv`)).toBe(`${created_at}\r\n`)
    respondWith(list(room({ created_at: 'not a time' })))
    expect(await print(line)).toBe('not a time\n')
    respondWith(JSON.stringify({ room: room({ created_at }) }))
    expect(await print(`rooms get r1 --columns created_at ${zone}`)).toBe('created_at  2026-01-03 07:04:05\n')
  })
})

test.each(['csv', 'table', 'ids'])('api -o %s exits 2', async (format) => {
  expect(await world.run(`api GET /rooms -o ${format}`)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `error: -o ${format} cannot be used with “api”, which prints JSON\n`,
  })
  expect(world.requests).toEqual([])
})
