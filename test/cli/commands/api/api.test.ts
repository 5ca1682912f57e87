import { describe, expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, baseUrl, createWorld, type World } from '../../../helpers/world.ts'

const world = perTest(createWorld)

describe('api', () => {
  test.each([
    ...[['/rooms'], ['/rooms?limit=1'], ['/rooms/..a'], ['/rooms/a..'], ['/users/%2e%2e%2e']],
    ['/users?q=/../x', '/users?q=%2F..%2Fx'],
  ])('api GET %s appends the path to the base URL', async (path = '', sent = path) => {
    await world.run(['api', 'GET', path])
    expect(world.requests[0]).toMatchObject({ method: 'GET', url: baseUrl + sent })
  })

  test.each([
    '/../../rooms',
    '/..',
    '/rooms/..',
    '/rooms/../../../admin',
    '/rooms/./x',
    '/%2e%2e/rooms',
    '/rooms/.%2E/x',
    '/%2E',
    '/rooms\\..\\..\\..\\admin',
  ])('api rejects the path %s because of its dot segment', async (path) => {
    for (const method of ['GET', 'DELETE'])
      expect(await world.run(['api', method, path])).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: the path must not contain “.” or “..” as a segment: “${path}”\n`,
      })
    expect(world.requests).toEqual([])
  })

  test.each([
    'rooms',
    '',
    '//host/rooms',
    '/',
    '/a b',
    '/a#b',
    '/..\u0001',
    '/\ud800',
    'https://other.test/v1/rooms',
  ])('api rejects the invalid path “%s”', async (path) => {
    expect(await world.run(['api', 'GET', path])).toMatchObject({ code: 2, stdout: '' })
    expect(world.requests).toEqual([])
  })
})

describe('api --paginate', () => {
  const limitToTwo: World['intercept'] = async (request, next) => {
    const url = new URL(request.url)
    const limit = Math.min(2, Number(url.searchParams.get('limit') ?? 2))
    url.searchParams.set('limit', String(limit))
    return next({ ...request, url: url.href })
  }

  test('api GET /users --paginate prints the same JSON as users list --all --json', async () => {
    for (const user_id of ['ada', 'alan', 'edsger', 'grace', 'kay'])
      await world.send('POST', '/users', { user_id })
    world.intercept = limitToTwo
    const { code, stdout, stderr } = await world.run('api GET /users --paginate')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe((await world.run('users list --all --json')).stdout)
    expect(JSON.parse(stdout)).toMatchObject({
      users: ['kay', 'grace', 'edsger', 'alan', 'ada'].map((user_id) => ({ user_id })),
      paging: { limit: 5, offset: 0, total: 5 },
    })
  })

  test('api --paginate starts at the given offset and repeats the other query parameters', async () => {
    for (const user_id of ['ada', 'alan', 'grace'])
      await world.send('POST', '/users', { user_id, email: 'a@b.c' })
    const { stdout } = await world.run([
      'api',
      'GET',
      '/users?limit=1&email=a',
      '-f',
      'offset=1',
      '--paginate',
    ])
    expect(JSON.parse(stdout).users.map((user: { user_id: string }) => user.user_id)).toEqual(['alan', 'ada'])
    expect(world.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?email=a&limit=1&offset=1',
      '?email=a&limit=1&offset=2',
      '?email=a&limit=1&offset=3',
    ])
  })

  test('api --paginate merges the items of all pages into the first response', async () => {
    const pages = [
      { etag: 'one', things: [{ id: 1 }], paging: { limit: 1, offset: 0, total: 2 } },
      { etag: 'two', things: [{ id: 2 }], paging: { limit: 1, offset: 1, total: 2 } },
    ]
    world.intercept = async ({ url }) =>
      answer(
        200,
        pages[Number(new URL(url).searchParams.get('offset') ?? 0)] ?? { things: [], paging: { total: 2 } },
      )
    expect(JSON.parse((await world.run('api GET /things --paginate')).stdout)).toEqual({
      things: [{ id: 1 }, { id: 2 }],
      etag: 'one',
      paging: { limit: 2, offset: 0, total: 2 },
    })
  })

  test('api --paginate prints a single page unchanged', async () => {
    const text = '{ "things":[ {"id":1,"n":10000000000000000001} ],"paging":{"total":1} }'
    world.intercept = async () => answer(200, text)
    expect((await world.run('api GET /things --paginate')).stdout).toBe(text)
    expect((await world.run('api GET /things --paginate -o ndjson')).stdout).toBe(
      '{"id":1,"n":10000000000000000001}\n',
    )
  })

  test('api --paginate applies --query to the items of all pages', async () => {
    for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
    const line = 'api GET /users?limit=1 --paginate -o tsv --query users[].[user_id]'
    expect((await world.run(line)).stdout).toBe('grace\nada\n')
  })

  test.each([
    [{ room: {} }, 'the response of /x contains no list'],
    [[{ id: 1 }], 'the response of /x contains no list'],
    [{ a: [], b: [] }, 'the response of /x contains several lists: a, b'],
    [{ a: [{ name: 'n' }] }, 'a: an item has no id, so the responses cannot be combined'],
    [{ users: [{ id: 'n' }] }, 'users: an item has no user_id, so the responses cannot be combined'],
  ])('api --paginate exits 2 for the response %j with the error “%s”', async (body, problem) => {
    world.intercept = async () => answer(200, body)
    const { code, stdout, stderr } = await world.run('api GET /x --paginate')
    expect({ code, stdout, error: stderr.split('\n')[0] }).toEqual({
      code: 2,
      stdout: '',
      error: `error: ${problem}`,
    })
  })

  test.each([
    ['api POST /users --paginate', '--paginate needs the method GET, not POST'],
    [
      'api GET /users --paginate -i',
      '--paginate and --include cannot be used together, because the document combines several responses',
    ],
    ['api GET /users?limit=ten --paginate', 'limit must be a whole number, at least 1, not “ten”'],
  ])('“meetroom %s” exits 2 before any request', async (line, problem) => {
    expect(await world.run(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`error: ${problem}\n`),
    })
    expect(world.requests).toEqual([])
  })
})

describe('api -i', () => {
  test('api -i prints the status line and the headers before the body', async () => {
    world.intercept = async () => answer(200, { rooms: [] }, { 'x-trace': 'abc' })
    expect(await world.run('api GET /rooms -i')).toMatchObject({
      code: 0,
      stdout: 'HTTP/1.1 200 OK\ncontent-type: application/json\nx-trace: abc\n\n{"rooms":[]}',
      stderr: '',
    })
  })

  test('api -i prints the headers and the body of an error response on stdout', async () => {
    world.intercept = async ({ url }, next) =>
      url.endsWith('/rooms/r1') ? answer(404, { error: { code: 'gone', message: 'no' } }) : next()
    expect(await world.run('api GET /rooms/r1 -i')).toMatchObject({
      code: 3,
      stdout:
        'HTTP/1.1 404 Not Found\ncontent-type: application/json\n\n{"error":{"code":"gone","message":"no"}}\n',
      stderr: expect.stringMatching(/^error: /),
    })
  })

  test.each([true, false])(
    'api -i redacts secrets and escapes control characters in response headers with tty=%s',
    async (tty) => {
      const headers = {
        'set-cookie': 'session=s3cr3t',
        'x-auth-token': 's3cr3t',
        location: '/x?access_token=s3cr3t',
        'x-key': world.apiKey,
        'x-\u001b[2J': 'a\u001b]0;b\u0007\r\nforged: 1',
      }
      world.intercept = async () => answer(200, {}, headers)
      const { stdout } = await world.run('api GET /rooms -i', { tty })
      expect(stdout.slice(0, stdout.indexOf('\n\n')).split('\n')).toEqual([
        'HTTP/1.1 200 OK',
        'content-type: application/json',
        'set-cookie: ••••',
        'x-auth-token: ••••',
        'location: /x?access_token=••••',
        'x-key: [API key]',
        'x-\\u001b[2J: a\\u001b]0;b\\u0007\\r\\nforged: 1',
      ])
    },
  )

  test('api -i with --dry-run or --curl prints the request without sending it', async () => {
    expect((await world.run('api DELETE /users/ada -i --dry-run')).stdout).toBe(
      `DELETE ${baseUrl}/users/ada\n`,
    )
    expect((await world.run('api GET /users -i --curl')).stdout).toMatch(/^curl -X GET /)
    expect(world.requests).toEqual([])
  })
})

describe('api -H', () => {
  test('api -H adds headers to the default headers', async () => {
    await world.run(['api', 'GET', '/rooms', '-H', 'Accept-Language: de', '-H', 'X-A: 1', '-H', 'x-a:2'])
    expect(world.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${world.apiKey}`,
      accept: 'application/json',
      'accept-language': 'de',
      'x-a': '1, 2',
    })
  })

  test('api -H adds the header to the output of --curl', async () => {
    expect((await world.run(['api', 'GET', '/rooms', '-H', "X-A: it's", '--curl'])).stdout).toContain(
      `-H 'x-a: it'\\''s'`,
    )
  })

  test.each([
    'Authorization',
    'authorization',
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Keep-Alive',
    'Proxy-Authorization',
    'Proxy-Connection',
  ])('api -H rejects the reserved header %s', async (name) => {
    expect(await world.run(['api', 'GET', '/rooms', '-H', `${name}: x`])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: --header cannot set ${name}, which meetroom sets itself\n`,
    })
    expect(world.requests).toEqual([])
  })

  test('api -H rejects the header X-HTTP-Method-Override', async () => {
    const { code, stderr } = await world.run(['api', 'GET', '/rooms', '-H', 'X-HTTP-Method-Override: DELETE'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: --header cannot set X-HTTP-Method-Override, which may change the method or path of the request\n',
    })
    expect(world.requests).toEqual([])
  })

  test.each([
    'a: b\r\nhost: evil',
    'a: b\nc: d',
    'a\r\nb: c',
    'a: b\u0000',
    'a: b\u0085c',
    'a: ü',
    'a b: c',
    ' host: x',
    'host : x',
    ': x',
    'a',
    '',
  ])('api -H rejects the malformed header %j', async (header) => {
    expect(await world.run(['api', 'GET', '/rooms', '-H', header])).toMatchObject({ code: 2, stdout: '' })
    expect(world.requests).toEqual([])
  })

  test.each(['Authorization : Bearer a-secret', 'a-secret'])(
    'api -H and --webhook-header omit the secret of the malformed header %j from the error',
    async (header) => {
      for (const argv of [
        ['api', 'GET', '/rooms', '-H', header],
        ['rooms', 'create', '--name', 'N', '--type', 'open', '--webhook-header', header],
      ]) {
        const { code, stderr } = await world.run(argv)
        expect(code).toBe(2)
        expect(stderr).toContain("must be 'Name: value', without a space before the colon")
        expect(stderr).not.toContain('a-secret')
      }
    },
  )
})
