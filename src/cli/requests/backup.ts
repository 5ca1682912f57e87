import type { Item } from '../output/views/views.ts'

export interface DeletionTargets {
  kind: 'rooms' | 'users'
  ids: readonly string[]
  flags: { concurrency?: number; rate?: number; maxErrors?: number; failFast?: boolean }
  memberships?: readonly { user_id: string; room: Item; member: Item }[]
}

export interface Backup {
  /** @throws {UsageError} when the file exists */
  check(): Promise<void>
  /**
   * Saves the full records; resolves when they are on disk. Missing items are skipped.
   * @throws {OutputError} when the file cannot be written
   * @throws {MeetroomError} when a record cannot be read; nothing may be deleted then
   */
  save(targets: DeletionTargets): Promise<void>
  /**
   * Saves the item of a DELETE request, unless it is already saved. Called before every DELETE.
   * @param path path below the base URL
   * @throws {NotFoundError} when the item did not exist
   * @throws {UsageError} when the item cannot be saved
   */
  beforeDelete(path: string): Promise<void>
  close(): Promise<void>
}
