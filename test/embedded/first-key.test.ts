import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockWorkspace } from '../../src/embedded/running-server.ts'
import { createWorld } from '../helpers/world.ts'

const quietly = <T>(load: () => Promise<T>) => load()

async function createWorldWithKey(text: string) {
  const world = await createWorld()
  const dir = join(world.dir, 'data')
  mkdirSync(dir, { mode: 0o700 })
  const file = join(dir, 'api-key')
  writeFileSync(file, text, { mode: 0o600 })
  return { world, dir, file }
}

describe('empty key files', () => {
  test.each(['', '\n', ' \n'])(
    '--local replaces a key file with the content %j and prints a warning',
    async (text) => {
      const { world, dir, file } = await createWorldWithKey(text)
      const run = await world.run('--local rooms create --name Plan --type open')
      expect(run).toMatchObject({
        code: 0,
        stderr: `warning: the API key file ${file} was empty, possibly because the disk was full; a new key was written\n`,
      })
      expect(readFileSync(file, 'utf8')).toMatch(/^local_[\w-]{32}\n$/)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readdirSync(dir).filter((name) => name.endsWith('.part'))).toEqual([])
      expect(await world.run('--local rooms list -o ids')).toMatchObject({ code: 0, stderr: '' })
    },
  )

  test('--local exits 2 without replacing an empty key file while the workspace is served', async () => {
    const { world, dir, file } = await createWorldWithKey('')
    const lock = await lockWorkspace(dir, { quietly })
    onTestFinished(() => lock.release())
    const run = await world.run('--local rooms list')
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain('already served')
    expect(readFileSync(file, 'utf8')).toBe('')
  })
})

test.each(['two words\n', 'key\u0007\n', 'schlüssel\n', 'a\nb\n'])(
  '--local exits 2 without changing a key file with the invalid content %j',
  async (text) => {
    const { world, file } = await createWorldWithKey(text)
    expect(await world.run('--local rooms list')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: ${file} contains no API key\nhint: move the file away, so that the next command creates a key: mv ${file} ${file}.old\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)

test.skipIf(process.platform === 'win32')(
  '--local warns if other accounts can write to the data directory',
  async () => {
    const world = await createWorld()
    const dir = join(world.dir, 'data')
    mkdirSync(dir)
    chmodSync(dir, 0o770)
    expect(await world.run('--local rooms list -o ids')).toMatchObject({
      code: 0,
      stderr: `warning: other accounts of this machine can write to the data directory ${dir}\n`,
    })
    expect(existsSync(join(dir, 'workspace.db'))).toBe(true)
  },
)

describe('serve.json', () => {
  async function served(text: string, uid?: number) {
    const { world, dir } = await createWorldWithKey('local_abcdefghijklmnopqrstuvwxyz012345\n')
    const lock = await lockWorkspace(dir, { quietly })
    onTestFinished(() => lock.release())
    const file = join(dir, 'serve.json')
    writeFileSync(file, text, { mode: 0o600 })
    if (uid !== undefined) chownSync(file, uid, uid)
    return { run: await world.run('--local rooms list'), file, dir }
  }

  test.each(['5', '"x"', '{}', '[]', '{"pid":1,"base_url":"ftp://a/v1","api_key_file":"k"}', '{"pid":'])(
    '--local causes no internal error if serve.json contains %s',
    async (text) => {
      const { run } = await served(text)
      expect([0, 2, 74]).toContain(run.code)
      expect(run.stderr).not.toContain('bug')
    },
  )

  test('--local exits 2 if serve.json names a missing key file', async () => {
    const { run, dir } = await served(
      '{"pid":7,"base_url":"http://127.0.0.1:9/v1","api_key_file":"/nonexistent/key"}',
    )
    expect(run).toMatchObject({
      code: 2,
      stderr:
        'error: the API key file /nonexistent/key cannot be read: no such file\nhint: restart process 7, which serves the workspace\n',
    })
    expect(existsSync(dir)).toBe(true)
  })

  test('--local exits 2 if serve.json names an empty key file', async () => {
    const key = join((await createWorld()).dir, 'empty-key')
    writeFileSync(key, '')
    const { run } = await served(
      JSON.stringify({ pid: 7, base_url: 'http://127.0.0.1:9/v1', api_key_file: key }),
    )
    expect(run).toMatchObject({
      code: 2,
      stderr: `error: the API key file ${key} contains no API key\nhint: restart process 7, which serves the workspace\n`,
    })
  })

  test.skipIf(process.getuid?.() !== 0)(
    '--local exits 2 if serve.json belongs to another account',
    async () => {
      const { run, file } = await served(
        '{"pid":7,"base_url":"http://127.0.0.1:9/v1","api_key_file":"/etc/hostname"}',
        4711,
      )
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(run.stderr).toContain(`error: ${file} belongs to another account of this machine (uid 4711)`)
    },
  )
})
