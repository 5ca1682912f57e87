import { open, readFile, rm, stat } from 'node:fs/promises'
import type { Host } from '../host.ts'

export type Machine = Pick<Host, 'pid' | 'isAlive' | 'now'>

/** Age after which an empty lock file counts as stale, in milliseconds. */
const unfinishedMs = 10_000

/**
 * Takes a lock file for this process; the holder removes it. Stale locks are removed.
 * @returns undefined on success, else the process ID of the holder, 0 if unknown
 */
export async function takeLock(lock: string, machine: Machine): Promise<number | undefined> {
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await create(lock, machine.pid)) return undefined
    const found = await look(lock)
    if (found && !isAbandoned(found, machine)) return found.holder
    if (found) await takeAway(lock, machine)
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

interface Found {
  text: string
  holder: number
  madeAt: number
}

async function look(lock: string): Promise<Found | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)])
    return { text, holder: /^\d{1,10}\n$/.test(text) ? Number(text) : 0, madeAt: mtimeMs }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isAbandoned({ text, holder, madeAt }: Found, { pid, isAlive, now }: Machine): boolean {
  // The file is about to be written. Clocks may be set back.
  if (text === '') return Math.abs(now() - madeAt) > unfinishedMs
  // Our own process ID belonged to an earlier process: containers start at 1 again.
  return holder === 0 || holder === pid || !isAlive(holder)
}

/** Removes a stale lock, one process at a time: a second one would remove the new lock of the first. */
async function takeAway(lock: string, machine: Machine): Promise<void> {
  const turn = `${lock}.old`
  if (await create(turn, machine.pid)) {
    const found = await look(lock)
    if (found && isAbandoned(found, machine)) await rm(lock, { force: true })
    await rm(turn, { force: true })
    return
  }
  const other = await look(turn)
  if (other && isAbandoned(other, machine)) await rm(turn, { force: true })
}
