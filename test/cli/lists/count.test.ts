import { describe, expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { answer, baseUrl, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

async function rooms(...types: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const [i, type] of types.entries())
    ids.push((await world.send('POST', '/rooms', { name: `n${i}`, type })).body.room.id)
  return ids
}

const requests = () => world.requests.map(({ method, url }) => `${method} ${url.slice(baseUrl.length)}`)
const print = async (line: string, options = {}) => {
  const { code, stdout, stderr } = await world.run(line, options)
  expect(code, stderr).toBe(0)
  return stdout
}

describe('--count', () => {
  test('rooms list --count prints the total that the service returns, after two small requests', async () => {
    await rooms('open', 'private', 'open')
    expect(await world.run('rooms list --count')).toMatchObject({ code: 0, stdout: '3\n', stderr: '' })
    expect(requests()).toEqual(['GET /rooms?limit=1', 'GET /rooms?limit=2&offset=2'])
  })

  test.each([
    ['json', '{"count":2}\n'],
    ['ndjson', '{"count":2}\n'],
    ['csv', '2\n'],
    ['tsv', '2\n'],
    ['ids', '2\n'],
  ])('rooms list --count prints the count with -o %s', async (format, expected) => {
    await rooms('open', 'private')
    expect(await print(`rooms list --count -o ${format}`)).toBe(expected)
  })

  test('rooms list --count requests at most as many rooms at a time as --page-size', async () => {
    await rooms('open', 'private', 'open')
    expect(await print('rooms list --active --count --page-size 2')).toBe('3\n')
    expect(requests()).toEqual([
      'GET /rooms?is_terminated=false&limit=2',
      'GET /rooms?is_terminated=false&limit=2&offset=2',
    ])
  })

  test('rooms list --count counts the rooms that match a filter flag', async () => {
    await rooms('open', 'private', 'open')
    expect(await print('rooms list --name n1 --count')).toBe('1\n')
    expect(await print('rooms list --terminated --count')).toBe('0\n')
  })

  test('rooms list --count counts the rooms that match --where', async () => {
    await rooms('open', 'private', 'open')
    expect(await print('rooms list --count --where type=open')).toBe('2\n')
  })

  test('--count counts members, users and sessions', async () => {
    const [room] = await rooms('private')
    for (const user_id of ['ada', 'grace']) {
      await world.send('POST', '/users', { user_id })
      await world.send('POST', `/rooms/${room}/members`, { user_id })
    }
    expect(await print(`members list ${room} --count`)).toBe('2\n')
    expect(await print('users list --count')).toBe('2\n')
    expect(await print(`sessions list ${room} --count`)).toBe('0\n')
  })

  test.each([
    ['sends no total', () => ({})],
    ['returns the number of items on the page as the total', (sent: number) => ({ paging: { total: sent } })],
    ['returns null as the total', () => ({ paging: { total: null } })],
  ])('rooms list --count counts the rooms of all pages if the service %s', async (_, paging) => {
    const items = Array.from({ length: 5 }, (_, i) => ({ id: `r${i}`, type: 'open', name: 'n' }))
    world.intercept = async ({ url }) => {
      const { searchParams } = new URL(url)
      const at = Number(searchParams.get('offset') ?? 0)
      const some = items.slice(at, at + Math.min(2, Number(searchParams.get('limit') ?? 30)))
      return answer(200, { rooms: some, ...paging(some.length) })
    }
    const listed = (await print('rooms list --all -o ids')).split('\n').length - 1
    expect(await print('rooms list --count')).toBe(`${listed}\n`)
  })

  test('rooms list --count accepts a total that the service sends as text', async () => {
    world.intercept = async () =>
      answer(200, { rooms: [{ id: 'r1', type: 'open', name: 'n' }], paging: { total: '77' } })
    expect(await print('rooms list --count')).toBe('77\n')
  })

  test.each(['--limit 1', '--offset 1', '--sort name', '--count-by type', '--columns id'])(
    'rooms list --count %s is a usage error',
    async (flag) => {
      const name = flag.split(' ')[0]
      expect(await world.run(`rooms list --count ${flag}`)).toMatchObject({
        code: 2,
        stderr: `error: --count and ${name} cannot be used together\n`,
      })
      expect(requests()).toEqual([])
    },
  )
})

describe('--count-by', () => {
  test('rooms list --count-by prints a row for each value, with the most frequent value first', async () => {
    await rooms('private', 'open', 'public', 'open')
    expect(await world.run('rooms list --count-by type -o csv')).toMatchObject({
      code: 0,
      stdout: 'type,count\r\nopen,2\r\nprivate,1\r\npublic,1\r\n',
      stderr: '--count-by reads all rooms\n',
    })
  })

  test.each([
    ['json', '{"counts":[{"type":"open","count":2},{"type":"private","count":1}]}\n'],
    ['ndjson', '{"type":"open","count":2}\n{"type":"private","count":1}\n'],
    ['tsv', 'type\tcount\nopen\t2\nprivate\t1\n'],
    ['table', 'TYPE     COUNT\n───────  ─────\nopen     2\nprivate  1\n'],
  ])('rooms list --count-by prints the counts with -o %s', async (format, expected) => {
    await rooms('open', 'private', 'open')
    expect(await print(`rooms list --count-by type -o ${format}`)).toBe(expected)
  })

  test('rooms list --count-by prints bars that fit the width of a terminal, and no bars on a narrow terminal', async () => {
    await rooms('open', 'private', 'open', 'public', 'open', 'open')
    const expected = (bar: number) =>
      [
        `TYPE     COUNT${'  '}`.trimEnd(),
        `───────  ─────  ${'─'.repeat(bar)}`,
        `open     4      ${'█'.repeat(bar)}`,
        `private  1      ${'█'.repeat(bar / 4)}`,
        `public   1      ${'█'.repeat(bar / 4)}`,
        '',
      ].join('\n')
    const plain = { tty: true, env: { NO_COLOR: '1' } }
    expect(await print('rooms list --count-by type', { ...plain, columns: 200 })).toBe(expected(40))
    expect(await print('rooms list --count-by type', { ...plain, columns: 28 })).toBe(expected(12))
    const narrow = await print('rooms list --count-by type', { ...plain, columns: 20 })
    expect(narrow).not.toContain('█')
  })

  test('rooms list --count-by counts the rooms that match --where and filter flags', async () => {
    const [first] = await rooms('private', 'open', 'open')
    await world.send('PUT', `/rooms/${first}`, { is_terminated: true })
    expect(await print('rooms list --count-by type --active -o csv --no-header')).toBe('open,2\r\n')
    expect(await print('rooms list --count-by status --where type=private -o csv --no-header')).toBe(
      'terminated,1\r\n',
    )
  })

  test('rooms list --count-by counts by a nested field, and distinguishes null from a missing field', async () => {
    for (const metadata of [{ owner: 'ada' }, { owner: null }, {}, { owner: 'ada' }])
      await world.send('POST', '/rooms', { name: 'n', type: 'open', metadata })
    const { stdout, stderr } = await world.run('rooms list --count-by metadata.owner -o ndjson')
    expect(stdout).toBe(
      '{"metadata.owner":"ada","count":2}\n{"metadata.owner":null,"count":1}\n{"count":1}\n',
    )
    expect(stderr).toContain('1 room without metadata.owner is counted as empty\n')
  })

  test('rooms list --count-by prints no counts if there are no rooms', async () => {
    expect(await print('rooms list --count-by type --json')).toBe('{"counts":[]}\n')
    expect((await world.run('rooms list --count-by type -q')).stdout).toBe('')
  })

  test.each([
    ['--count-by tpye', 'did you mean: meetroom rooms list --count-by type '],
    ['--count-by type --limit 3', '--count-by and --limit cannot be used together'],
    ['--count-by type -o ids', 'a count has no ID to print'],
    ['--count-by metadata.access_token', 'tokens cannot be counted'],
  ])('rooms list %s is refused before the first request', async (flags, message) => {
    const { code, stdout, stderr } = await world.run(`rooms list ${flags}`)
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
    expect(requests()).toEqual([])
  })

  test('rooms list --count-by with a field that no room has is a usage error', async () => {
    await rooms('open')
    expect(await world.run('rooms list --count-by seats -q')).toMatchObject({ code: 2, stdout: '' })
  })
})
