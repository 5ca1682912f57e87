import { chmodSync, chownSync, lchownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { lockWorkspace } from '../../src/embedded/running-server.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { baseUrl, createWorld, type World } from '../helpers/world.ts'

const isRoot = process.getuid?.() === 0
const other = 4711

let world: World
let file: string
beforeEach(async () => {
  world = await createWorld()
  file = join(world.dir, 'file')
})

/** Functions that let another user control `file`, and return words of the error. */
const controlledByOthers: Record<string, (content: string) => string> = {
  'belongs to another account': (content) => {
    writeFileSync(file, content, { mode: 0o644 })
    chownSync(file, other, other)
    return `belongs to another account of this machine (uid ${other})`
  },
  'is writable by the group': (content) => {
    writeFileSync(file, content)
    chmodSync(file, 0o660)
    return 'other accounts of this machine can write to '
  },
  'is writable by all accounts': (content) => {
    writeFileSync(file, content)
    chmodSync(file, 0o666)
    return 'other accounts of this machine can write to '
  },
  'is behind a symbolic link of another account': (content) => {
    writeFileSync(join(world.dir, 'mine'), content, { mode: 0o600 })
    symlinkSync(join(world.dir, 'mine'), file)
    lchownSync(file, other, other)
    return `is reached through a symbolic link of another account of this machine: ${file}`
  },
  'is behind the second of two symbolic links of different accounts': (content) => {
    writeFileSync(join(world.dir, 'mine'), content, { mode: 0o600 })
    symlinkSync('mine', join(world.dir, 'theirs'))
    lchownSync(join(world.dir, 'theirs'), other, other)
    symlinkSync('theirs', file)
    return `is reached through a symbolic link of another account of this machine: ${join(world.dir, 'theirs')}`
  },
  'is behind a symbolic link in a directory of another account': (content) => {
    writeFileSync(join(world.dir, 'mine'), content, { mode: 0o600 })
    const folder = join(world.dir, 'folder')
    mkdirSync(folder)
    symlinkSync('../mine', join(folder, 'link'))
    chownSync(folder, other, other)
    file = join(folder, 'link')
    return `is reached through a symbolic link of another account of this machine: ${file}`
  },
  'is in a directory behind a symbolic link of another account': (content) => {
    const folder = join(world.dir, 'folder')
    mkdirSync(folder)
    writeFileSync(join(folder, 'file'), content, { mode: 0o600 })
    symlinkSync(folder, join(world.dir, 'theirs'))
    lchownSync(join(world.dir, 'theirs'), other, other)
    file = join(world.dir, 'theirs/file')
    return `is reached through a symbolic link of another account of this machine: ${join(world.dir, 'theirs')}`
  },
}
const cases = Object.entries(controlledByOthers)

/** Mounts a settings file through symbolic links, as Kubernetes does. */
function mountAsKubernetes(content: string): string {
  const mount = join(world.dir, 'mount')
  mkdirSync(join(mount, '..2026'), { recursive: true })
  writeFileSync(join(mount, '..2026/config.json'), content, { mode: 0o644 })
  symlinkSync('..2026', join(mount, '..data'))
  symlinkSync('..data/config.json', join(mount, 'config.json'))
  // The mount is writable for all users, but belongs to root.
  chmodSync(mount, 0o777)
  return mount
}

describe.runIf(isRoot)('key files that another account controls', () => {
  test.each(cases)('serve --api-key-file refuses a key file that %s', async (_, prepare) => {
    const words = prepare('the-key-of-the-attacker\n')
    const run = await world.run(['serve', '--ephemeral', '--port', '0', '--api-key-file', file])
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
    expect(run.stderr).not.toContain('the-key-of-the-attacker')
  })

  test.each(cases)(
    '--local refuses the key file of a running serve if the key file %s',
    async (_, prepare) => {
      const words = prepare('the-key-of-the-attacker\n')
      const dir = join(world.dir, 'data')
      const lock = await lockWorkspace(dir, { quietly: (load) => load() })
      onTestFinished(() => lock.release())
      lock.publish({ pid: 7, base_url: 'http://127.0.0.1:9/v1', api_key_file: file })
      const run = await world.run('--local users list')
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
      expect(world.requests).toEqual([])
    },
  )

  test('--local refuses a serve.json that other accounts can write to', async () => {
    const dir = join(world.dir, 'data')
    const lock = await lockWorkspace(dir, { quietly: (load) => load() })
    onTestFinished(() => lock.release())
    lock.publish({ pid: 7, base_url: 'http://127.0.0.1:9/v1', api_key_file: join(dir, 'api-key') })
    chmodSync(join(dir, 'serve.json'), 0o666)
    expect(await world.run('--local users list')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `other accounts of this machine can write to ${join(dir, 'serve.json')}\n`,
      ),
    })
    expect(world.requests).toEqual([])
  })

  test('serve --api-key-file creates no key through a dangling symbolic link of another account', async () => {
    symlinkSync(join(world.dir, 'nothing'), file)
    lchownSync(file, other, other)
    const run = await world.run(['serve', '--ephemeral', '--port', '0', '--api-key-file', file])
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a symbolic link of another account'),
    })
  })
})

