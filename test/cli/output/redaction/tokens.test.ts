import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { formats } from '../../../../src/config/values.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { answer, createWorld, type World } from '../../../helpers/world.ts'

const token = '00tokenAbcDef_ghiJKL-mnopQRSTuvwxyz0123456'
const hint = 'access tokens are hidden; --show-tokens shows them\n'

const fieldsWithToken = { unlisted: { access_token: token, owner: { devices: [{ access_token: token }] } } }

let world: World
let ada: any
beforeEach(async () => {
  world = await createWorld()
  ada = (await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })).body.user
})

const run = async (command: string, options: Parameters<World['run']>[1] = {}) => {
  const { code, stdout, stderr } = await world.run(command, options)
  expect(code, stderr).toBe(0)
  return { stdout, stderr }
}
const terminal = { tty: true, columns: 200 }

describe('--show-tokens', () => {
  const commands = [
    'list',
    'get ada',
    'create ada --overwrite',
    'update ada --name N',
    'delete ada --yes',
    'export',
  ]

  const printsTokens = ([command, format]: readonly [string, string]) =>
    format !== 'ids' && !(command === 'export' && format === 'table')
  const pairs = commands.flatMap((command) => formats.map((format) => [command, format] as const))

  test.each(pairs.filter(printsTokens))(
    'users %s -o %s --show-tokens prints access tokens',
    async (command, format) => {
      for (const options of [{}, terminal]) {
        await world.send('POST', '/users', { user_id: 'ada' })
        const { access_token } = (await world.send('GET', '/users/ada')).body.user
        const { stdout, stderr } = await run(`users ${command} -o ${format} --show-tokens`, options)
        expect(stdout).toContain(access_token)
        expect(stderr).not.toMatch(/hidden|without/)
      }
    },
  )

  test('users list -o csv --show-tokens prints the column access_token', async () => {
    expect((await run('users list -o csv --show-tokens')).stdout).toBe(
      'user_id,name,profile_url,default_member_type,access_token,created_at,updated_at,id,email\r\n' +
        `ada,Ada,,guest,${ada.access_token},${ada.created_at},${ada.updated_at},${(await listed()).id},\r\n`,
    )
  })
})

const listed = async () => (await world.send('GET', '/users')).body.users[0]

describe('--columns access_token', () => {
  test.each([
    ['users list', 'ACCESS TOKEN\n'],
    ['users list -o csv', 'access_token\r\n'],
    ['users get ada -o csv', 'access_token\r\n'],
    ['users export', 'access_token\r\n'],
    ['users create ada --overwrite', 'access_token  '],
  ])('%s --columns access_token prints the access token', async (command, header) => {
    const { stdout } = await run(`${command} --columns access_token`)
    expect(stdout.startsWith(header)).toBe(true)
    expect(stdout).toContain(ada.access_token)
  })

  test('--columns access_token omits access tokens within other columns', async () => {
    otherService(world, fieldsWithToken)
    const { stdout } = await run('users list -o csv --columns access_token,owner --no-header')
    expect(stdout).toBe(`${token},"{""devices"":[{}]}"\r\n`)
  })

  test('rooms create --columns access_token exits 2', async () => {
    expect(await world.run('rooms create --name R --type open --columns access_token')).toMatchObject({
      code: 2,
      stdout: '',
    })
  })
})

describe('access tokens in JSON', () => {
  test.each(['users list', 'users get ada', 'users create ada --overwrite', 'api GET /users/ada'])(
    '%s --json masks access tokens on a terminal and prints them in a pipe',
    async (command) => {
      const piped = await run(`${command} --json`)
      expect(piped.stdout).toContain(`"access_token":"${ada.access_token}"`)
      const shown = await run(`${command} --json`, terminal)
      expect(shown.stdout).toContain('"access_token": "••••"')
      const masked = piped.stdout.replace(ada.access_token, '••••')
      // An overwrite changes `updated_at`.
      const fixed = (json: string) => JSON.stringify(JSON.parse(json)).replace(/"updated_at":"[^"]*"/, '')
      expect(fixed(shown.stdout)).toBe(fixed(masked))
    },
  )

  test('users list -o ndjson prints a null access token unchanged and without a notice', async () => {
    world.intercept = async () =>
      answer(200, '{"users":[{"user_id":"a","access_token":null},{"user_id":"b","n":12345678901234567890}]}')
    expect(await run('users list -o ndjson', terminal)).toEqual({
      stdout: '{"user_id":"a","access_token":null}\n{"user_id":"b","n":12345678901234567890}\n',
      stderr: '',
    })
  })

  test.each(['7', '["7"]', '{"a":"7"}'])(
    'users list -o ndjson masks the non-string access token %s on a terminal',
    async (odd) => {
      world.intercept = async () =>
        answer(200, `{"users":[{"user_id":"a","access_token":${odd}},{"user_id":"b","access_token":null}]}`)
      expect(await run('users list -o ndjson', terminal)).toEqual({
        stdout: '{"user_id":"a","access_token":"••••"}\n{"user_id":"b","access_token":null}\n',
        stderr: hint,
      })
    },
  )

  test('users list --all --json masks the access tokens of all pages on a terminal', async () => {
    await world.send('POST', '/users', { user_id: 'grace' })
    const { stdout } = await run('users list --all --page-size 1 --json', terminal)
    expect(JSON.parse(stdout).users.map(({ access_token }: any) => access_token)).toEqual(['••••', '••••'])
  })
})

