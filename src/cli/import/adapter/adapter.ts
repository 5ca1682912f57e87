import type { Client } from '../../../client/client.ts'
import type { Item, View } from '../../output/views/views.ts'
import type { ImportColumns } from './columns.ts'

export type RequestBody = Readonly<Record<string, unknown>>

export interface ImportAdapter<B extends RequestBody = RequestBody> extends ImportColumns {
  name: 'users' | 'rooms' | 'members'
  view: View
  createOperation: 'createUser' | 'createRoom' | 'addMember'
  /** Columns that are not fields of the item, so overwriting does not reset them. */
  extraColumns?: readonly string[]
  /** Default values of new items. Values in the row take precedence. */
  creationDefaults?: RequestBody
  /** Flags by field, such as `--room ROOM`, that set the field in rows without a value. */
  defaultFlags?: Readonly<Record<string, string>>
  /**
   * Converts nested saved records to request bodies.
   * @throws {UsageError} for malformed records
   */
  normalize?(body: RequestBody): RequestBody
  keyOf(body: B): string | undefined
  labelOf?(body: B): string | undefined
  keyName: string
  createOverwrites: boolean
  createDuplicates: boolean
  /** True if `--if-exists overwrite` and `--if-exists update` create missing items. */
  canCreateMissing: boolean
  find(client: Client, body: B): Promise<Item | undefined>
  create(client: Client, body: B): Promise<string>
  /** Returns the fields that the create operation sets; all fields by default. */
  createdFields?(body: B): RequestBody
  /** Completes a created item; must be idempotent. Returns undefined only if the item is complete. */
  completeCreated?(client: Client, body: B, id: string): Promise<unknown> | undefined
  overwrite(client: Client, body: B, existing: Item): Promise<string>
  update?(client: Client, body: B, existing: Item): Promise<string>
  destructive?: {
    verb(body: B): string
    gerund(body: B): string
    isRequested(body: B): boolean
    isDone(existing: Item, body: B): boolean
  }
  accessChange?(body: B, existing: Item): 'block' | 'unblock' | undefined
  /** Counts members that stay blocked, and for which the row does not set `is_blocked`. */
  countBlocked?(client: Client, body: B, existing: Item): number | Promise<number>
  listReferencedUsers?(body: B): readonly string[]
  explainUnchangeable?(body: B, existing: Item): string | undefined
  /** Returns fields of a row that a change of the item ignores. */
  listIgnoredFields?(body: B, existing: Item): readonly string[]
  /**
   * Finds an item after an unknown outcome. Returns undefined if the item cannot be identified.
   * @param createdId ID that the service assigned to the item
   */
  findLostItem(client: Client, body: B, createdId?: string): Promise<Item | 'absent' | undefined>
  listNotices?(): readonly string[]
}