describe.runIf(isRoot)('a key file in the data directory', () => {
  let dir: string
  let key: string
  beforeEach(async () => {
    expect(await world.run('--local users create ada')).toMatchObject({ code: 0 })
    dir = join(world.dir, 'data')
    key = join(dir, 'api-key')
  })

  test('--local and serve refuse a key file of another account in the data directory', async () => {
    writeFileSync(key, 'the-key-of-the-attacker\n')
    chownSync(key, other, other)
    const words = `error: ${key} belongs to another account of this machine (uid ${other})`
    for (const line of ['--local users list', 'serve --port 0'])
      expect(await world.run(line)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) })
  })

  test('--local refuses a group-writable key file in a private data directory', async () => {
    chmodSync(key, 0o660)
    const run = await world.run('--local users list')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(`error: other accounts of this machine can write to ${key}\n`)
    expect(run.stderr).toContain(`chmod go-w '${key}'\n`)
  })

  test.each([
    ['2770', '660', 0],
    ['777', '666', 0],
    ['2770', '662', 2],
    ['1777', '666', 2],
  ])(
    '--local with a data directory of the mode %s and a key file of the mode %s exits %i',
    async (directory, mode, code) => {
      chmodSync(dir, directory)
      chmodSync(key, mode)
      expect(await world.run('--local users list -o ids')).toMatchObject({ code })
    },
  )

  test('--local prints a warning if the data directory belongs to another account', async () => {
    chownSync(dir, other, other)
    expect(await world.run('--local users list -o ids')).toMatchObject({
      code: 0,
      stdout: 'ada\n',
      stderr: `warning: the data directory ${dir} belongs to another account of this machine (uid ${other})\n`,
    })
  })
})

test('serve reads its key file through symbolic links of the current account', async () => {
  const keyFile = join(mountAsKubernetes('a-key-in-a-secret\n'), 'config.json')
  expect(await serveHere({ keyFile })).toMatchObject({ apiKey: 'a-key-in-a-secret' })
})

describe.runIf(isRoot)('settings that another account controls', () => {
  const env = { MEETROOM_BASE_URL: undefined }
  const content = JSON.stringify({ profiles: { default: { base_url: baseUrl } } })

  test.each(cases)('rooms list and config set exit 2 if the settings file %s', async (_, prepare) => {
    const words = prepare(content)
    const dir = join(world.dir, 'config')
    mkdirSync(dir)
    symlinkSync(file, join(dir, 'config.json'))
    for (const line of ['rooms list', 'config set timeout 5'])
      expect(await world.run(line, { env })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(words),
      })
    expect(world.requests).toEqual([])
  })

  test('rooms list exits 2 if the settings directory belongs to another account', async () => {
    const dir = join(world.dir, 'config')
    mkdirSync(dir)
    chownSync(dir, other, other)
    const kept = join(world.dir, 'package-settings.json')
    writeFileSync(kept, content)
    symlinkSync(kept, join(dir, 'config.json'))
    const run = () => world.run('rooms list', { env })
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('of another account') })
    renameSync(kept, join(dir, 'config.json'))
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `config.json is in a directory of another account of this machine: ${dir}\n`,
      ),
    })
    expect(world.requests).toEqual([])
  })

  test('settings of another account prevent only writes if the key and base URL are in the environment', async () => {
    const dir = join(world.dir, 'config')
    mkdirSync(dir)
    writeFileSync(join(dir, 'config.json'), content)
    chownSync(dir, other, other)
    expect(await world.run('rooms list -o ids')).toMatchObject({ code: 0, stderr: '' })
    expect(await world.run('users create ada')).toMatchObject({ code: 2 })
  })
})

test('config get reads settings through the symbolic links of a Kubernetes mount', async () => {
  const mount = mountAsKubernetes(JSON.stringify({ profiles: { default: { retries: 7 } } }))
  const env = { MEETROOM_CONFIG_DIR: mount, MEETROOM_BASE_URL: undefined }
  expect(await world.run('config get retries', { env, ...(isRoot && { uid: other }) })).toMatchObject({
    code: 0,
    stdout: '7\n',
  })
})

test('rooms list exits 2 if the settings file is a loop of symbolic links', async () => {
  const dir = join(world.dir, 'config')
  mkdirSync(dir)
  symlinkSync('config.json', join(dir, 'config.json'))
  const run = await world.run('rooms list', { env: { MEETROOM_BASE_URL: undefined } })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain('cannot be read')
})
