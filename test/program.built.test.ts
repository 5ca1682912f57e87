import { existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { OperationName } from '../src/api/endpoints.ts'
import { operations } from '../src/api/operations.ts'
import { serveHttp } from '../src/embedded/http/server.ts'
import { openWorkspace } from '../src/embedded/workspace.ts'
import { version } from '../src/version.ts'
import { runBuilt } from './helpers/built.ts'
import { everything } from './helpers/everything.ts'
import { listen } from './helpers/listen.ts'
import { runHere } from './helpers/run-here.ts'
import { tempDir } from './helpers/world.ts'
import { share } from './suites/size.ts'

/** Returns environment variables that isolate the settings and the local workspace from this machine. */
function isolateHome(): Record<string, string> {
  const dir = tempDir()
  return { HOME: dir, MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: join(dir, 'data') }
}

/** Starts a service on a real socket, and returns the environment variables that name it. */
async function served(): Promise<Record<string, string>> {
  const workspace = await openWorkspace({
    dir: undefined,
    host: { now: () => Date.now(), quietly: (load) => load() },
  })
  const server = await serveHttp(workspace.service, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await server.close()
    workspace.close()
  })
  return { ...isolateHome(), MEETROOM_BASE_URL: `${server.url}/v1`, MEETROOM_API_KEY: workspace.apiKey }
}

const targets = {
  'on the local workspace': async () => ({ ...isolateHome(), MEETROOM_PROFILE: 'local' }),
  'over a real socket': served,
}

// Over a socket, only the transport differs.
test.each([
  ['in the built program on the local workspace', targets['on the local workspace'], runBuilt],
  [
    'over a real socket',
    served,
    (argv: readonly string[], env: Record<string, string>) => runHere(argv, { env }),
  ],
] as const)(
  'every operation with all its fields succeeds %s',
  { timeout: 60_000 },
  async (_, target, run) => {
    const env = await target()
    const meetroom = (line: string | string[]) => run(typeof line === 'string' ? line.split(' ') : line, env)
    await meetroom('users create ada')
    await meetroom('users create grace')
    const room = (await meetroom('rooms create --name first --type open -o ids')).stdout.trim()
    const member = (await meetroom(`members add ${room} ada -o ids`)).stdout.trim()
    // The room is deleted last, because the other operations need it.
    // Nobody joined the room, so there is no delivery; the webhook tests cover redeliver.
    const names = Object.keys(everything).filter((name) => name !== 'redeliver') as OperationName[]
    const ordered = [
      ...names.filter((name) => name !== 'deleteRoom' && name !== 'updateRoom'),
      'updateRoom',
      'deleteRoom',
    ]
    // A share is enough for the built program, because the operations of a resource are in the same chunks.
    for (const name of share(ordered as OperationName[], 0, run === runBuilt ? 3 : 1)) {
      const argv = everything[name].map((word) => word.replace('{room}', room).replace('{member}', member))
      const { code, stdout, stderr } = await meetroom([...argv, '--json', '--quiet'])
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
      expect(operations[name].response.safeParse(JSON.parse(stdout)).error).toBeUndefined()
    }
  },
)

test('the local workspace persists between commands and has owner-only access', async () => {
  const env = isolateHome()
  const dir = env['MEETROOM_DATA_DIR'] ?? ''
  await runBuilt(['--local', 'rooms', 'create', '--name', 'First room', '--type', 'open'], env)
  const { stdout } = await runBuilt(['--local', 'rooms', 'list', '--columns', 'name', '--no-header'], env)
  expect(stdout).toBe('First room\n')
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(statSync(join(dir, 'api-key')).mode & 0o777).toBe(0o600)
})

test('--version prints the version and creates no files', async () => {
  const env = isolateHome()
  expect(await runBuilt(['--version'], env)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(existsSync(env['MEETROOM_DATA_DIR'] ?? '')).toBe(false)
  expect(existsSync(env['MEETROOM_CONFIG_DIR'] ?? '')).toBe(false)
})

test('rooms list exits 5 and names doctor when the connection is refused', async () => {
  const env = { ...isolateHome(), MEETROOM_BASE_URL: 'http://127.0.0.1:9/v1', MEETROOM_API_KEY: 'secret-key' }
  expect(await runBuilt(['rooms', 'list', '--retries', '0'], env)).toEqual({
    code: 5,
    stdout: '',
    stderr:
      'error: no response from 127.0.0.1:9: connection refused\nhint: find the cause with: meetroom doctor --base-url http://127.0.0.1:9/v1\n',
  })
})

test('rooms list exits 5 at the timeout when the service does not respond', async () => {
  const port = await listen(createServer())
  const env = {
    ...isolateHome(),
    MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1`,
    MEETROOM_API_KEY: 'key-0123456789',
  }
  expect(await runBuilt(['rooms', 'list', '--timeout', '0.3'], env)).toEqual({
    code: 5,
    stdout: '',
    stderr: `error: no response from 127.0.0.1:${port} within 0.3 s\nhint: find the cause with: meetroom doctor --base-url http://127.0.0.1:${port}/v1\n`,
  })
})

test.each(Object.entries(targets))(
  'rooms list and rooms get return the requested rooms and fields in the built program %s',
  { timeout: 60_000 },
  async (_, target) => {
    const env = await target()
    const print = async (line: string) => {
      const { code, stdout, stderr } = await runBuilt([...line.split(' '), '-q'], env)
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' })
      return stdout
    }
    await print('rooms create --name b --type open')
    await print('rooms create --name c --type private')
    await print('rooms create --name a --type open')
    expect(await print('rooms list --sort -name --columns name,type -o tsv --no-header')).toBe(
      'c\tprivate\nb\topen\na\topen\n',
    )
    expect(await print('rooms list --count')).toBe('3\n')
    expect(await print('rooms list --count-by type -o csv')).toBe('type,count\r\nopen,2\r\nprivate,1\r\n')
    expect(await print('rooms list --query sort_by(rooms,&name)[].name -o tsv')).toBe('a\nb\nc\n')
    expect(await print('rooms get name:b --query room.name')).toBe('"b"\n')
    expect(await print('rooms delete name:b --yes --query room.name -o tsv')).toBe('b\n')
  },
)
