import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../src/version.ts'
import { launcher, node, runBuilt } from '../helpers/built.ts'
import { runCommand } from '../helpers/command.ts'
import { runHere } from '../helpers/run-here.ts'
import { tempDir } from '../helpers/world.ts'
import { notice } from '../suites/size.ts'

const fine = { code: 0, stdout: `${version}\n`, stderr: '' }
const isRoot = process.getuid?.() === 0
const ordinary = 12345
const asOrdinary = ['setpriv', `--reuid=${ordinary}`, `--regid=${ordinary}`, '--clear-groups']
const canBecome = isRoot && spawnSync('setpriv', [...asOrdinary.slice(1), node, '--version']).status === 0
if (!canBecome) notice('launcher', 'ordinary users: no root, no setpriv, or a Node that only root can run')

const templates = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
const installation = join(templates, 'installed')
/** Launcher of a fast program that only prints the version. */
const small = join(installation, 'bin/meetroom.js')
/** Directories of caches, by launcher. */
const primed = { [small]: join(templates, 'small'), [launcher]: join(templates, 'whole') }

function createUser(program = small) {
  const dir = tempDir()
  const builds = join(dir, 'cache/meetroom')
  const env = {
    XDG_CACHE_HOME: join(dir, 'cache'),
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_DATA_DIR: join(dir, 'data'),
  }
  const listed = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : [])
  return {
    env,
    builds,
    run: (line: string) => runCommand(node, [program, ...line.split(' ').filter(Boolean)], env),
    listBuilds: () => listed(builds),
    folder: () => join(builds, listed(builds)[0] ?? ''),
    caches: () => listed(join(builds, listed(builds)[0] ?? '')),
  }
}

async function createPrimedUser(program = small) {
  const ada = createUser(program)
  cpSync(join(primed[program] ?? '', 'meetroom'), ada.builds, { recursive: true })
  return { ...ada, file: join(ada.folder(), 'version.meetroom.js') }
}

beforeAll(async () => {
  chmodSync(templates, 0o755)
  install('small', `async () => console.log(${JSON.stringify(version)}) ?? 0`, installation)
  writeFileSync(join(installation, 'reporter.cjs'), reporter, { mode: 0o644 })
  expect(await runInstalled(join(templates, 'small'))).toBe('compiled')
  expect(await runInstalled(join(templates, 'small'))).toBe('cached')
  expect(await runBuilt(['version'], { XDG_CACHE_HOME: join(templates, 'whole') })).toEqual(fine)
}, 60_000)
afterAll(() => rmSync(templates, { recursive: true }))

function install(id: string, main: string, dir = tempDir()): string {
  cpSync('bin', join(dir, 'bin'), { recursive: true })
  mkdirSync(join(dir, 'dist'))
  const text = `({ './meetroom.js/meetroom.js': (exports) => { exports.main = ${main} } })`
  writeFileSync(join(dir, 'dist/meetroom.js'), text)
  writeFileSync(join(dir, 'dist/build.json'), JSON.stringify({ id, version, words: ['version', 'help'] }))
  return join(dir, 'bin/meetroom.js')
}

const inode = (file: string) => statSync(file).ino

