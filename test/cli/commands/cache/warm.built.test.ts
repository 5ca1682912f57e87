import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LauncherProcesses } from '../../../../src/cli/commands/cache/launcher-processes.ts'
import type { Host } from '../../../../src/host.ts'
import { version } from '../../../../src/version.ts'
import { node } from '../../../helpers/built.ts'
import { type Finished, runCommand } from '../../../helpers/command.ts'
import { hasNamespaces, inContainer, readDockerRun } from '../../../helpers/container.ts'
import { copyPackage } from '../../../helpers/installed.ts'
import { programsIn } from '../../../helpers/programs.ts'
import { startProgram } from '../../../helpers/serving.ts'
import { tempDir } from '../../../helpers/world.ts'
import { notice } from '../../../suites/size.ts'

const isRoot = process.getuid?.() === 0
const ordinary = 12345
const hasSetpriv = isRoot && spawnSync('setpriv', ['--version']).status === 0
if (!hasSetpriv) notice('cache warm', 'ordinary users: no root, or no setpriv')

/** Reports whether the code of the program came from a cache: `compiled`, `cached` or `rejected`. */
const reporter = `
const vm = require('node:vm')
const { Script } = vm
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options)
    const found = options.cachedData === undefined ? 'compiled' : this.cachedDataRejected ? 'rejected' : 'cached'
    require('node:fs').writeSync(2, found + '\\n')
  }
}`

const secret = 'sk-warm-canary-0123456789'
let shared: string
let template: string
let warmed: Finished
beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
  // Other users must reach the package.
  chmodSync(shared, 0o755)
  template = join(shared, 'meetroom')
  copyPackage(template)
  symlinkSync(resolve('node_modules'), join(template, 'node_modules'))
  writeFileSync(join(shared, 'reporter.cjs'), reporter)
  chmodSync(join(shared, 'reporter.cjs'), 0o644)
  mkdirSync(join(shared, 'home'), { mode: 0o700 })
  const env = {
    HOME: join(shared, 'home'),
    MEETROOM_API_KEY: secret,
    MEETROOM_BASE_URL: 'http://127.0.0.1:9/v1',
    MEETROOM_OUTPUT: 'json',
    NODE_OPTIONS: '--max-old-space-size=512',
  }
  const words = [join(template, 'bin/meetroom.js'), 'cache', 'warm']
  // The umask is one that would hide the files from other users.
  const command = ['-c', 'umask 077; exec "$@"', 'sh', node, ...words]
  warmed = await runCommand('sh', command, env, '', { patienceMs: 170_000 })
}, 180_000)
afterAll(() => rmSync(shared, { recursive: true }))

const buildIn = (packageDir: string) =>
  join(packageDir, 'cache', readdirSync(join(packageDir, 'cache'))[0] ?? '')

/** Copies the warmed package, with few of its caches. */
function installed(): { packageDir: string; cache: string; build: string; file: string } {
  const dir = tempDir()
  chmodSync(dir, 0o755)
  const packageDir = join(dir, 'meetroom')
  const kinds = ['version', 'help', 'rooms-list']
  const build = buildIn(template)
  cpSync(template, packageDir, {
    recursive: true,
    filter: (path) => !path.startsWith(`${build}/`) || kinds.some((kind) => path === join(build, kind)),
  })
  return {
    packageDir,
    cache: join(packageDir, 'cache'),
    build: buildIn(packageDir),
    file: join(buildIn(packageDir), 'version'),
  }
}

