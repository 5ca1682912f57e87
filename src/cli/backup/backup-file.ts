import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MeetroomError, OutputError, tooFewHandles, UsageError } from '../../errors.ts'
import { makeDirectory } from '../../files/make-directory.ts'
import { openNew } from '../../files/private-file.ts'

/** A new file of records, one a line. What was in it when `sync` resolved survives a loss of power. */
export class BackupFile {
  readonly path: string
  readonly #file: FileHandle
  #written = 0
  #synced = 0

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  /**
   * @throws {UsageError} when something is there already
   * @throws {OutputError} when it cannot be made
   */
  static async create(path: string): Promise<BackupFile> {
    try {
      return new BackupFile(path, await openNew(path))
    } catch (error) {
      throw failure(path, error)
    }
  }

  /** The first file of this name in a folder, which is made where it is missing, that is not there yet. */
  static async createIn(dir: string, name: string, extension: string): Promise<BackupFile> {
    try {
      makeDirectory(dir)
    } catch (error) {
      throw unwritable(dir, error as NodeJS.ErrnoException)
    }
    for (let nth = 1; ; nth++) {
      const path = join(dir, `${name}${nth === 1 ? '' : `-${nth}`}${extension}`)
      if (!(await exists(path))) return BackupFile.create(path)
    }
  }

  async add(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`)
    try {
      await this.#file.appendFile(bytes)
    } catch (error) {
      throw failure(this.path, error)
    }
    this.#written += bytes.length
  }

  /** Resolves when everything is on disk. */
  async sync(): Promise<void> {
    try {
      await this.#file.sync()
      if (this.#synced === 0) await syncFolder(dirname(this.path))
    } catch (error) {
      throw failure(this.path, error)
    }
    this.#synced = this.#written
  }

  /**
   * Forgets what has not been synced.
   * @returns false when nothing is left, and the file is gone
   */
  async takeBack(): Promise<boolean> {
    if (this.#synced > 0) {
      await this.#file.truncate(this.#synced)
      this.#written = this.#synced
      return true
    }
    await this.#file.close()
    await rm(this.path, { force: true })
    return false
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** @throws {UsageError} when something is there already, a link that leads nowhere included */
export async function requireNewFile(path: string): Promise<void> {
  if (await exists(path)) throw taken(path)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function taken(path: string): UsageError {
  return new UsageError(`${path} already exists, and --save overwrites nothing`, { hint: 'name a new file' })
}

/** A file is found again after a loss of power only once its folder is on disk, too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  // Not every system opens or syncs folders.
  await folder?.sync().catch(() => {})
  await folder?.close()
}

function failure(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof MeetroomError || code === undefined) return error
  return code === 'EEXIST' ? taken(path) : unwritable(path, error as NodeJS.ErrnoException)
}

function unwritable(path: string, error: NodeJS.ErrnoException): MeetroomError {
  const { code } = error
  return tooFewHandles(error) ?? new OutputError(`${path} cannot be written (${code}); nothing was changed`)
}
