import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppendFile } from '../../files/append-file.ts'
import { toWriteError } from '../../files/file-errors.ts'
import { createExistsError } from '../../files/file-kind.ts'
import { makeDirectory } from '../../files/make-directory.ts'

const overwrites = ', and --save does not overwrite files'

/** File with one record per line. After `sync` resolves, earlier lines survive a power loss. */
export class BackupFile {
  readonly #file: AppendFile
  #written = 0
  #synced = 0

  private constructor(
    readonly path: string,
    file: AppendFile,
  ) {
    this.#file = file
  }

  /**
   * @throws {UsageError} if the file exists
   * @throws {OutputError} if the file cannot be created
   */
  static async create(path: string): Promise<BackupFile> {
    const file = await AppendFile.create(path).catch((error) => {
      throw toBackupError(path, error)
    })
    return new BackupFile(path, file)
  }

  /**
   * Creates missing directories.
   * @throws {OutputError} if a directory or the file cannot be created
   */
  static async createIn(dir: string, name: string, extension: string): Promise<BackupFile> {
    try {
      makeDirectory(dir)
    } catch (error) {
      throw toUnwritableError(dir, error)
    }
    for (let nth = 1; ; nth++) {
      const path = join(dir, `${name}${nth === 1 ? '' : `-${nth}`}${extension}`)
      try {
        return new BackupFile(path, await AppendFile.create(path))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toBackupError(path, error)
      }
    }
  }

  async add(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`)
    try {
      this.#file.append(bytes)
    } catch (error) {
      throw toBackupError(this.path, error)
    }
    this.#written += bytes.length
  }

  async sync(): Promise<void> {
    await this.#file.sync().catch((error) => {
      throw toBackupError(this.path, error)
    })
    this.#synced = this.#written
  }

  /** Truncates the file to its synced lines. Without synced lines, deletes the file and returns false. */
  async discardUnsynced(): Promise<boolean> {
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

/** @throws {UsageError} if the path exists, even as a dangling symbolic link */
export async function requireNewFile(path: string): Promise<void> {
  if (await lstat(path).catch(() => undefined)) throw createExistsError(path, overwrites)
}

function toBackupError(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EEXIST' ? createExistsError(path, overwrites) : toUnwritableError(path, error)
}

function toUnwritableError(path: string, error: unknown): unknown {
  return toWriteError(path, error, {
    rest: 'nothing was changed',
    hint: 'choose another file with --save FILE, or pass --no-save',
  })
}