/** Runs `--version` and reports the origin of its code. */
async function versionOf(packageDir: string, env: Record<string, string> = {}, as: readonly string[] = []) {
  const words = [...as, node, join(packageDir, 'bin/meetroom.js'), '--version']
  const [command = '', ...rest] = words
  const options = { NODE_OPTIONS: `--require=${join(shared, 'reporter.cjs')}`, ...env }
  const { code, stdout, stderr } = await runCommand(command, rest, options)
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` })
  return stderr.trim()
}

const asOrdinary = ['setpriv', `--reuid=${ordinary}`, `--regid=${ordinary}`, '--clear-groups']

function giveTo(uid: number, path: string): void {
  chownSync(path, uid, uid)
  if (!statSync(path).isDirectory()) return
  for (const name of readdirSync(path)) if (name !== 'node_modules') giveTo(uid, join(path, name))
}

test('cache warm stores the compiled code of common commands for every user, and stores no data of the current user', () => {
  const build = buildIn(template)
  const kinds = readdirSync(build)
  expect(warmed).toEqual({
    code: 0,
    stdout: `${build}\n`,
    stderr: `running common commands; this takes some seconds\nstored the compiled code of ${kinds.length} commands for Node ${build.match(/v([\d.]+)-/)?.[1]}\n`,
  })
  expect(kinds).toEqual(
    expect.arrayContaining(
      [
        'version',
        'help',
        'serve',
        'auth-status',
        'doctor',
        'rooms-list',
        'rooms-get-json',
        'rooms-list-local',
      ].concat([
        'rooms-import',
        'members-list',
        'users-create',
        'sessions-report',
        'pages-create',
        'message-send',
        'api',
      ]),
    ),
  )
  for (const path of [join(template, 'cache'), build]) expect(statSync(path).mode & 0o777).toBe(0o755)
  for (const kind of kinds) {
    expect(statSync(join(build, kind)).mode & 0o777).toBe(0o644)
    expect(readFileSync(join(build, kind)).includes(secret)).toBe(false)
  }
  expect(readdirSync(join(template, 'cache'))).toHaveLength(1)
})

describe('a warmed cache is used', () => {
  test.each([
    ['without a home directory', {}],
    ['with a home directory that does not exist', { HOME: '/nonexistent/home' }],
    ['with a cache directory that cannot be created', { XDG_CACHE_HOME: '/dev/null' }],
  ])('%s', async (_, env) => {
    expect(await versionOf(installed().packageDir, env)).toBe('cached')
  })

  test('when a home directory exists, and no cache is created in that directory', async () => {
    const home = tempDir()
    const { packageDir } = installed()
    expect(await versionOf(packageDir, { HOME: home })).toBe('cached')
    expect(await versionOf(packageDir, { HOME: home })).toBe('cached')
    expect(existsSync(join(home, '.cache'))).toBe(false)
  })

  test.runIf(hasSetpriv)('for an ordinary user after root runs cache warm', async () => {
    expect(await versionOf(installed().packageDir, { HOME: '/' }, asOrdinary)).toBe('cached')
  })

  test.runIf(hasSetpriv)('for an ordinary user who owns the package', async () => {
    const { packageDir } = installed()
    giveTo(ordinary, packageDir)
    expect(await versionOf(packageDir, {}, asOrdinary)).toBe('cached')
  })
})

test('npm pack excludes the warmed cache', async () => {
  const { packageDir, cache } = installed()
  expect(existsSync(cache)).toBe(true)
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await runCommand('npm', words, { HOME: tempDir() }, '', { cwd: packageDir })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const paths = files.map(({ path }) => path)
  expect(paths).toContain('dist/build.json')
  expect(paths.filter((path) => path.startsWith('cache'))).toEqual([])
})

test('cache warm stores no code and removes its temporary files when it is interrupted', async () => {
  const { packageDir, cache } = installed()
  rmSync(cache, { recursive: true })
  const TMPDIR = tempDir()
  const warming = startProgram(node, [join(packageDir, 'bin/meetroom.js'), 'cache', 'warm'], { TMPDIR })
  await warming.logged(/running common commands/)
  warming.child.kill('SIGTERM')
  expect(await warming.ended()).toMatchObject({ code: 143 })
  expect(warming.log()).toContain('interrupted')
  expect(readdirSync(cache)).toEqual([])
  expect(readdirSync(TMPDIR)).toEqual([])
})

test('the commands of a repeated cache warm store their code although the warmed cache has it', async () => {
  const home = tempDir()
  const { packageDir, file } = installed()
  const host = { nodePath: node, packageDir } as Host
  expect(await new LauncherProcesses(host, home, new AbortController().signal).run(['--version'])).toBe(
    version,
  )
  expect(existsSync(join(home, 'cache/meetroom', basename(dirname(file)), 'version'))).toBe(true)
})

test('doctor shows the warmed cache when the user has no cache', async () => {
  const { packageDir, cache } = installed()
  const dir = tempDir()
  const env = { MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: join(dir, 'data') }
  const words = [join(packageDir, 'bin/meetroom.js'), '--local', 'doctor', '--json']
  const { code, stdout } = await runCommand(node, words, env)
  expect(code).toBe(0)
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ check: 'code cache', status: 'ok', message: cache }),
  )
})

test('a cache in the home directory takes precedence over a warmed cache', async () => {
  const home = tempDir()
  const { packageDir, cache, file } = installed()
  renameSync(cache, join(packageDir, 'hidden'))
  expect(await versionOf(packageDir, { HOME: home })).toBe('compiled')
  renameSync(join(packageDir, 'hidden'), cache)
  writeFileSync(file, 'damaged')
  expect(await versionOf(packageDir, { HOME: home })).toBe('cached')
})

test('a command writes a cache for the user when no warmed cache exists', async () => {
  const home = tempDir()
  const { packageDir, file } = installed()
  rmSync(file)
  expect(await versionOf(packageDir, { HOME: home })).toBe('compiled')
  expect(await versionOf(packageDir, { HOME: home })).toBe('cached')
})

describe('a warmed cache is ignored', () => {
  type Installed = ReturnType<typeof installed>
  const linked = (path: string) => {
    renameSync(path, `${path}-moved`)
    symlinkSync(`${path}-moved`, path)
  }
  test.each<[string, (installed: Installed) => void]>([
    ['when the group can write to the package', ({ packageDir }) => chmodSync(packageDir, 0o775)],
    ['when others can write to the cache directory', ({ cache }) => chmodSync(cache, 0o757)],
    ['when the group can write to the build directory', ({ build }) => chmodSync(build, 0o775)],
    ['when others can write to the cache file', ({ file }) => chmodSync(file, 0o646)],
    ['when the cache directory is a link', ({ cache }) => linked(cache)],
    ['when the build directory is a link', ({ build }) => linked(build)],
    ['when the cache file is a link', ({ file }) => linked(file)],
    [
      'when the cache file is truncated',
      ({ file }) => writeFileSync(file, readFileSync(file).subarray(0, 1000)),
    ],
    [
      'when one bit of the cache file is flipped',
      ({ file }) => {
        const bytes = readFileSync(file)
        const at = Math.floor(bytes.length / 4)
        bytes[at] = (bytes[at] ?? 0) ^ 1
        writeFileSync(file, bytes)
      },
    ],
  ])('%s', async (_, change) => {
    const found = installed()
    expect(await versionOf(found.packageDir)).toBe('cached')
    change(found)
    expect(await versionOf(found.packageDir)).toBe('compiled')
  })

  test.runIf(isRoot).each<[string, (installed: Installed) => void]>([
    ['when another user owns the whole package', ({ packageDir }) => giveTo(ordinary, packageDir)],
    [
      'when another user owns the package directory',
      ({ packageDir }) => chownSync(packageDir, ordinary, ordinary),
    ],
    ['when another user owns the cache directory', ({ cache }) => chownSync(cache, ordinary, ordinary)],
    ['when another user owns the build directory', ({ build }) => chownSync(build, ordinary, ordinary)],
    ['when another user owns the cache file', ({ file }) => chownSync(file, ordinary, ordinary)],
  ])('%s', async (_, change) => {
    const found = installed()
    change(found)
    expect(await versionOf(found.packageDir)).toBe('compiled')
  })

  test.runIf(hasSetpriv)('for an ordinary user who owns only the cache file', async () => {
    const { packageDir, file } = installed()
    chownSync(file, ordinary, ordinary)
    expect(await versionOf(packageDir, {}, asOrdinary)).toBe('compiled')
  })
})

describe.runIf(hasSetpriv)('cache warm as an ordinary user', () => {
  const warm = (packageDir: string) => {
    const [command = '', ...words] = [
      ...asOrdinary,
      node,
      join(packageDir, 'bin/meetroom.js'),
      'cache',
      'warm',
    ]
    return runCommand(command, words, {})
  }

  test('exits 2 when root owns the program', async () => {
    const { packageDir } = installed()
    expect(await warm(packageDir)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${packageDir} belongs to another user (0)\nhint: run this as the user who installed the program\n`,
    })
  })

  test('exits 2 when the package is read-only', async () => {
    const { packageDir, cache } = installed()
    rmSync(cache, { recursive: true })
    giveTo(ordinary, packageDir)
    chmodSync(packageDir, 0o555)
    expect(await warm(packageDir)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${cache} cannot be written: permission denied\nhint: run this where the program is installed, such as in the Dockerfile of an image\n`,
    })
  })
})

describe.runIf(hasNamespaces)('in a read-only container', () => {
  /** Runs meetroom of a warmed image. */
  function run(options: string, line: string): Promise<Finished> {
    const { packageDir } = installed()
    const words = [
      '--read-only',
      ...options.split(' ').filter(Boolean),
      'meetroom',
      'meetroom',
      ...line.split(' '),
    ]
    const bin = programsIn(join(packageDir, '../image'), {
      meetroom: 'exec /mnt/node --require=/mnt/meetroom/reporter.cjs /mnt/meetroom/bin/meetroom.js "$@"',
    })
    cpSync(join(shared, 'reporter.cjs'), join(packageDir, 'reporter.cjs'))
    const root = join(packageDir, '../root')
    mkdirSync(root)
    const [command, ...rest] = inContainer(readDockerRun(words, {}), bin, root, packageDir)
    return runCommand(command, rest, {})
  }

  test('a command uses the warmed cache when its user has no account', async () => {
    expect(await run(`--user ${ordinary}:${ordinary}`, '--version')).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: 'cached\n',
    })
  })

  test('cache warm exits 2', async () => {
    expect(await run('', 'cache warm')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'error: /mnt/meetroom/cache cannot be written: the file system is read-only\n',
      ),
    })
  })
})
