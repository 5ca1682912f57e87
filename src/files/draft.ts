import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createLinkError, requireOwner, requireRegular } from './file-kind.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, W_OK } = constants

interface DraftOptions {
  /** True to replace the file behind a symbolic link and to keep the link. */
  follow?: boolean
  /** True for mode 0600 in any case, and to replace a symbolic link that is not followed. */
  isPrivate?: boolean
  /** False to make `publish` throw a system error with EEXIST for an existing file. */
  overwrite?: boolean
}

/** Temporary file that replaces its target when complete. A new target has mode 0600. */
export class Draft {
  /** Path of the replaced file; a followed link is resolved. */
  readonly target: string
  readonly path: string
  readonly fd: number
  readonly #overwrite: boolean
  #isOpen = true

  /** @throws {UsageError} or a system error if the target cannot be replaced */
  constructor(path: string, { follow = false, isPrivate = false, overwrite = true }: DraftOptions = {}) {
    this.#overwrite = overwrite
    this.target = follow ? resolveLink(path) : path
    // The name of the target may already have the maximum length.
    const name = `${basename(this.target).slice(0, 50)}.${randomBytes(6).toString('hex')}.part`
    this.path = join(dirname(this.target), name)
    this.fd = openSync(this.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      if (overwrite) this.#keepOwnerAndMode(path, isPrivate)
    } catch (error) {
      this.discard()
      throw error
    }
  }

  #keepOwnerAndMode(path: string, isPrivate: boolean): void {
    const created = fstatSync(this.fd)
    const link = lstatSync(path, { throwIfNoEntry: false })
    // Another user's link in a shared directory could lead to any file.
    if (link?.isSymbolicLink() && this.target !== path) requireOwner(path, link, created.uid)
    const found = lstatSync(this.target, { throwIfNoEntry: false })
    if (!found || (isPrivate && found.isSymbolicLink())) return
    requireRegular(this.target, found)
    requireOwner(this.target, found, created.uid)
    // A rename would replace even a read-only file.
    accessSync(this.target, W_OK)
    let mode = isPrivate ? 0o600 : found.mode & 0o777
    if (found.uid !== created.uid || found.gid !== created.gid)
      try {
        fchownSync(this.fd, found.uid, found.gid)
      } catch {
        // The group permissions must not apply to another group.
        mode &= 0o707
      }
    if (mode !== (created.mode & 0o777)) fchmodSync(this.fd, mode)
  }

  /**
   * Moves the draft to its target. After a failure, removes the draft and throws a system error.
   * @param sync false for contents that a power loss may remove
   */
  publish({ sync = true } = {}): void {
    try {
      if (sync) fsyncSync(this.fd)
      this.#close()
      if (this.#overwrite) renameSync(this.path, this.target)
      else nameNewFile(this.path, this.target)
    } finally {
      this.discard()
    }
    if (sync) syncDirectory(dirname(this.target))
  }

  discard(): void {
    this.#close()
    rmSync(this.path, { force: true })
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.fd)
    this.#isOpen = false
  }
}

/**
 * Replaces or creates a file atomically.
 * @throws {UsageError} or a system error if the file cannot be replaced
 */
export function replaceFile(
  path: string,
  content: string | Buffer,
  { sync = true, ...options }: DraftOptions & { sync?: boolean } = {},
): void {
  const draft = new Draft(path, options)
  try {
    writeFileSync(draft.fd, content)
  } catch (error) {
    draft.discard()
    throw error
  }
  draft.publish({ sync })
}

export function createPrivateFile(directory: string): string {
  const path = join(directory, `${randomBytes(6).toString('hex')}.part`)
  closeSync(openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600))
  return path
}

/** Returns the number of copied bytes. */
export function copyInto(fd: number, path: string): number {
  const from = openSync(path, O_RDONLY | O_NOFOLLOW)
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  let bytes = 0
  try {
    for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer)) {
      for (let at = 0; at < read; ) at += writeSync(fd, buffer, at, read - at)
      bytes += read
    }
  } finally {
    closeSync(from)
  }
  return bytes
}

export async function copyFile(from: string, to: string): Promise<void> {
  const draft = new Draft(to)
  try {
    await pipeline(createReadStream(from), createWriteStream('', { fd: draft.fd, autoClose: false }))
  } catch (failure) {
    draft.discard()
    throw failure
  }
  draft.publish()
}

/** Links to open files. Replacing such a file could lose the output of other programs. */
const descriptors = /^\/dev\/(?:fd\/|std)|^\/proc\//

/** @throws {UsageError} for a link to an open file, and for a broken link */
function resolveLink(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  if (descriptors.test(path)) throw createLinkError(path)
  try {
    return realpathSync(path)
  } catch {
    throw createLinkError(path)
  }
}

function nameNewFile(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
    // Some file systems have no hard links.
    if (exists || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    renameSync(draft, path)
  }
}

/** Syncs a directory, so that a new file in it survives a power loss. */
export function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, 'r')
    fsyncSync(directory)
    closeSync(directory)
  } catch {
    // Some operating systems cannot open or sync directories.
  }
}