test('the launcher of a checkout without a build exits 1 and names the command that builds', async () => {
  const dir = tempDir()
  cpSync('bin', join(dir, 'bin'), { recursive: true })
  expect(await runCommand(node, [join(dir, 'bin/meetroom.js'), '--version'], {})).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: ${dir} is a checkout that is not built\nhint: run there: npm ci\n`,
  })
})

test('the launcher writes an owner-only code cache on the first run only', async () => {
  const { run, folder, caches, file } = await createPrimedUser()
  const made = [primed[small] ?? '', 'meetroom', basename(folder()), 'version.meetroom.js']
  const modes = [2, 3, 4].map((depth) => statSync(join(...made.slice(0, depth))).mode & 0o777)
  expect(modes).toEqual([0o700, 0o700, 0o600])
  const before = inode(file)
  for (let i = 0; i < 2; i++) expect(await run('version')).toEqual(fine)
  expect(inode(file)).toBe(before)
  expect(caches()).toEqual(['version.meetroom.js'])
})

test.each([
  ['config get output', 0, ['config-get']],
  ['--local -o csv room ls', 0, ['local-csv-room-ls', 'local-csv-room-ls.embedded']],
  ['__complete fish meetroom', 0, ['__complete']],
  ['', 0, ['']],
  ['rooms list --json --help', 0, ['rooms-list-json-help']],
  ['help lists', 0, ['help', 'help.help']],
  ['rooms lst', 2, ['rooms']],
  ['rooms list --base-url http://127.0.0.1:9/v1 --retries 0', 4, ['rooms-list']],
  // The name of a cache contains no secret.
  ['rooms get sk-live-0123456789 --profile list --output=key-0123456789', 2, ['rooms-get-profile-list']],
])('“meetroom %s” exits %i and writes the code caches %j', async (line, code, names) => {
  const { run, caches } = createUser(launcher)
  expect(await run(line)).toMatchObject({ code })
  const files = names.map((name) => `${name}${name.includes('.') ? '' : '.meetroom'}.js`)
  expect(caches()).toEqual(files.sort())
})

test.each(['--version', '-V'])('meetroom %s prints the version and writes no code cache', async (flag) => {
  const { run, listBuilds } = createUser(launcher)
  expect(await run(flag)).toEqual(fine)
  expect(listBuilds()).toEqual([])
})

test('the launcher rewrites an incomplete code cache only after an hour', async () => {
  const { env, run, folder } = createUser(launcher)
  const list = async () => {
    expect(await run('--local rooms list')).toMatchObject({ code: 0 })
    return inode(join(folder(), 'local-rooms-list.meetroom.js'))
  }
  const madeAnHourAgo = () => {
    const path = join(folder(), 'local-rooms-list.meetroom.js')
    utimesSync(path, new Date(), new Date(Date.now() - 3_601_000))
  }
  // Without rooms, the program lays out no table, so the cache lacks the code for tables.
  const empty = await list()
  expect(await list()).toBe(empty)
  await runHere('--local rooms create --name first --type open'.split(' '), { env })
  expect(await list()).toBe(empty)
  madeAnHourAgo()
  const full = await list()
  expect(full).not.toBe(empty)
  madeAnHourAgo()
  expect(await list()).toBe(full)
})

test('four concurrent first runs of meetroom version write one code cache', async () => {
  const { run, caches } = createUser()
  expect(await Promise.all([1, 2, 3, 4].map(() => run('version')))).toEqual([fine, fine, fine, fine])
  expect(caches()).toEqual(['version.meetroom.js'])
})

describe('replaced code caches', () => {
  test.each([
    ['is empty', () => Buffer.alloc(0)],
    ['is truncated to half of its size', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ['contains only zero bytes', (whole: Buffer) => Buffer.alloc(whole.length)],
    ['contains invalid data', () => Buffer.from('abcdabcd')],
    [
      'has one flipped bit',
      (whole: Buffer) => {
        whole.writeUInt8(whole.readUInt8(whole.length / 4) ^ 1, whole.length / 4)
        return whole
      },
    ],
  ])('the launcher replaces a code cache that %s', async (_, damage) => {
    const { run, file } = await createPrimedUser(launcher)
    const { size } = statSync(file)
    writeFileSync(file, damage(readFileSync(file)))
    const before = inode(file)
    expect(await run('version')).toEqual(fine)
    expect(inode(file)).not.toBe(before)
    expect(statSync(file).size).toBeGreaterThan(size / 2)
  })
})

test.each([
  ['keeps a directory', false, (file: string) => mkdirSync(join(file, 'full'), { recursive: true })],
  ['replaces a named pipe without a writer', true, (file: string) => execFileSync('mkfifo', [file])],
])('meetroom version succeeds and %s at the path of the cache file', async (_, isReplaced, put) => {
  const { run, file } = await createPrimedUser()
  rmSync(file)
  put(file)
  expect(await run('version')).toEqual(fine)
  expect(statSync(file).isFile()).toBe(isReplaced)
})

test('the launcher exits 70 if the promise of the program never settles', async () => {
  const forever = install('forever', '() => new Promise(() => {})')
  expect(await runCommand(node, [forever], { XDG_CACHE_HOME: '' })).toMatchObject({ code: 70 })
})

/** Script that reports whether the launcher loads a code cache. */
const reporter = `
const vm = require('node:vm')
const { Script } = vm
vm.Script = class extends Script {
  constructor(code, options) {
    super(code, options)
    require('node:fs').writeSync(2, options.cachedData ? 'cached' : 'compiled')
  }
}`

async function runInstalled(dir: string, as: readonly string[] = []): Promise<string> {
  const env = { XDG_CACHE_HOME: dir, NODE_OPTIONS: `--require=${join(installation, 'reporter.cjs')}` }
  const [command = '', ...words] = [...as, node, small, 'version']
  // Node resolves --require in the working directory, which the ordinary user may not read.
  const { code, stdout, stderr } = await runCommand(command, words, env, '', { cwd: installation })
  expect({ code, stdout }).toEqual({ code: 0, stdout: fine.stdout })
  return stderr
}

async function installed() {
  const dir = tempDir()
  chmodSync(dir, 0o755)
  cpSync(join(templates, 'small'), dir, { recursive: true })
  const run = (as?: readonly string[]) => runInstalled(dir, as)
  const builds = join(dir, 'meetroom')
  const build = join(builds, readdirSync(builds)[0] ?? '')
  return { run, builds, build, file: join(build, 'version.meetroom.js') }
}

type Installed = Awaited<ReturnType<typeof installed>>

describe.skipIf(process.platform === 'win32')('ignored code caches', () => {
  const linked = (path: string) => {
    renameSync(path, `${path}-moved`)
    symlinkSync(`${path}-moved`, path)
  }
  test.each<[string, boolean, (installed: Installed) => void]>([
    ['that is world-writable', true, ({ file }) => chmodSync(file, 0o606)],
    ['that is a symbolic link', true, ({ file }) => linked(file)],
    ['in a group-writable build directory', false, ({ build }) => chmodSync(build, 0o770)],
    ['in a world-writable cache directory', false, ({ builds }) => chmodSync(builds, 0o707)],
    ['in a build directory that is a symbolic link', false, ({ build }) => linked(build)],
  ])('the launcher ignores a code cache %s', async (_, isReplaced, change) => {
    const found = await installed()
    change(found)
    const before = inode(found.file)
    expect(await found.run()).toBe('compiled')
    expect(inode(found.file) !== before).toBe(isReplaced)
    if (isReplaced) expect(lstatSync(found.file).mode & 0o777).toBe(0o600)
  })

  test.runIf(isRoot).each<[string, (installed: Installed) => string]>([
    ['owned by another account', ({ file }) => file],
    ['in a build directory owned by another account', ({ build }) => build],
    ['in a cache directory owned by another account', ({ builds }) => builds],
  ])('the launcher ignores a code cache %s', async (_, path) => {
    const found = await installed()
    chownSync(path(found), ordinary, ordinary)
    expect(await found.run()).toBe('compiled')
  })
})

test.runIf(canBecome)(
  'the launcher loads the code cache of root for other accounts only with file mode 0644',
  async () => {
    const { run, builds, build, file } = await installed()
    for (const path of [builds, build]) chmodSync(path, 0o755)
    chmodSync(join(builds, '..'), 0o755)
    expect(await run(asOrdinary)).toBe('compiled')
    chmodSync(file, 0o644)
    const before = inode(file)
    expect(await run(asOrdinary)).toBe('cached')
    expect(inode(file)).toBe(before)
    chmodSync(file, 0o646)
    expect(await run(asOrdinary)).toBe('compiled')
  },
)

test.each([
  ['no home directory', { XDG_CACHE_HOME: '' }],
  ['a cache directory that cannot be created', { XDG_CACHE_HOME: '/dev/null' }],
  ['a cache directory on a file system that refuses new files', { XDG_CACHE_HOME: '/proc' }],
])('meetroom version succeeds with %s', async (_, env) => {
  expect(await runCommand(node, [small, 'version'], env)).toEqual(fine)
})

// Root can write to read-only directories.
test.skipIf(isRoot)('meetroom version succeeds with a read-only cache directory', async () => {
  const { run, folder, file, caches } = await createPrimedUser()
  rmSync(file)
  chmodSync(folder(), 0o500)
  expect(await run('version')).toEqual(fine)
  expect(caches()).toEqual([])
})

describe('size limit of the caches', () => {
  const put = (builds: string, name: string, daysAgo: number) => {
    const path = join(builds, name)
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(path, '')
    truncateSync(path, 20_000_000)
    utimesSync(path, new Date(Date.now() - daysAgo * 86_400_000), new Date())
  }

  test('the launcher deletes the least recently used caches if the total size exceeds 60 MB', async () => {
    const { run, builds, listBuilds } = await createPrimedUser()
    put(builds, 'v20.0.0-x64-a/rooms-list', 3)
    put(builds, 'v20.0.0-x64-b/rooms-list', 2)
    put(builds, 'v20.0.0-x64-b/rooms-get', 4)
    put(builds, 'v22.0.0-x64-c/rooms-list', 1)
    put(builds, 'other/file', 9)
    await run('--help')
    expect(listBuilds()).toHaveLength(4)
    expect(listBuilds()).not.toContain('v20.0.0-x64-a')
    expect(readdirSync(join(builds, 'v20.0.0-x64-b'))).toEqual(['rooms-list'])
  })

  test('the launcher keeps a recently used cache if the total size exceeds 60 MB', async () => {
    const { run, builds, file } = await createPrimedUser()
    utimesSync(file, new Date(Date.now() - 9 * 86_400_000), new Date())
    put(builds, 'v20.0.0-x64-a/rooms-list', 3)
    put(builds, 'v20.0.0-x64-a/rooms-get', 2)
    put(builds, 'v20.0.0-x64-a/users-list', 1)
    expect(await run('version')).toEqual(fine)
    await run('--help')
    expect(existsSync(file)).toBe(true)
    expect(readdirSync(join(builds, 'v20.0.0-x64-a'))).toEqual(['rooms-get', 'users-list'])
  })
})
