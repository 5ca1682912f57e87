import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../src/version.ts'
import { runBuilt } from './helpers/built.ts'
import { tempDir } from './helpers/world.ts'

const fine = { code: 0, stdout: `${version}\n`, stderr: '' }

/** Runs the launcher once, and says where its code cache is. */
async function primed(): Promise<{ env: Record<string, string>; folder: string; file: string }> {
  const cache = tempDir()
  const env = { XDG_CACHE_HOME: cache }
  expect(await runBuilt(['--version'], env)).toEqual(fine)
  const [build = ''] = readdirSync(join(cache, 'meetroom'))
  const folder = join(cache, 'meetroom', build)
  const [name = ''] = readdirSync(folder)
  return { env, folder, file: join(folder, name) }
}

test('the first run leaves a code cache, for its owner alone, and the next leaves it alone', async () => {
  const { env, folder, file } = await primed()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700)
  const before = statSync(file).ino
  expect(await runBuilt(['--version'], env)).toEqual(fine)
  expect(statSync(file).ino).toBe(before)
  expect(readdirSync(folder)).toHaveLength(1)
})

test.each([
  ['emptied', () => Buffer.alloc(0)],
  ['cut', (whole: Buffer) => whole.subarray(0, 1000)],
  ['not a cache at all', () => Buffer.from('rm -rf /')],
])('a cache that is %s is rejected and made anew', async (_, damage) => {
  const { env, file } = await primed()
  const whole = readFileSync(file)
  writeFileSync(file, damage(whole))
  expect(await runBuilt(['--version'], env)).toEqual(fine)
  expect(statSync(file).size).toBeGreaterThan(whole.length / 2)
})

test('a cache that others can write to is not read, but replaced', async () => {
  const { env, file } = await primed()
  chmodSync(file, 0o666)
  const before = statSync(file).ino
  expect(await runBuilt(['--version'], env)).toEqual(fine)
  expect(statSync(file).ino).not.toBe(before)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a cache in a folder that others can write to is neither read nor written', async () => {
  const { env, folder, file } = await primed()
  chmodSync(folder, 0o777)
  const before = statSync(file).ino
  expect(await runBuilt(['--version'], env)).toEqual(fine)
  expect(statSync(file).ino).toBe(before)
})

test.each([
  ['no home', {}],
  ['a cache folder that cannot be made', { XDG_CACHE_HOME: '/dev/null' }],
])('%s is harmless', async (_, env) => {
  expect(await runBuilt(['--version'], env)).toEqual(fine)
})
