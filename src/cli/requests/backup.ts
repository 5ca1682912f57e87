import type { Item } from '../output/views/views.ts'

/** What is about to be deleted. */
export interface DeletionTargets {
  kind: 'rooms' | 'users'
  ids: readonly string[]
  /** How fast records are read. */
  flags: { concurrency: number; rate?: number; maxErrors?: number; failFast?: boolean }
  /** Where users are members, if that is known already. */
  memberships?: readonly { user_id: string; room: Item; member: Item }[]
}

/** Keeps what is deleted in a file, for `import` to bring back. */
export interface Backup {
  /**
   * Refuses a file that is there already, before anything is asked.
   * @throws {UsageError}
   */
  check(): Promise<void>
  /**
   * Writes the whole records, and resolves when they are on disk. What does not exist is left out.
   * @throws {OutputError} when the file cannot be written
   * @throws {MeetroomError} when a record cannot be read; nothing may be deleted then
   */
  save(doomed: DeletionTargets): Promise<void>
  /**
   * Lets through what is saved, and saves the rest. Asked before every DELETE, whichever command sends it.
   * @param path below the base URL
   * @throws {NotFoundError} for what did not exist when it was to be saved
   * @throws {UsageError} for what cannot be saved
   */
  beforeDelete(path: string): Promise<void>
  close(): Promise<void>
}
