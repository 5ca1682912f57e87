import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/version.ts'
import { node, runBuilt } from '../helpers/built.ts'
import { runCommand } from '../helpers/command.ts'
import { tempDir } from '../helpers/world.ts'

const fine = { code: 0, stdout: `${version}\n`, stderr: '' }

/** A user of a machine: runs commands, and looks at the caches that they leave. */
function user() {
  const dir = tempDir()
  const builds = join(dir, 'cache/meetroom')
  const env = {
    XDG_CACHE_HOME: join(dir, 'cache'),
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_DATA_DIR: join(dir, 'data'),
  }
  const listed = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : [])
  return {
    builds,
    run: (line: string) => runBuilt(line.split(' ').filter(Boolean), env),
    listBuilds: () => listed(builds),
    folder: () => join(builds, listed(builds)[0] ?? ''),
    caches: () => listed(join(builds, listed(builds)[0] ?? '')),
  }
}

/** A user who has run `meetroom --version`, and so has its cache. */
async function primed() {
  const ada = user()
  expect(await ada.run('--version')).toEqual(fine)
  return { ...ada, file: join(ada.folder(), 'version') }
}

const inode = (file: string) => statSync(file).ino

test('the first run writes a code cache with owner-only access, and the second run does not rewrite it', async () => {
  const { run, builds, folder, caches, file } = await primed()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder()).mode & 0o777).toBe(0o700)
  expect(statSync(builds).mode & 0o777).toBe(0o700)
  const before = inode(file)
  expect(await run('--version')).toEqual(fine)
  expect(inode(file)).toBe(before)
  expect(caches()).toEqual(['version'])
})

test.each([
  ['--version', 'version'],
  ['-V', 'version'],
  ['openapi', 'openapi'],
  ['config get output', 'config-get'],
  ['--local rooms list', 'rooms-list-local'],
  ['--local -o csv room ls', 'rooms-list-csv-local'],
  ['rooms list --json --local', 'rooms-list-json-local'],
  ['--profile local rooms list --output=ids', 'rooms-list-ids'],
  ['--local users create ada', 'users-create-local'],
  ['__complete fish meetroom', '__complete'],
  ['', 'help'],
  ['--help', 'help'],
  ['room -h', 'rooms-help'],
  ['rooms list --json --help', 'rooms-help'],
  ['serve --help', 'serve-help'],
])('the command “meetroom %s” writes the cache %s', async (line, name) => {
  const { run, caches } = user()
  expect(await run(line)).toMatchObject({ code: 0 })
  expect(caches()).toEqual([name])
})

test.each([
  'help',
  'help rooms',
  'rooms',
  'rooms lst',
  'romos list',
  'rooms list',
  '--local rooms get 0123456789abcdef01234567',
  'rooms list --base-url http://127.0.0.1:9/v1 --retries 0',
])('the command “meetroom %s” prints help or an error and writes no cache', async (line) => {
  const { run, listBuilds } = user()
  await run(line)
  expect(listBuilds()).toEqual([])
})

test('meetroom help reads the cache of another command and does not change it', async () => {
  const { run, caches, file } = await primed()
  const before = inode(file)
  expect(await run('help rooms')).toMatchObject({ code: 0, stderr: '' })
  expect(caches()).toEqual(['version'])
  expect(inode(file)).toBe(before)
})

describe('an incomplete code cache is rewritten', () => {
  /** Lists rooms, and says which cache it leaves. */
  function lister() {
    const { run, folder } = user()
    const file = () => join(folder(), 'rooms-list-local')
    return {
      run,
      file,
      async list(flags = '') {
        expect(await run(`--local rooms list ${flags}`)).toMatchObject({ code: 0 })
        return inode(file())
      },
    }
  }

  test('by a command that loads another file of the program', async () => {
    const { list } = lister()
    const shown = await list('--curl')
    const asked = await list()
    expect(asked).not.toBe(shown)
    expect(await list('--curl')).toBe(asked)
  })

  test('by a command that compiles much more code, if the interval for cache checks has passed', async () => {
    const { run, list, file } = lister()
    // Without rooms there is no table to lay out.
    const empty = await list()
    await run('--local rooms create --name first --type open')
    const { size } = statSync(file())
    const { made } = JSON.parse(readFileSync(file(), 'latin1').split('\n')[0] ?? '')
    const lookedAt = (ms: number) => utimesSync(file(), ms / 1000, ms / 1000)
    lookedAt(Date.now() + 3_600_000)
    expect(await list()).toBe(empty)
    lookedAt(made + 1)
    const full = await list()
    expect(full).not.toBe(empty)
    expect(statSync(file()).size).toBeGreaterThan(size)
    // This time there is nothing to gain: the next look is put off.
    lookedAt(made + 1)
    expect(await list()).toBe(full)
    expect(Date.now() - statSync(file()).mtimeMs).toBeLessThan(60_000)
  })
})

test('four concurrent first runs all succeed and write one cache', async () => {
  const { run, caches } = user()
  expect(await Promise.all([1, 2, 3, 4].map(() => run('--version')))).toEqual([fine, fine, fine, fine])
  expect(caches()).toEqual(['version'])
})

