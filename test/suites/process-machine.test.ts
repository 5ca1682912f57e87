import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/version.ts'
import { launcher, node, runBuilt } from '../helpers/built.ts'
import { runCommand } from '../helpers/command.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { homes } from '../helpers/serving.ts'
import { fillDisk, mountDisk } from '../helpers/small-disk.ts'
import { tempDir } from '../helpers/world.ts'
import { counted, full, notice, share, sized } from './size.ts'

const count = counted('process (machine)')
const run = (line: string, env: Record<string, string>, stdin?: string) => {
  count.add('commands')
  return runBuilt(line.split(' '), env, stdin)
}

async function served(): Promise<
  ReturnType<typeof homes> & { MEETROOM_BASE_URL: string; MEETROOM_API_KEY: string }
> {
  const { baseUrl, apiKey } = await serveHere()
  return { ...homes(), MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: apiKey }
}

describe('a deleted working directory', () => {
  const inNoFolder = (line: string, env: Record<string, string>) => {
    count.add('commands')
    const script = `d=$(mktemp -d); cd "$d"; rmdir "$d"; exec "${node}" "${launcher}" ${line}`
    return runCommand('sh', ['-c', script], env)
  }

  const lines = ['--version', '--help', 'config path', 'config set timeout 5', '--local rooms list --json']
  test.each(share(lines, 0, 4))('meetroom %s exits 0 in a deleted working directory', async (line) => {
    const { code, stderr } = await inNoFolder(line, homes())
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test.each(['--local users import users.csv', 'serve --port 0 --data-dir data'])(
    'meetroom %s exits 2 in a deleted working directory',
    async (line) => {
      expect(await inNoFolder(line, homes())).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: the current directory no longer exists\nhint: change to a directory that exists\n',
      })
    },
  )
})

describe('a missing directory for temporary files', () => {
  const nowhere = async () => ({ ...(await served()), TMPDIR: join(tempDir(), 'missing') })

  test('users import of a small stdin succeeds if TMPDIR does not exist', async () => {
    expect(await run('users import - --input-format csv', await nowhere(), 'user_id\nada\n')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('imported 1 of 1 user'),
    })
  })

  test.each([
    ['users import - --input-format csv', 'standard input', `user_id,name\nada,${'a'.repeat(2 ** 21)}\n`],
    ['serve --ephemeral --port 0', 'the API key', ''],
  ])('meetroom %s exits 74 if TMPDIR does not exist', async (line, what, stdin) => {
    const env = await nowhere()
    expect(await run(line, env, stdin)).toEqual({
      code: 74,
      stdout: '',
      stderr: `error: ${what} cannot be stored in ${env.TMPDIR}: no such directory\nhint: choose another directory with TMPDIR\n`,
    })
  })
})

