import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseQuery } from '../../../../src/cli/output/formats/query.ts'
import { hostileText } from '../../../helpers/hostile.ts'
import { answer, baseUrl, createWorld, type World } from '../../../helpers/world.ts'
import { sized } from '../../../suites/size.ts'

let world: World
let rooms: string[]
beforeEach(async () => {
  world = await createWorld()
  rooms = []
  for (const [name, type] of Object.entries({ Alpha: 'open', Beta: 'private', 'Two\nlines': 'open' }))
    rooms.push((await world.send('POST', '/rooms', { name, type })).body.room.id)
})

async function select(line: string, expression: string, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run([
    ...line.split(' '),
    '--query',
    expression,
    ...flags,
    '-q',
  ])
  expect({ code, stderr }, expression).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('--query', () => {
  test.each([
    ['rooms list', 'rooms[].name', '["Two\\nlines","Beta","Alpha"]\n'],
    ['rooms list', 'paging.total', '3\n'],
    ['rooms list', "rooms[?type=='open'] | length(@)", '2\n'],
    ['rooms list', "rooms[?type=='private'].{id: name, kind: type}", '[{"id":"Beta","kind":"private"}]\n'],
    ['rooms list', 'nothing', 'null\n'],
    ['rooms list --count', 'count', '3\n'],
    ['rooms list --count-by type', 'counts[0].type', '"open"\n'],
    ['rooms list --sort name --limit 1', 'rooms[0].name', '"Alpha"\n'],
    ['rooms list --where type=private', 'rooms[].name', '["Beta"]\n'],
    ['rooms list --all --page-size 1', 'length(rooms)', '3\n'],
    ['rooms create --name New --type open', 'room.type', '"open"\n'],
    ['rooms delete ROOM ROOM2 --yes', 'rooms[].name', '["Alpha","Beta"]\n'],
    ['rooms delete ROOM --yes', 'room.name', '"Alpha"\n'],
    ['rooms export', 'rooms[-1].name', '"Alpha"\n'],
    ['users create ada', 'user.user_id', '"ada"\n'],
    ['message send ROOM hello', 'message', '"hello"\n'],
    ['api GET /rooms', 'rooms[0].name', '"Two\\nlines"\n'],
    ['openapi', 'openapi', '"3.1.0"\n'],
    ['config get timeout', 'value', '30\n'],
    ['profiles list', 'profiles[].name', '["local"]\n'],
  ])('%s --query %s prints the selected part of the JSON output', async (line, expression, expected) => {
    const [room = '', room2 = ''] = rooms
    expect(await select(line.replace('ROOM2', room2).replace('ROOM', room), expression)).toBe(expected)
  })

  test('--query @ prints the same document as --json', async () => {
    const line = ['rooms', 'get', rooms[0] ?? '']
    const { stdout } = await world.run([...line, '--json'])
    expect(JSON.parse(await select(line.join(' '), '@'))).toEqual(JSON.parse(stdout))
  })

  test('rooms list --all --query selects from the items of all pages', async () => {
    expect(await select('rooms list --all --page-size 2', 'rooms[].name')).toBe(
      '["Two\\nlines","Beta","Alpha"]\n',
    )
  })

  test('--query keeps all 20 digits of a large number', async () => {
    world.intercept = async () =>
      answer(200, '{"rooms":[{"id":12345678901234567890,"type":"open","name":"n"}]}')
    expect(await select('rooms list', 'rooms[0].id')).toBe('12345678901234567890\n')
    expect(await select('rooms list', 'rooms[].[id,name]', '-o', 'tsv')).toBe('12345678901234567890\tn\n')
  })

  test('--query on a terminal prints indented JSON', async () => {
    const { stdout } = await world.run(['rooms', 'list', '--query', 'rooms[:1].type'], { tty: true })
    expect(stdout).toBe('[\n  "open"\n]\n')
  })

  test('--query prints JSON with MEETROOM_OUTPUT=csv, and TSV with MEETROOM_OUTPUT=tsv', async () => {
    const run = (MEETROOM_OUTPUT: string) =>
      world.run(['rooms', 'list', '--query', 'rooms[0].type'], { env: { MEETROOM_OUTPUT } })
    expect((await run('csv')).stdout).toBe('"open"\n')
    expect((await run('tsv')).stdout).toBe('open\n')
  })

  test.each(['table', 'csv', 'ndjson', 'ids'])('rooms list --query rooms -o %s exits 2', async (format) => {
    const { code, stdout, stderr } = await world.run(`rooms list --query rooms -o ${format}`)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`--query cannot be used with the format ${format}, only with json and tsv`)
    expect(world.requests).toEqual([])
  })

  test('rooms list --query rooms --columns id exits 2', async () => {
    expect(await world.run('rooms list --query rooms --columns id')).toMatchObject({ code: 2, stdout: '' })
    expect(world.requests).toEqual([])
  })

  test.each([
    ['rooms[', '“]” is missing at its end'],
    ["rooms[?type = 'open']", 'values are compared with ==, not with ='],
    ['lenght(rooms)', 'unknown function lenght()'],
    ['toString(rooms)', 'unknown function toString()'],
    ['length()', 'length() takes at least 1 argument'],
    ['rooms[].sort_by(@, &a, &b)', 'sort_by() takes at most 2 arguments'],
    ['&rooms', '& is only allowed before an argument of a function'],
    ['rooms[::0]', 'the step of a slice must not be 0'],
    ['('.repeat(100_000), 'nested too deeply'],
  ])(
    'a command%c with an invalid --query expression exits 2 with the reason “%s”',
    async (expression, reason) => {
      const lines = ['rooms list', `rooms delete ${rooms[0]} --yes`, 'rooms create --name n --type open']
      for (const line of lines) {
        const { code, stdout, stderr } = await world.run([...line.split(' '), '--query', expression])
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
        const { error } = JSON.parse(stderr)
        expect(error).toMatchObject({
          code: 'usage',
          hint: 'see https://jmespath.org for the syntax',
        })
        expect(error.message).toBe(`--query is not a valid JMESPath expression: ${reason}`)
      }
      const { stderr } = await world.run(['rooms', 'list', '--query', expression, '-o', 'tsv'])
      expect(stderr.split('\n')).toHaveLength(3)
      expect(world.requests).toEqual([])
    },
  )

  test.each(['', 'a('])(
    'rooms list --query exits 2 for the incomplete expression “%s”',
    async (expression) => {
      const { code, stderr } = await world.run(['rooms', 'list', '--query', expression])
      expect(code).toBe(2)
      expect(JSON.parse(stderr).error.message).toBe(`--query “${expression}” is incomplete`)
      expect(world.requests).toEqual([])
    },
  )

  test('rooms create exits 74 if --query fails after the room is created', async () => {
    const line = ['rooms', 'create', '--name', 'Made', '--type', 'open']
    const { code, stdout, stderr } = await world.run([...line, '--query', 'sum(room.name)', '-o', 'tsv'])
    expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
    expect(stderr).toMatch(
      /^error: (the room was created, but )?--query failed: argument 1 of sum\(\) must be a list of numbers, not a string\n$/,
    )
    expect((await world.run('rooms list --name Made --count')).stdout).toBe('1\n')
  })

  test('--query with --dry-run or --curl prints the same output as --json', async () => {
    for (const flag of ['--dry-run', '--curl']) {
      const line = `rooms delete ${rooms[0]} --yes ${flag}`
      expect((await world.run(`${line} --query rooms`)).stdout).toBe(
        (await world.run(`${line} --json`)).stdout,
      )
    }
  })
})

