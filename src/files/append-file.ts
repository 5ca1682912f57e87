import { constants, fstatSync, ftruncateSync, type Stats, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createFile } from './create-file.ts'
import { syncDirectory } from './draft.ts'
import { createLinkError, createNotRegularError, requireOwner, requireRegular } from './file-kind.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants

/** File for appending. Once `sync` resolves, all earlier text survives a power loss. */
export class AppendFile {
  readonly #file: FileHandle
  readonly #path: string
  /** True if a power loss may remove the name of the file from its directory. */
  #isNew: boolean

  private constructor(path: string, file: FileHandle, isNew: boolean) {
    this.#path = path
    this.#file = file
    this.#isNew = isNew
  }

  /**
   * Opens a file; a new file has mode 0600. Refuses symbolic links, because another user could create a link.
   * @throws {UsageError} or a system error if the file cannot be used
   */
  static async open(path: string, uid: number | undefined, { truncate = false } = {}): Promise<AppendFile> {
    const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_APPEND
    const file = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw createLinkError(path)
      // ENXIO means that the path is a named pipe without a reader, or a socket.
      throw error.code === 'ENXIO' ? createNotRegularError(path) : error
    })
    try {
      const found = fstatSync(file.fd)
      requireRegular(path, found)
      requireOwner(path, found, uid)
      if (truncate) ftruncateSync(file.fd)
      return new AppendFile(path, file, found.size === 0)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** @throws a system error with EEXIST if the path exists, even as a symbolic link */
  static async create(path: string): Promise<AppendFile> {
    return new AppendFile(path, await createFile(path), true)
  }

  stat(): Stats {
    return fstatSync(this.#file.fd)
  }

  /**
   * Appends text with one system call if possible, so that writes of other processes are not interleaved.
   */
  append(text: string | Buffer): void {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file.fd, bytes, at)
  }

  async sync(): Promise<void> {
    await this.#file.datasync()
    if (this.#isNew) syncDirectory(dirname(this.#path))
    this.#isNew = false
  }

  truncate(length: number): Promise<void> {
    return this.#file.truncate(length)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
