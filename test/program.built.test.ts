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

function isolateHome() {
  const dir = tempDir()
  return { HOME: dir, MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: join(dir, 'data') }
}

const isolateLocal = () => ({ ...isolateHome(), MEETROOM_PROFILE: 'local' })

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

const here = (line: string, env: Record<string, string>) => runHere(line.split(' '), { env })

// The case over a socket does not run the built program, because only the transport differs.
test.each([
  ['in the built program on the local workspace', async () => isolateLocal(), runBuilt],
  [
    'over a real socket',
    served,
    (argv: readonly string[], env: Record<string, string>) => runHere(argv, { env }),
  ],
] as const)(
  'API operations with all their fields return valid responses %s',
  { timeout: 60_000 },
  async (_, target, run) => {
    const env = await target()
    for (const user of ['ada', 'grace']) await here(`users create ${user}`, env)
    const room = (await here('rooms create --name first --type open -o ids', env)).stdout.trim()
    const member = (await here(`members add ${room} ada -o ids`, env)).stdout.trim()
    // updateRoom terminates the room, and deleteRoom deletes it, so both run last. Nobody joined the room, so
    // there is no delivery; the webhook tests cover redeliver.
    const names = Object.keys(everything).filter((name) => name !== 'redeliver') as OperationName[]
    const ordered = [
      ...names.filter((name) => name !== 'deleteRoom' && name !== 'updateRoom'),
      'updateRoom',
      'deleteRoom',
    ]
    // A share is enough for the built program, because the operations of a resource are in the same chunks.
    for (const name of share(ordered as OperationName[], 0, run === runBuilt ? 5 : 1)) {
      const argv = everything[name].map((word) => word.replace('{room}', room).replace('{member}', member))
      const { code, stdout, stderr } = await run([...argv, '--json', '--quiet'], env)
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
      expect(operations[name].response.safeParse(JSON.parse(stdout)).error).toBeUndefined()
    }
  },
)

test('--version prints the version and creates no files', async () => {
  const env = isolateHome()
  expect(await runBuilt(['--version'], env)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(existsSync(env.MEETROOM_DATA_DIR)).toBe(false)
  expect(existsSync(env.MEETROOM_CONFIG_DIR)).toBe(false)
})

test('rooms list exits 5 when the connection is refused', async () => {
  const env = { ...isolateHome(), MEETROOM_BASE_URL: 'http://127.0.0.1:9/v1', MEETROOM_API_KEY: 'secret-key' }
  expect(await runBuilt(['rooms', 'list', '--retries', '0'], env)).toEqual({
    code: 5,
    stdout: '',
    stderr:
      'error: no response from 127.0.0.1:9: connection refused\nhint: find the cause with: meetroom doctor --base-url http://127.0.0.1:9/v1\n',
  })
})

test('rooms list exits 5 when the service does not respond within the timeout', async () => {
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

test.each([
  [
    'on the local workspace',
    async () => isolateLocal(),
    {
      'rooms list --sort -name --columns name,type -o tsv --no-header': 'c\tprivate\nb\topen\na\topen\n',
      'rooms list --query sort_by(rooms,&name)[].name -o tsv': 'a\nb\nc\n',
    },
  ],
  [
    'over a real socket',
    served,
    {
      'rooms list --count-by type -o csv': 'type,count\r\nopen,2\r\nprivate,1\r\n',
      'rooms get name:b --query room.name': '"b"\n',
    },
  ],
])('the built program prints the requested rooms and fields %s', async (_, target, printed) => {
  const env = await target()
  for (const [name, type] of Object.entries({ b: 'open', c: 'private', a: 'open' }))
    await here(`rooms create --name ${name} --type ${type}`, env)
  for (const [line, stdout] of Object.entries(printed))
    expect(await runBuilt([...line.split(' '), '-q'], env), line).toEqual({ code: 0, stdout, stderr: '' })
})

test('the directory and the key file of the local workspace have owner-only access', async () => {
  const env = isolateLocal()
  await runBuilt(['rooms', 'list'], env)
  const modes = ['', 'api-key'].map((name) => statSync(join(env.MEETROOM_DATA_DIR, name)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600])
})