describe('the notice about masked access tokens', () => {
  test.each([
    ['users get ada', hint],
    ['users list --json', hint],
    ['users list -o ndjson', hint],
    ['users list -o csv', hint],
    ['users create ada --overwrite', hint],
    ['users list', ''],
    ['users get ada --columns name', ''],
    ['users get ada -o ids', ''],
    ['users get ada -q', ''],
  ])(
    'on a terminal, “%s” prints a notice if it masks an access token, unless -q is set',
    async (command, stderr) => {
      expect((await run(command, terminal)).stderr).toBe(stderr)
      expect((await run(command)).stderr).toBe('')
    },
  )

  test('the summary of users export mentions omitted access tokens, except with --columns', async () => {
    for (const options of [{}, terminal])
      for (const format of ['csv', 'ndjson', 'json'])
        expect((await run(`users export -o ${format}`, options)).stderr).toMatch(
          /^exported 1 user, without access tokens \(--show-tokens includes them\)\n/,
        )
    expect((await run('users export --columns user_id')).stderr).toMatch(/^exported 1 user\n/)
  })
})

describe('masked access tokens', () => {
  test('users delete --dry-run masks an access token that matches --where', async () => {
    for (const options of [{}, { tty: true }]) {
      const { stderr } = await run(`users delete --where access_token=${ada.access_token} --dry-run`, options)
      expect(stderr).toContain('1 user matches\n  ada  Ada  access_token ••••\n')
    }
    const shown = await run('users delete --where access_token!= --dry-run --show-tokens')
    expect(shown.stderr).toContain(`access_token ${ada.access_token}\n`)
  })

  test.each(['--dry-run', '--curl'])('users update %s masks an access token in --data', async (flag) => {
    const { stdout } = await run('users get ada -o json')
    const user = JSON.stringify(JSON.parse(stdout).user)
    const command = `users update ada --data - ${flag}`
    expect((await run(command, { stdin: user })).stdout).toContain('"access_token":"••••"')
    expect((await run(`${command} --show-tokens`, { stdin: user })).stdout).toContain(ada.access_token)
  })

  test('api masks an access token in the query string of a printed request', async () => {
    const path = `/rooms?limit=1&access_token=${token}`
    const shown = [
      (await run(`api GET ${path} --verbose`)).stderr,
      (await run(`api GET ${path} --curl`)).stdout,
      (await run(`api POST ${path} --dry-run -o json`)).stdout,
    ]
    for (const text of shown) expect(text).toContain('limit=1&access_token=••••')
  })

  const users = [{ user_id: 'ada', access_token: token }, { access_token: token }]
  test.each([
    ['a response that cannot be parsed', answer(200, { users }), 6],
    ['an incomplete response', answer(200, JSON.stringify({ users }).slice(0, -30)), 6],
    [
      'an error response that contains JSON as text',
      answer(400, { error: { message: JSON.stringify(users[1]) } }),
      1,
    ],
    [
      'an error response that contains a URL',
      answer(400, { message: `bad: /connect?access_token=${token}` }),
      1,
    ],
    ['an error response with another JSON structure', answer(400, { what: users }), 1],
  ])('users list prints no access token in the error about %s', async (_, said, code) => {
    world.intercept = async ({ url }) => (url.endsWith('limit=1') ? answer(200, { rooms: [] }) : said)
    for (const format of formats)
      for (const tty of [false, true]) {
        const ended = await world.run(`users list -o ${format} --verbose`, { tty })
        expect(ended).toMatchObject({ code, stdout: '' })
        expect(ended.stderr).not.toContain(token)
      }
  })
})

describe('an export of users without access tokens', () => {
  test.each(['csv', 'ndjson', 'json'])(
    'users import accepts a %s file from users export, with or without access tokens',
    async (format) => {
      await world.send('POST', '/users', { user_id: 'grace', email: 'g@x.test', name: '=1' })
      for (const flag of ['', ' --show-tokens']) {
        const to = await createWorld()
        writeFileSync(join(to.dir, `users.${format}`), (await run(`users export -o ${format}${flag}`)).stdout)
        expect(await to.run(`users import users.${format}`)).toMatchObject({ code: 0 })
        const columns = '--columns user_id,name,email,default_member_type'
        expect((await to.run(`users export ${columns}`)).stdout.split('\r\n').sort()).toEqual(
          (await run(`users export ${columns}`)).stdout.split('\r\n').sort(),
        )
      }
    },
  )

  test('users import accepts a CSV file from users export with undocumented fields', async () => {
    await world.send('POST', '/users', { user_id: 'grace', theme: { dark: true } })
    const to = await createWorld()
    writeFileSync(join(to.dir, 'users.csv'), (await run('users export')).stdout)
    expect(await to.run('users import users.csv')).toMatchObject({ code: 0 })
  })

  test('rooms export -o json prints the same JSON as the response', async () => {
    await world.send('POST', '/rooms', { name: 'R', type: 'open' })
    const { stdout } = await run('rooms export -o json')
    expect(JSON.parse(stdout)).toEqual((await world.send('GET', '/rooms?limit=1000')).body)
  })
})
