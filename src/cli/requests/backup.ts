import type { Item } from '../output/views/views.ts'

export interface DeletionTargets {
  kind: 'rooms' | 'users'
  ids: readonly string[]
  flags: Partial<Record<'concurrency' | 'rate' | 'maxErrors', number | undefined>> & {
    failFast?: boolean | undefined
  }
  memberships?: readonly { user_id: string; room: Item; member: Item }[]
}

export interface Backup {
  /** @throws {UsageError} if the backup file already exists */
  check(): Promise<void>
  /**
   * Resolves when the records are on disk. Skips missing items.
   * @throws {MeetroomError} if an item cannot be saved; the items must not be deleted then
   */
  save(targets: DeletionTargets): Promise<void>
  /**
   * Saves the item of a DELETE request, unless the item is already saved.
   * @param path path after the base URL
   * @throws {NotFoundError} if the item does not exist
   * @throws {MeetroomError} if the item cannot be saved
   */
  beforeDelete(path: string): Promise<void>
  close(): Promise<void>
}
