import { lstat, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { describeSystemError, MeetroomError, OutputError, UsageError } from '../../../errors.ts'
import { takeLock } from '../../../files/file-lock.ts'
import type { Host } from '../../../host.ts'
import type { Section } from './lock.ts'
import { formatLock, parseLock } from './lock-format.ts'

export const lockFileOf = (file: string) => `${file}.lock`

/** @throws {UsageError} when the lock file exists but cannot be read */
export async function readLockFile(file: string, host: Host): Promise<Section[]> {
  const name = lockFileOf(file)
  const path = resolve(host.cwd, name)
  try {
    if ((await lstat(path)).isSymbolicLink())
      throw new UsageError(`${name} is a symbolic link`, { hint: 'replace it with the file itself' })
    return parseLock(await readFile(path, 'utf8'), name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    if (error instanceof MeetroomError) throw error
    throw new UsageError(`${name} cannot be read: ${describeSystemError(error)}`)
  }
}

/** Lock file that this process holds exclusively. Each save replaces the file atomically. */
export class LockFile {
  readonly #path: string
  readonly #name: string
  readonly #holder: string
  readonly sections: Section[]
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  private constructor(path: string, name: string, holder: string, sections: Section[]) {
    this.#path = path
    this.#name = name
    this.#holder = holder
    this.sections = sections
  }

  /**
   * Acquires the lock file of a workspace file and checks that it can be written.
   * @throws {UsageError} when the lock file cannot be read, or another process holds it
   * @throws {OutputError} when the lock file cannot be written
   */
  static async open(file: string, host: Host): Promise<LockFile> {
    const name = lockFileOf(file)
    const path = resolve(host.cwd, name)
    const holder = `${path}.pid`
    let pid: number | undefined
    try {
      pid = await takeLock(holder, host)
    } catch (error) {
      throw toOutputError(name, error)
    }
    if (pid !== undefined)
      throw new UsageError(`another meetroom uses ${name} (process ${pid})`, {
        hint: `wait for it to finish; if there is no such process, remove ${name}.pid`,
      })
    try {
      const lock = new LockFile(path, name, holder, await readLockFile(file, host))
      if (lock.sections.length > 0) await lock.save()
      else await lock.#probe()
      return lock
    } catch (error) {
      await rm(holder, { force: true })
      throw error
    }
  }

  /** Saves the sections. The next write includes all changes that are made during the current one. */
  save(): Promise<void> {
    this.#next ??= this.#writing
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        this.#writing = this.#write(formatLock(this.sections))
        return this.#writing
      })
    return this.#next
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {})
    await this.#writing.catch(() => {})
    await rm(this.#holder, { force: true })
  }

  /** Checks that the lock file can be written, without creating an empty one. */
  async #probe(): Promise<void> {
    try {
      const draft = await open(this.#draft, 'w')
      await draft.close()
      await rm(this.#draft, { force: true })
    } catch (error) {
      throw toOutputError(this.#name, error)
    }
  }

  get #draft(): string {
    return `${this.#path}.new`
  }

  async #write(text: string): Promise<void> {
    try {
      const draft = await open(this.#draft, 'w')
      try {
        await draft.writeFile(text)
        await draft.sync()
      } finally {
        await draft.close()
      }
      await rename(this.#draft, this.#path)
      const directory = await open(dirname(this.#path), 'r').catch(() => undefined)
      // Some operating systems cannot open or sync directories.
      await directory?.sync().catch(() => {})
      await directory?.close()
    } catch (error) {
      throw toOutputError(this.#name, error)
    }
  }
}

function toOutputError(name: string, error: unknown): unknown {
  if (error instanceof MeetroomError || (error as NodeJS.ErrnoException).code === undefined) return error
  return new OutputError(`${name} cannot be written: ${describeSystemError(error, 'no such directory')}`, {
    hint: 'the lock file records what apply creates, so nothing is sent without it',
  })
}
