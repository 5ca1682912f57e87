import { open, readFile, rm, stat } from 'node:fs/promises'
import type { Host } from '../host.ts'

export type Machine = Pick<Host, 'pid' | 'isAlive' | 'now'>

/** How old a lock must be, in milliseconds, that nobody has written his number into. */
const unfinishedMs = 10_000

/**
 * Takes a lock file for this process, unless another has it; whoever takes it removes it. What a process that is gone
 * has left is taken away first.
 * @returns undefined when it is ours; else the number of the process that has it, 0 where that is not known
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

/** Makes the file, unless there is one. */
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

/** What is there; undefined when it is gone by now. */
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
  // Made this moment, and about to be written; clocks are set back at times.
  if (text === '') return Math.abs(now() - madeAt) > unfinishedMs
  // Our own number is that of a process before us: containers count from one again.
  return holder === 0 || holder === pid || !isAlive(holder)
}

/** By one process at a time, or the second of two would take away what the first has just made. */
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
