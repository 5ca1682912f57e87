import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { version } from '../../../src/version.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
const room = async (name: string) =>
  (await world.send('POST', '/rooms', { name, type: 'open' })).body.room.id as string

describe('a command with a room name instead of an ID', () => {
  test.each(['rooms get Algebra', 'members list Algebra', 'rooms update Algebra --name A'])(
    'the command “%s” suggests the prefix name: for the room name',
    async (line) => {
      await room('Algebra')
      const { code, stderr } = await world.run(line)
      expect(code).toBe(3)
      expect(stderr).toContain(
        `hint: a room has this name: meetroom ${line.replace('Algebra', 'name:Algebra')}`,
      )
    },
  )

  test('rooms get quotes $(…) in a suggested room name for the shell', async () => {
    await room('$(reboot)')
    const { stderr } = await world.run(['rooms', 'get', '$(reboot)'])
    expect(stderr).toContain(`hint: a room has this name: meetroom rooms get 'name:$(reboot)'`)
  })

  test('rooms get with a room name suggests the IDs of all rooms with this name', async () => {
    const ids = [await room('Algebra'), await room('Algebra')].toReversed()
    expect((await world.run('rooms get Algebra')).stderr).toContain(
      `hint: pass the ID of a room with this name: ${ids.join(', ')}\n`,
    )
  })

  test('rooms get sends no name search if the argument looks like an ID', async () => {
    await world.run('rooms get 66f1a2b3c4d5e6f708192a3b')
    expect(world.requests.map(({ url }) => new URL(url).search)).toEqual(['', '?limit=1'])
  })

  test('rooms get suggests rooms list if the search for the room name fails', async () => {
    world.intercept = async ({ url }, next) => (url.includes('name=') ? answer(502, {}) : next())
    expect(await world.run('rooms get Algebra --retries 0')).toMatchObject({
      code: 3,
      stderr:
        'error: no such room: Algebra\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
    })
  })
})

test('meetroom version prints the version', async () => {
  expect(await world.run('version')).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('rooms list with a profile without a service suggests the profiles with a service', async () => {
  await world.run('auth login --profile staging --with-token', { stdin: world.apiKey })
  const { code, stderr } = await world.run('rooms list --profile default', { env: bare })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'error: no service is configured for this profile\n' +
      'hint: profiles with a service: staging; switch with: meetroom profiles use staging\n',
  })
})

test('message send with several unquoted words suggests quotes around the text', async () => {
  expect(await world.run('message send r1 hello world')).toMatchObject({
    code: 2,
    stderr:
      'error: unexpected argument “world”: message send takes 2 arguments\n' +
      "hint: quote the text: meetroom message send r1 'hello world' --base-url https://meet.test/v1\n",
  })
})

describe('message send', () => {
  test('message send prints a notice if no participant is connected to the room', async () => {
    expect(await world.run(['message', 'send', await room('R'), 'hi'])).toMatchObject({
      code: 0,
      stderr: 'nobody is connected to the room\n',
    })
  })

  test('message send prints no notice if the session list returns 404', async () => {
    world.intercept = async ({ url }, next) => (url.includes('sessions') ? answer(404, {}) : next())
    expect(await world.run(['message', 'send', await room('R'), 'hi'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('the local workspace without a running server', () => {
  test('rooms create --local --dry-run prints a URL without a port if no server is running', async () => {
    expect(
      await world.run('--local rooms create --name A --type open --dry-run', { env: bare }),
    ).toMatchObject({
      code: 0,
      stdout: 'POST http://local-workspace.invalid/v1/rooms {"name":"A","type":"open"}\n',
    })
  })

  test('serve --print-env exits 2 if another program uses the port', async () => {
    const server = createServer()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    expect(await world.run(`serve --print-env --port ${port}`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `error: the local workspace cannot be served at 127.0.0.1:${port}: another program uses this port\n` +
        'hint: pass --host and --port of the service that --print-env describes\n',
    })
  })
})

test('rooms update sends the values of --layout, --record and --no-record', async () => {
  const id = await room('R')
  world.intercept = async ({ body = '' }) => answer(200, { room: { id, type: 'open', ...JSON.parse(body) } })
  for (const [flags, body] of [
    ['--layout grid --record', { layout: 'grid', record: true }],
    ['--no-record', { record: false }],
  ] as const) {
    const { stdout } = await world.run(`rooms update ${id} ${flags} --json`)
    expect(JSON.parse(stdout).room).toEqual({ id, type: 'open', ...body })
  }
})