describe('an access token selected by --query', () => {
  const expression = 'users[].{x: access_token, y: user_id}'
  beforeEach(() => world.send('POST', '/users', { user_id: 'ada' }))

  test('--query masks a renamed access token on a terminal', async () => {
    const run = await world.run(['users', 'list', '--query', expression], { tty: true })
    expect(JSON.parse(run.stdout)).toEqual([{ x: '••••', y: 'ada' }])
    expect(run.stderr).toBe('access tokens are hidden; --show-tokens shows them\n')
    const tsv = await world.run(['users', 'list', '--query', expression, '-o', 'tsv'], { tty: true })
    expect(tsv.stdout).toBe('••••\tada\n')
    const other = await world.run(['users', 'list', '--query', 'users[].user_id'], { tty: true })
    expect(other.stderr).toBe('')
  })

  test('--query prints an access token in a pipe and with --show-tokens', async () => {
    const [{ access_token }] = JSON.parse(await select('users list', 'users'))
    expect(await select('users get ada', 'user.access_token', '-o', 'tsv')).toBe(`${access_token}\n`)
    const shown = await world.run(['users', 'list', '--query', expression, '--show-tokens'], { tty: true })
    expect(JSON.parse(shown.stdout)).toEqual([{ x: access_token, y: 'ada' }])
  })

  test('users export --query omits access tokens', async () => {
    expect(await select('users export', 'users[].access_token')).toBe('[]\n')
  })
})

