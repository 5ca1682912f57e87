import { lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { UsageError } from '../../../errors.ts'
import { replaceFile } from '../../../files/draft.ts'
import { toReadError, toWriteError } from '../../../files/file-errors.ts'
import { requireOwner, requireRegular, resolveOutput } from '../../../files/file-kind.ts'
import { takeLock } from '../../../files/file-lock.ts'
import { readText } from '../../../files/read-file.ts'
import type { Host } from '../../../host.ts'
import type { Section } from './lock.ts'
import { formatLock, parseLock } from './lock-format.ts'

const maxLockBytes = 32 * 1024 * 1024

export const lockFileOf = (file: string, given?: string) => given ?? `${file}.lock`

/** Returns the name of a file that does not exist, beside a lock file. */
export function findNewLockName(name: string, host: Host): string {
  const stem = name.replace(/\.lock$/, '')
  for (let i = 2; ; i++) {
    const found = lstatSync(resolve(host.cwd, `${stem}.${i}.lock`), { throwIfNoEntry: false })
    if (!found) return `${stem}.${i}.lock`
  }
}

/**
 * Returns no sections without a lock file.
 * @throws {UsageError} if the lock file cannot be read
 */
export function readLockFile(name: string, host: Host): Section[] {
  const text = readLockText(name, host)
  return text === undefined ? [] : parseLock(text, name)
}

function readLockText(name: string, host: Host): string | undefined {
  try {
    return readText(resolveOutput(name, host, 'workspace.lock'), { name, maxBytes: maxLockBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw toReadError(name, error)
  }
}

/** Lock file that this process holds exclusively. Each save replaces the file atomically. */
export class LockFile {
  readonly #path: string
  readonly #name: string
  readonly #holder: string
  readonly sections: Section[]
  #saved: string | undefined
  #next: Promise<void> | undefined

  private constructor(path: string, name: string, holder: string, saved: string | undefined) {
    this.#path = path
    this.#name = name
    this.#holder = holder
    this.#saved = saved
    this.sections = saved === undefined ? [] : parseLock(saved, name)
  }

  /**
   * Acquires a lock file without waiting for another holder.
   * @throws {UsageError} if the lock file cannot be read, or another process holds it
   * @throws {OutputError} if the lock cannot be acquired for another reason
   */
  static async open(name: string, host: Host): Promise<LockFile> {
    const path = resolveOutput(name, host, 'workspace.lock')
    const holder = `${path}.pid`
    const user = await takeLock(holder, host).catch((error) => {
      throw toLockError(name, error)
    })
    if (user !== undefined)
      throw new UsageError(`another process uses ${name} (${user})`, {
        hint: `wait until that process ends; if it does not exist, delete ${name}.pid`,
      })
    try {
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found) {
        requireRegular(name, found)
        requireOwner(path, found, host.effectiveUid)
      }
      return new LockFile(path, name, holder, readLockText(name, host))
    } catch (error) {
      await rm(holder, { force: true })
      throw toLockError(name, error)
    }
  }

  /** Saves all changes of an event loop turn with one write. */
  save(): Promise<void> {
    this.#next ??= this.#saveNext()
    return this.#next
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => {})
    await rm(this.#holder, { force: true })
  }

  async #saveNext(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#next = undefined
    const text = formatLock(this.sections)
    if (text === this.#saved) return
    try {
      replaceFile(this.#path, text)
    } catch (error) {
      throw toLockError(this.#name, error)
    }
    this.#saved = text
  }
}

const toLockError = (name: string, error: unknown) =>
  toWriteError(name, error, {
    hint: 'nothing is sent without a lock file, which records the created items',
  })
