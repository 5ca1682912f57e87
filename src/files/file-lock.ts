import { rm } from 'node:fs/promises'
import type { Host } from '../host.ts'
import { createFile } from './create-file.ts'
import { readText } from './read-file.ts'

export type Machine = Pick<Host, 'pid' | 'isAlive' | 'now'>

/** Age after which an empty lock file is stale, in milliseconds. */
const emptyLockStaleMs = 10_000

/**
 * Acquires a lock file, and replaces a stale lock file.
 * @returns undefined on success, otherwise the holder, as in “process 123”
 * @throws {UsageError} or a system error if the lock file cannot be used
 */
export async function takeLock(lock: string, machine: Machine): Promise<string | undefined> {
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await create(lock, machine.pid)) return undefined
    const found = readLock(lock)
    if (found && !isAbandoned(found, machine)) return formatHolder(found.holder)
    if (found) await removeStaleLock(lock, machine)
  }
  return formatHolder(0)
}

const formatHolder = (pid: number): string => (pid === 0 ? 'an unknown process' : `process ${pid}`)

async function create(path: string, pid: number): Promise<boolean> {
  const file = await createFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  if (!file) return false
  try {
    await file.writeFile(`${pid}\n`)
    return true
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

type LockState = NonNullable<ReturnType<typeof readLock>>

function readLock(lock: string) {
  try {
    let createdAtMs = 0
    const text = readText(lock, { check: ({ mtimeMs }) => (createdAtMs = mtimeMs) })
    return { text, holder: /^\d{1,10}\n$/.test(text) ? Number(text) : 0, createdAtMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isAbandoned({ text, holder, createdAtMs }: LockState, { pid, isAlive, now }: Machine): boolean {
  // Another process may be about to write its ID. A clock that was set back makes the age negative.
  if (text === '') return Math.abs(now() - createdAtMs) > emptyLockStaleMs
  // Process IDs repeat in containers, so a lock with this ID is from an earlier process.
  return holder === 0 || holder === pid || !isAlive(holder)
}

/** Removes a stale lock under a second lock, because a concurrent removal could delete a new lock. */
async function removeStaleLock(lock: string, machine: Machine): Promise<void> {
  const removalLock = `${lock}.old`
  if (await create(removalLock, machine.pid)) {
    const found = readLock(lock)
    if (found && isAbandoned(found, machine)) await rm(lock, { force: true })
    await rm(removalLock, { force: true })
    return
  }
  const other = readLock(removalLock)
  if (other && isAbandoned(other, machine)) await rm(removalLock, { force: true })
}