describe('the launcher replaces a code cache that', () => {
  const twice = (text: string) => Buffer.from(text + text)
  test.each([
    ['is empty', () => Buffer.alloc(0)],
    ['ends after 1000 bytes', (whole: Buffer) => whole.subarray(0, 1000)],
    ['ends after half of its bytes', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    ['has one additional byte', (whole: Buffer) => Buffer.concat([whole, Buffer.alloc(1)])],
    ['contains only zero bytes', (whole: Buffer) => Buffer.alloc(whole.length)],
    ['contains a shell command', () => Buffer.from('rm -rf /')],
    ['contains a shell command twice', () => twice('rm -rf /')],
    ['has a header without code', () => twice('{"made":0,"lengths":{"meetroom.js":1000}}\n')],
    ['has an empty header', () => twice('{}\n')],
    ['has invalid code', () => twice('{"made":0,"lengths":{"meetroom.js":4}}\nabcd')],
  ])('%s', async (_, damage) => {
    const { run, file } = await primed()
    const whole = readFileSync(file)
    writeFileSync(file, damage(whole))
    expect(await run('--version')).toEqual(fine)
    expect(statSync(file).size).toBeGreaterThan(whole.length / 2)
  })
})

test.each([
  ['a directory', (file: string) => mkdirSync(join(file, 'full'), { recursive: true })],
  ['a pipe without a writer', (file: string) => execFileSync('mkfifo', [file])],
])('meetroom --version succeeds with %s in place of the cache file', async (_, put) => {
  const { run, caches, file } = await primed()
  rmSync(file)
  put(file)
  expect(await run('--version')).toEqual(fine)
  expect(await run('help rooms')).toMatchObject({ code: 0, stderr: '' })
  expect(caches()).toEqual(['version'])
})

test('the launcher exits 70 when the program never finishes', async () => {
  const dir = tempDir()
  cpSync('bin', join(dir, 'bin'), { recursive: true })
  mkdirSync(join(dir, 'dist'))
  const text = "({ './meetroom.js': (exports) => { exports.start = () => new Promise(() => {}) } })"
  writeFileSync(join(dir, 'dist/meetroom.js'), text)
  writeFileSync(join(dir, 'dist/build.json'), '{"id":"forever","commands":{}}')
  expect(await runCommand(node, [join(dir, 'bin/meetroom.js')], {})).toMatchObject({ code: 70 })
})

test('a cache file that other users can write to is replaced without being read', async () => {
  const { run, file } = await primed()
  chmodSync(file, 0o666)
  const before = inode(file)
  expect(await run('--version')).toEqual(fine)
  expect(inode(file)).not.toBe(before)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a cache file in a directory that other users can write to is neither read nor written', async () => {
  const { run, folder, file } = await primed()
  chmodSync(folder(), 0o777)
  const before = inode(file)
  expect(await run('--version')).toEqual(fine)
  expect(inode(file)).toBe(before)
})

test.each([
  ['no home directory', { XDG_CACHE_HOME: '' }],
  ['a cache directory that cannot be created', { XDG_CACHE_HOME: '/dev/null' }],
  ['a cache directory on a file system that refuses new files', { XDG_CACHE_HOME: '/proc' }],
])('meetroom --version succeeds with %s', async (_, env) => {
  expect(await runBuilt(['--version'], env)).toEqual(fine)
})

// Nothing is read-only to root.
test.skipIf(process.getuid?.() === 0)(
  'meetroom --version succeeds with a read-only cache directory',
  async () => {
    const { run, folder, file, caches } = await primed()
    rmSync(file)
    chmodSync(folder(), 0o500)
    expect(await run('--version')).toEqual(fine)
    expect(caches()).toEqual([])
  },
)

describe('caches of other builds', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

  test('are removed after 30 days without use when a new cache is written', async () => {
    const { run, builds, listBuilds } = user()
    for (const [name, days] of [
      ['v20.0.0-x64-old', 31],
      ['v20.0.0-x64-recent', 29],
      ['something-else', 31],
    ] as const) {
      mkdirSync(join(builds, name), { recursive: true, mode: 0o700 })
      writeFileSync(join(builds, name, 'version'), '')
      utimesSync(join(builds, name), daysAgo(days), daysAgo(days))
    }
    chmodSync(builds, 0o700)
    expect(await run('--version')).toEqual(fine)
    expect(listBuilds()).not.toContain('v20.0.0-x64-old')
    expect(listBuilds()).toEqual(expect.arrayContaining(['something-else', 'v20.0.0-x64-recent']))
  })

  test('are kept while they are in use, and a use updates the directory time at most once a day', async () => {
    const { run, folder } = await primed()
    utimesSync(folder(), daysAgo(29), daysAgo(29))
    expect(await run('--version')).toEqual(fine)
    const marked = statSync(folder()).mtimeMs
    expect(Date.now() - marked).toBeLessThan(60_000)
    expect(await run('--version')).toEqual(fine)
    expect(statSync(folder()).mtimeMs).toBe(marked)
  })
})
