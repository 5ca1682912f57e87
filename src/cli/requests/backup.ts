import type { Item } from '../output/views/views.ts'

export interface DeletionTargets {
  kind: 'rooms' | 'users'
  ids: readonly string[]
  flags: { concurrency?: number; rate?: number; maxErrors?: number; failFast?: boolean }
  memberships?: readonly { user_id: string; room: Item; member: Item }[]
}

export interface Backup {
  /** @throws {UsageError} when the backup file already exists */
  check(): Promise<void>
  /**
   * Saves the full records of items. Resolves when they are on disk. Skips missing items.
   * @throws {OutputError} when the file cannot be written
   * @throws {MeetroomError} when a record cannot be read; the items must not be deleted then
   */
  save(targets: DeletionTargets): Promise<void>
  /**
   * Saves the item of a DELETE request, unless it is already saved. Called before every DELETE.
   * @param path path of the request after the base URL
   * @throws {NotFoundError} when the item does not exist
   * @throws {UsageError} when the path is not the path of a room or user
   */
  beforeDelete(path: string): Promise<void>
  close(): Promise<void>
}
