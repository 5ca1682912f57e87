import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundle, filesOf } from '../../.esbuild.mjs'
import { serveHttp } from '../../src/embedded/http/server.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { runCommand } from '../helpers/command.ts'
import { runHere } from '../helpers/run-here.ts'
import { tempDir } from '../helpers/world.ts'

const program = mkdtempSync(join(tmpdir(), 'meetroom-startup-'))
afterAll(() => rmSync(program, { recursive: true, force: true }))

// The program consists of the shipped parts. Each part lists its source files on standard error.
beforeAll(async () => {
  const { parts } = await bundle()
  const telling = parts.map((part) => ({
    ...part,
    code: `console.error(${JSON.stringify(part.inputs.map((file) => `loaded ${file}`).join('\n'))});${part.code}`,
  }))
  mkdirSync(join(program, 'dist'))
  for (const [name, text] of filesOf(telling)) writeFileSync(join(program, 'dist', name), text)
  writeFileSync(join(program, 'dist/build.json'), '{"id":"telling","version":"","words":[]}')
  cpSync('bin', join(program, 'bin'), { recursive: true })
  writeFileSync(
    join(program, 'modules.cjs'),
    `const before = new Set(process.moduleLoadList)
    process.on('exit', () => {
      for (const name of process.moduleLoadList) if (!before.has(name)) console.error(name)
    })`,
  )
}, 60_000)

async function listLoaded(line: string, env: Record<string, string> = {}): Promise<string[]> {
  const dir = tempDir()
  const base = {
    HOME: dir,
    XDG_CACHE_HOME: '/dev/null',
    MEETROOM_CONFIG_DIR: dir,
    MEETROOM_DATA_DIR: dir,
    NODE_PATH: join(process.cwd(), 'node_modules'),
  }
  const argv = [
    '--require',
    join(program, 'modules.cjs'),
    join(program, 'bin/meetroom.js'),
    ...line.split(' '),
  ]
  const { code, stderr } = await runCommand(process.execPath, argv, { ...base, ...env })
  expect(code).toBe(0)
  const names = [
    ...stderr.matchAll(
      /^loaded (?:\S*node_modules\/((?:@[^/]+\/)?[^/]+)|src\/((?:cli\/requests\/audit)|(?:\w+\/)?\w+))/gm,
    ),
  ]
  const modules = [...stderr.matchAll(/^NativeModule (?!internal\/)(.*)$/gm)].map(
    ([, name]) => `node:${name}`,
  )
  return [...new Set(names.map(([, npm, ours]) => npm ?? `our ${ours}`)), ...modules]
}

const heavy = [
  'zod',
  'conf',
  'cli-table3',
  'undici',
  're2js',
  '@jmespath-community/jmespath',
  'hono',
  'ws',
  '@inquirer/core',
  'our embedded/service',
]

/** Node modules that the version and the help do not need. */
const heavyOfNode = [
  'node:assert',
  'node:crypto',
  'node:fs/promises',
  'node:http',
  'node:perf_hooks',
  'node:readline',
  'node:timers/promises',
  'node:tls',
  'node:zlib',
]

const unusedByRequests = ['node:child_process', 'node:fs/promises']

async function served() {
  const host = { now: () => Date.now(), quietly: <T>(load: () => Promise<T>) => load() }
  const workspace = await openWorkspace({ dir: undefined, host })
  const server = await serveHttp(workspace.service, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await server.close()
    workspace.close()
  })
  const env = { MEETROOM_BASE_URL: `${server.url}/v1`, MEETROOM_API_KEY: workspace.apiKey }
  // Without a room, the program would print no table.
  await runHere('rooms create --name a --type open'.split(' '), { env })
  return env
}

const heavyOf = async (line: string, env?: Record<string, string>, among = heavy) =>
  (await listLoaded(line, env)).filter((name) => among.includes(name)).sort()

test.each(['--version', '--help', 'rooms --help', 'help agents'])(
  'meetroom %s loads no slow module',
  async (line) => {
    expect(await heavyOf(line, {}, [...heavy, ...heavyOfNode])).toEqual([])
  },
)

test('rooms list loads re2js, cli-table3 and JMESPath only on demand', async () => {
  const env = await served()
  const own = 'rooms list --json --where created_at<90d --where idle>90d'
  expect(await heavyOf(own, env, [...heavy, ...unusedByRequests])).toEqual([])
  expect(await heavyOf('rooms list -o csv --sort name', env)).toEqual([])
  expect(await heavyOf('rooms list --where name!~x', env)).toEqual(['cli-table3', 're2js'])
  expect(await heavyOf('rooms list --query rooms', env)).toEqual(['@jmespath-community/jmespath'])
})

test('sessions report -o csv loads no slow module', async () => {
  const env = await served()
  expect(await heavyOf('sessions report --all-rooms -o csv', env)).toEqual([])
  expect(await listLoaded('sessions --help')).not.toContain('our client/http')
})

test('meetroom --local loads zod only for writes', async () => {
  expect(await heavyOf('--local rooms list --json')).toEqual(['hono', 'our embedded/service'])
  expect(await heavyOf('--local rooms create --name a --type open --json')).toEqual([
    'hono',
    'our embedded/service',
    'zod',
  ])
})

test('rooms create loads the audit module only if MEETROOM_AUDIT_LOG is set', async () => {
  const env = await served()
  const ofAudit = async (line: string, more = {}) =>
    (await listLoaded(line, { ...env, ...more })).filter((name) => name === 'our cli/requests/audit')
  const create = 'rooms create --name a --type open --json'
  expect(await ofAudit(create)).toEqual([])
  expect(await ofAudit(create, { MEETROOM_AUDIT_LOG: join(tempDir(), 'log') })).toEqual([
    'our cli/requests/audit',
  ])
})

test('config get loads no slow module', async () => {
  expect(await heavyOf('config get output')).toEqual([])
  expect(await heavyOf('config set output json')).toEqual(['conf'])
})
