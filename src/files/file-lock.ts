import { open, readFile, rm, stat } from 'node:fs/promises'
import type { Host } from '../host.ts'

export type Machine = Pick<Host, 'pid' | 'isAlive' | 'now'>

/** Age after which an empty lock file is stale, in milliseconds. */
const emptyLockStaleMs = 10_000

/**
 * Acquires a lock file and replaces a stale one. Returns undefined on success, or the other holder's process ID (0 if
 * unknown).
 */
export async function takeLock(lock: string, machine: Machine): Promise<number | undefined> {
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await create(lock, machine.pid)) return undefined
    const found = await readLock(lock)
    if (found && !isAbandoned(found, machine)) return found.holder
    if (found) await removeStaleLock(lock, machine)
  }
  return 0
}

async function create(path: string, pid: number): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
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

interface LockState {
  text: string
  holder: number
  createdAtMs: number
}

async function readLock(lock: string): Promise<LockState | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)])
    return { text, holder: /^\d{1,10}\n$/.test(text) ? Number(text) : 0, createdAtMs: mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isAbandoned({ text, holder, createdAtMs }: LockState, { pid, isAlive, now }: Machine): boolean {
  // Another process may be about to write its ID. The age may be negative, because clocks can be set back.
  if (text === '') return Math.abs(now() - createdAtMs) > emptyLockStaleMs
  // A lock with our own process ID is from an earlier process, because process IDs repeat in containers.
  return holder === 0 || holder === pid || !isAlive(holder)
}

/** Removes a stale lock under a second lock: a concurrent removal could delete the new lock of another process. */
async function removeStaleLock(lock: string, machine: Machine): Promise<void> {
  const removalLock = `${lock}.old`
  if (await create(removalLock, machine.pid)) {
    const found = await readLock(lock)
    if (found && isAbandoned(found, machine)) await rm(lock, { force: true })
    await rm(removalLock, { force: true })
    return
  }
  const other = await readLock(removalLock)
  if (other && isAbandoned(other, machine)) await rm(removalLock, { force: true })
}