describe('-o tsv with --query', () => {
  test.each([
    ['`null`', ''],
    ['`"text"`', 'text\n'],
    ['`"a\\tb\\nc"`', 'a\tb\nc\n'],
    ['`1.5`', '1.5\n'],
    ['`false`', 'false\n'],
    ['`["a","b\\tc",null,1]`', 'a\nb\\tc\n\n1\n'],
    ['`[["a",1],["b\\n",null]]`', 'a\t1\nb\\n\t\n'],
    ['`[{"a":1,"b":2},{"b":3},{"c":[1]}]`', '1\t2\t\n\t3\t\n\t\t[1]\n'],
    ['`{"a":1,"b":"x"}`', '1\tx\n'],
    ['`[]`', ''],
    ['`{}`', '\n'],
  ])('--query %s -o tsv prints the result as TSV', async (expression, expected) => {
    expect(await select('rooms list', expression, '-o', 'tsv')).toBe(expected)
  })

  test('--query -o tsv prints one line per item with escaped line breaks', async () => {
    expect(await select('rooms list', 'sort_by(rooms,&name)[].[name,type]', '-o', 'tsv')).toBe(
      'Alpha\topen\nBeta\tprivate\nTwo\\nlines\topen\n',
    )
  })
})

describe('the expression language of --query', () => {
  const items = ['b', 'a', 'c', 'a', 'b', 'a', 'c', 'a', 'b', 'a', 'c', 'a'].map((t, i) => ({
    t,
    i,
    n: i % 3,
  }))

  test.each<[string, unknown]>([
    ['sort_by(@, &t)[].i', [1, 3, 5, 7, 9, 11, 0, 4, 8, 2, 6, 10]],
    ['sort_by(@, &n)[:4].i', [0, 3, 6, 9]],
    ['max_by(@, &t).i', 2],
    ['min_by(@, &t).i', 1],
    ['max_by(@, &i).i', 11],
    ['sort_by(`[]`, &t)', []],
    ['min_by(`[]`, &t)', null],
    ['group_by(@, &t).c[].i', [2, 6, 10]],
    ['let $n = length(@) in [0].[i, $n]', [0, 12]],
    ['sort_by(`["😀","\uffff"]`, &@)', ['\uffff', '😀']],
  ])('parseQuery() evaluates %s', (expression, expected) => {
    expect(parseQuery(expression)(items)).toEqual(expected)
  })

  test('parseQuery() reads fields named hasOwnProperty and constructor', () => {
    expect(parseQuery('!a')({ a: { hasOwnProperty: 1 } })).toBe(false)
    expect(parseQuery('a.constructor')({ a: { constructor: 1 } })).toBe(1)
  })

  const doubled = (text: string) => `@${text.repeat(60)}`
  test.each([
    ['nested lists that double in size', doubled('|[@,@]')],
    ['flat lists that double in size', doubled('|[@,@][]')],
    ['text that doubles in size', `'xx'${"|join('',[@,@])".repeat(60)}`],
    ['nested loops over all items', 'map(&map(&map(&map(&$[0],$),$),$),$)'],
    ['nested loops over a variable', 'let $x=@ in map(&map(&map(&map(&map(&@,$x),$x),$x),$x),$x)'],
    ['very long padding', "pad_left('x', `10000000000`)"],
  ])('the evaluation of a query with %s stops with an error', (_, expression) => {
    const many = Array.from({ length: 1000 }, (_, i) => i)
    expect(() => parseQuery(expression, 1_000_000)(many)).toThrow('the command succeeded, but --query failed')
  })

  test('parseQuery() evaluates an expression over at least 100,000 items', () => {
    const count = sized(100_000, 1_000_000)
    const many = Array.from({ length: count }, (_, i) => ({ id: i, type: i % 2 ? 'open' : 'private' }))
    expect(parseQuery("length([?type=='open'].{id: id, type: type})")(many)).toBe(count / 2)
  })

  test('parseQuery() accepts a document nested 500 levels deep', () => {
    const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)
    expect(parseQuery('@')(deep)).toEqual(deep)
  })

  test('parseQuery() returns a result or throws a documented error for a random expression', () => {
    const parts = [
      ...'@*[]{}.|&()!,:?$`"\'\\<=>+-/%a1 \n',
      '||',
      '&&',
      '==',
      '[*]',
      '[?',
      'length(',
      'let $a =',
      '[]',
    ]
    const expression = fc.oneof(
      fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((found) => found.join('')),
      hostileText,
    )
    fc.assert(
      fc.property(expression, (text) => {
        try {
          parseQuery(text)({ a: [{ b: 1 }, 'x', null] })
        } catch (error) {
          expect(error).toMatchObject({
            message: expect.stringMatching(
              /^(--query (is not|(“[\s\S]*” )?is incomplete)|the command succeeded, but --query failed)/,
            ),
          })
        }
      }),
      { numRuns: sized(100, 2000) },
    )
  })
})

test('rooms list --query sends one request', async () => {
  await select('rooms list', 'rooms[].name')
  expect(world.requests.map(({ url }) => url)).toEqual([`${baseUrl}/rooms`])
})
