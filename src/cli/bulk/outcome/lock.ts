import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'

/**
 * Takes a lock file for this process; that of a process that is gone is taken over.
 * @throws {UsageError} when a process that runs has it
 */
export async function claim(lock: string, host: Pick<Host, 'pid' | 'isAlive'>): Promise<void> {
  const own = `${lock}.${host.pid}`
  try {
    await writeFile(own, `${host.pid}\n`, { mode: 0o600 })
    for (let attempt = 0; ; attempt++) {
      // Linked, the lock is there whole or not at all.
      const taken = await link(own, lock).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
          return false
        },
      )
      if (taken) return
      const text = await readFile(lock, 'utf8').catch(() => '')
      const holder = /^\d{1,10}\n$/.test(text) ? Number(text) : 0
      // Our own number is that of a process before us: containers begin to count anew.
      if (attempt > 2 || (holder > 0 && holder !== host.pid && host.isAlive(holder)))
        throw new UsageError(`another import uses this journal (process ${holder})`, {
          hint: `wait for it to end; if there is no such process, remove ${lock}`,
        })
      await takeAway(lock, text, `${own}.old`)
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** Removes the lock of a process that is gone, but not that of another who did the same a moment ago. */
async function takeAway(lock: string, text: string, aside: string): Promise<void> {
  try {
    await rename(lock, aside)
  } catch {
    return
  }
  if ((await readFile(aside, 'utf8')) !== text) await link(aside, lock).catch(() => {})
  await rm(aside, { force: true })
}
