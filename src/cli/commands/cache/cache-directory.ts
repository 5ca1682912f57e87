import { constants } from 'node:fs'
import { access, chmod, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describeSystemError, UsageError } from '../../../errors.ts'
import { moveFile, replaceFile } from '../../../files/draft.ts'
import { readInput } from '../../../files/input-file.ts'
import { makeDirectory } from '../../../files/make-directory.ts'
import type { Host } from '../../../host.ts'

/**
 * Opens the directory `cache` of the package. The launcher checks its owner and mode in the same way.
 * @throws {UsageError} when this user does not own the program, or others can write to it
 */
export async function openCacheDirectory({ platform, packageDir, effectiveUid }: Host): Promise<string> {
  if (platform === 'win32' || effectiveUid === undefined)
    throw new UsageError('a code cache for every user is not supported on Windows', {
      hint: 'nothing needs to be done: the first run of a command stores its code for its user',
    })
  const root = resolve(packageDir)
  const cache = join(root, 'cache')
  for (const path of [root, join(root, 'bin'), join(root, 'dist')]) await requireOwned(path, effectiveUid)
  await requireUnshared(root)
  try {
    // Overrides the umask, because other users must be able to read the directory.
    if (makeDirectory(cache)) await chmod(cache, 0o755)
    await requireOwned(cache, effectiveUid)
    await requireUnshared(cache)
    await access(cache, constants.W_OK)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${cache} cannot be written: ${describeSystemError(error)}`, {
      hint: 'run this where the program is installed, such as in the Dockerfile of an image',
    })
  }
  return cache
}

async function requireOwned(path: string, uid: number): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${describeSystemError(error, 'no such directory')}`, {
      hint: 'run the command of an installed package',
    })
  })
  if (!found.isDirectory()) throw new UsageError(`${path} is not a directory`, { hint: `remove ${path}` })
  if (found.uid !== uid)
    throw new UsageError(`${path} belongs to another user (${found.uid})`, {
      hint: 'run this as the user who installed the program',
    })
}

async function requireUnshared(path: string): Promise<void> {
  if (((await lstat(path)).mode & 0o022) === 0) return
  throw new UsageError(`other users can write to ${path}`, { hint: `run: chmod go-w '${path}'` })
}

/** @param from directory in which the launcher stored the code caches */
export async function storeCache(
  cache: string,
  from: string,
  host: Host,
): Promise<{ path: string; count: number }> {
  const [build = ''] = await readdir(from)
  const path = join(cache, build)
  const draft = await mkdtemp(join(cache, '.draft-'))
  try {
    const kinds = await readdir(join(from, build))
    for (const kind of kinds) {
      replaceFile(join(draft, kind), await readInput(join(from, build, kind), host))
      await chmod(join(draft, kind), 0o644)
    }
    await chmod(draft, 0o755)
    const isOutdated = (name: string) => name === build || (/^v\d/.test(name) && idOf(name) !== idOf(build))
    for (const name of (await readdir(cache)).filter(isOutdated))
      await rm(join(cache, name), { recursive: true, force: true })
    await moveFile(draft, path)
    return { path, count: kinds.length }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Returns the build ID, which is the last part of a cache's directory name. */
const idOf = (name: string) => name.split('-').at(-1)