describe('a low limit on open files', () => {
  const withFew = (line: string, env: Record<string, string>) => {
    count.add('commands')
    return runCommand('sh', ['-c', `ulimit -n 24; exec "${node}" "${launcher}" ${line}`], env)
  }

  const lines = [
    '--local rooms list',
    '--local rooms create --name a --type open',
    '--local users import /dev/null --input-format ndjson --no-journal',
    'serve --port 0',
  ]
  test.each(share(lines, 1, 2))('meetroom %s exits 74 with a low limit on open files', async (line) => {
    expect(await withFew(line, homes())).toEqual({
      code: 74,
      stdout: '',
      stderr: expect.stringMatching(
        /^(.* has no rows; nothing to import\n)?error: too many open files: the limit is reached\nhint: raise the limit with: ulimit -n 4096\n$/,
      ),
    })
  })

  test('rooms list and config set succeed with a low limit on open files', async () => {
    const env = await served()
    for (const line of ['rooms list -o ids', 'config set timeout 5'])
      expect(await withFew(line, env)).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

const writers = sized(3, 50)

test(`${writers} concurrent auth login commands store their profiles or exit 74`, {
  timeout: 300_000,
}, async () => {
  const { MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: key, ...env } = await served()
  const names = Array.from({ length: writers }, (_, i) => `p${i}`)
  const logins = await Promise.all(
    names.map((name) =>
      runBuilt(['auth', 'login', '--with-token', '--profile', name, '--base-url', baseUrl], env, key, {
        patienceMs: 200_000,
      }),
    ),
  )
  const said = logins.map(({ code, stderr }, i) => ({ name: names[i], code, stderr }))
  const stored = said.filter(({ code }) => code === 0)
  // On a busy machine, a login may fail, because it does not get the lock within five seconds.
  const dir = env.MEETROOM_CONFIG_DIR
  for (const { code, stderr } of said.filter(({ code }) => code !== 0))
    expect({ code, stderr }).toEqual({
      code: 74,
      stderr: expect.stringMatching(
        /^error: the settings in .* are in use \(process \d+\); nothing was stored\nhint: /,
      ),
    })
  for (const { name, stderr } of stored)
    expect(stderr).toMatch(
      new RegExp(`^logged in to ${new URL(baseUrl).origin} as profile ${name}\nkey fingerprint .*\n$`),
    )
  const { profiles } = JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8'))
  expect(Object.keys(profiles).sort()).toEqual(stored.map(({ name }) => name).sort())
  expect(stored.length).toBeGreaterThan(writers / 2)
  expect(readdirSync(dir)).toEqual(['config.json'])
  count.add('settings written at once', writers)
})

const fine = { code: 0, stdout: `${version}\n`, stderr: '' }

describe('a home directory', () => {
  test.each([
    ['is not set', undefined],
    ['is empty', ''],
    ['is not a directory', '/dev/null'],
    ['cannot be created', '/proc/nowhere'],
  ])('rooms list exits 0 if the home directory %s', async (_, HOME) => {
    const { HOME: _home, ...env } = await served()
    const homeless = HOME === undefined ? env : { ...env, HOME }
    if (full) expect(await run('--version', homeless)).toEqual(fine)
    expect(await run('rooms list -o ids', homeless)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('config set exits 74 if the home directory is read-only', async ({ skip }) => {
    const { MEETROOM_CONFIG_DIR: _config, MEETROOM_DATA_DIR: _data, ...env } = await served()
    if (!mountDisk(env.HOME, 'ro')) return skip('mounting a read-only disk requires more rights')
    expect(await run('--version', env)).toEqual(fine)
    expect(await run('rooms list -o ids', env)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await run('config set timeout 5', env)).toEqual({
      code: 74,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: the settings cannot be stored in .*\/meetroom: (the file system is read-only|no such directory)\nhint: choose another directory with MEETROOM_CONFIG_DIR\n$/,
      ),
    })
    for (const line of share(['--local rooms list', 'serve --port 0'], 1, 2))
      expect(await run(line, env)).toEqual({
        code: 74,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: the local workspace in .* cannot be opened: (the file system is read-only|no such directory)\nhint: .*\n$/,
        ),
      })
  })
})

describe('a full disk', () => {
  const testOnDisk = (name: string, work: (user: ReturnType<typeof onDisk>) => Promise<void>) =>
    test(name, async ({ skip }) => {
      const env = await served()
      const disk = join(env.HOME, 'disk')
      if (mountDisk(disk)) return work(onDisk(disk, env))
      notice('process', 'full disks: mounting a small disk requires more rights')
      skip()
    })
  const onDisk = (disk: string, env: Awaited<ReturnType<typeof served>>) => ({
    disk,
    env: { ...env, HOME: disk, MEETROOM_CONFIG_DIR: join(disk, 'config'), TMPDIR: disk },
    fill: () => fillDisk(join(disk, 'ballast')),
  })

  testOnDisk(
    'config set exits 74 on a full disk and keeps the settings file',
    async ({ disk, env, fill }) => {
      const file = join(disk, 'config/config.json')
      const before = '{"timeout":5}'
      mkdirSync(join(disk, 'config'))
      writeFileSync(file, before, { mode: 0o600 })
      fill()
      expect(await run('config set timeout 6', env)).toEqual({
        code: 74,
        stdout: '',
        stderr:
          `error: the settings cannot be stored in ${join(disk, 'config')}: no space left on the disk\n` +
          'hint: choose another directory with MEETROOM_CONFIG_DIR\n',
      })
      expect(readFileSync(file, 'utf8')).toBe(before)
      expect(readdirSync(join(disk, 'config'))).toEqual(['config.json'])
    },
  )

  testOnDisk(
    'users import exits 74 before the first write if its journal is on a full disk',
    async ({ disk, env, fill }) => {
      writeFileSync(join(disk, 'users.csv'), 'user_id\nada\n')
      fill()
      const { code, stdout, stderr } = await run(`users import ${join(disk, 'users.csv')}`, env)
      expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
      expect(stderr).toMatch(
        /^error: the journal .*cannot be written: no space left on the disk\nhint: choose another file with --journal FILE, or pass --no-journal\n/m,
      )
      expect(await run('users list -o ids', env)).toMatchObject({ stdout: '' })
    },
  )

  testOnDisk(
    'users import exits 74 if stdin cannot be buffered on a full disk',
    async ({ disk, env, fill }) => {
      fill()
      const { code, stdout, stderr } = await run(
        'users import - --input-format csv --no-journal',
        env,
        `user_id,name\nada,${'a'.repeat(2 ** 21)}\n`,
      )
      expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
      expect(stderr).toBe(
        `error: standard input cannot be stored in ${disk}: no space left on the disk\nhint: choose another directory with TMPDIR\n`,
      )
      expect(readdirSync(disk)).toEqual(['ballast'])
    },
  )

  testOnDisk('openapi exits 74 if its output file is on a full disk', async ({ disk, env, fill }) => {
    fill()
    count.add('commands')
    expect(
      await runCommand('sh', ['-c', `"${node}" "${launcher}" openapi > "${join(disk, 'api.json')}"`], env),
    ).toEqual({
      code: 74,
      stdout: '',
      stderr: 'error: the output cannot be written: no space left on the disk\n',
    })
  })

  testOnDisk('meetroom version exits 0 if the code cache is on a full disk', async ({ disk, env, fill }) => {
    fill()
    for (let i = 0; i < 2; i++)
      expect(await run('version', { ...env, XDG_CACHE_HOME: join(disk, 'cache') })).toEqual(fine)
  })
})

/** Fraction from 0 to 1; fc.double prefers values near 0. */
const place = fc.nat({ max: 1_000_000 }).map((n) => n / 1_000_000)

/** Damage that disks and crashes cause. */
const damage = fc.oneof(
  fc.record({
    kind: fc.constant('flip' as const),
    at: place,
    bit: fc.integer({ min: 0, max: 7 }),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({
    kind: fc.constant('zeros' as const),
    at: place,
    length: fc.integer({ min: 1, max: 8192 }),
  }),
)

test('meetroom version prints the version despite a damaged code cache', {
  timeout: 900_000,
}, async () => {
  const dir = tempDir()
  const env = { XDG_CACHE_HOME: join(dir, 'cache') }
  await run('version', env)
  const [build = ''] = readdirSync(join(dir, 'cache/meetroom'))
  const file = join(dir, 'cache/meetroom', build, 'version.meetroom.js')
  await fc.assert(
    fc.asyncProperty(damage, async (damage) => {
      const bytes = readFileSync(file)
      const at = Math.floor(damage.at * (bytes.length - 1))
      if (damage.kind === 'flip') bytes[at] = (bytes[at] ?? 0) ^ (1 << damage.bit)
      if (damage.kind === 'zeros') bytes.fill(0, at, Math.min(at + damage.length, bytes.length))
      writeFileSync(file, damage.kind === 'cut' ? bytes.subarray(0, at) : bytes)
      const inode = statSync(file).ino
      expect(await run('version', env)).toEqual(fine)
      if (damage.kind !== 'zeros') expect(statSync(file).ino).not.toBe(inode)
      count.add('damaged caches')
    }),
    { numRuns: sized(2, 500), endOnFailure: true },
  )
})
