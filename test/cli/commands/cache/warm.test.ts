import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storeCache } from '../../../../src/cli/commands/cache/cache-directory.ts'
import { type HostOptions, testHost } from '../../../helpers/host.ts'
import { createWorld, tempDir } from '../../../helpers/world.ts'

/** Creates the directories of an installed package. */
function packageIn(dir: string): string {
  for (const name of ['bin', 'dist']) mkdirSync(join(dir, name), { recursive: true })
  chmodSync(dir, 0o755)
  return dir
}

describe.skipIf(process.platform === 'win32')('cache warm exits 2', () => {
  const otherUid = 12345
  const owner = process.getuid?.()
  test.each<[string, (dir: string) => HostOptions | undefined, (dir: string) => [string, string]]>([
    [
      'on Windows',
      () => ({ platform: 'win32' }),
      () => [
        'a code cache for every user is not supported on Windows',
        'nothing needs to be done: the first run of a command stores its code for its user',
      ],
    ],
    [
      'for a user who does not own the program',
      () => ({ uid: otherUid }),
      (dir) => [
        `${dir} belongs to another user (${owner})`,
        'run this as the user who installed the program',
      ],
    ],
    [
      'for a package without a built program',
      (dir) => void rmdirSync(join(dir, 'dist')),
      (dir) => [`${dir}/dist cannot be read: no such directory`, 'run the command of an installed package'],
    ],
    [
      'if other users can write to the package',
      (dir) => void chmodSync(dir, 0o775),
      (dir) => [`other users can write to ${dir}`, `run: chmod go-w '${dir}'`],
    ],
    [
      'if other users can write to the cache directory',
      (dir) => {
        mkdirSync(join(dir, 'cache'))
        chmodSync(join(dir, 'cache'), 0o757)
        return undefined
      },
      (dir) => [`other users can write to ${dir}/cache`, `run: chmod go-w '${dir}/cache'`],
    ],
    [
      'if the cache directory is a link',
      (dir) => void symlinkSync(tempDir(), join(dir, 'cache')),
      (dir) => [`${dir}/cache is not a directory`, `remove ${dir}/cache`],
    ],
    [
      'if the cache directory is a file',
      (dir) => void writeFileSync(join(dir, 'cache'), ''),
      (dir) => [
        `${dir}/cache cannot be written: a file of this name exists`,
        'run this where the program is installed, such as in the Dockerfile of an image',
      ],
    ],
  ])('%s', async (_, prepare, explain) => {
    const packageDir = packageIn(tempDir())
    const options = prepare(packageDir)
    const [error, hint] = explain(packageDir)
    const world = await createWorld()
    expect(await world.run('cache warm', { packageDir, ...options })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: ${error}\nhint: ${hint}\n`,
    })
    expect(world.requests).toEqual([])
  })
})

test('storeCache keeps the caches of other Node versions and removes the caches of other builds', async () => {
  const [cache, from] = [tempDir(), tempDir()]
  const put = (dir: string, file: string) => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, file), file)
  }
  put(join(cache, 'v20.0.0-x64-new'), 'outdated')
  put(join(cache, 'v24.0.0-x64-new'), 'version')
  put(join(cache, 'v20.0.0-x64-old'), 'version')
  put(join(cache, 'other'), 'version')
  put(join(from, 'v20.0.0-x64-new'), 'rooms-list')
  const path = join(cache, 'v20.0.0-x64-new')
  expect(await storeCache(cache, from, testHost())).toEqual({ path, count: 1 })
  expect(readdirSync(cache).sort()).toEqual(['other', 'v20.0.0-x64-new', 'v24.0.0-x64-new'])
  expect(readdirSync(path)).toEqual(['rooms-list'])
  expect(existsSync(join(path, 'outdated'))).toBe(false)
  if (process.platform === 'win32') return
  expect(statSync(path).mode & 0o777).toBe(0o755)
  expect(statSync(join(path, 'rooms-list')).mode & 0o777).toBe(0o644)
})
