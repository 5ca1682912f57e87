import { UsageError } from '../../../errors.ts'
import { type Machine, takeLock } from '../../../files/file-lock.ts'

/**
 * Locks a journal for this process.
 * @throws {UsageError} when another process holds the lock
 */
export async function lockJournal(lock: string, machine: Machine): Promise<void> {
  const holder = await takeLock(lock, machine)
  if (holder === undefined) return
  throw new UsageError(`another import uses this journal (process ${holder})`, {
    hint: `wait for it to finish; if there is no such process, remove ${lock}`,
  })
}
