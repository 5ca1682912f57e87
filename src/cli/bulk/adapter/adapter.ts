import { readAnswer } from '../../../api/json.ts'
import { parseBoolean } from '../../../api/readings.ts'
import { textOf } from '../../../api/text-of.ts'
import { memberTypes, roomTypes } from '../../../api/vocabulary.ts'
import type { Answer, Client } from '../../../client/client.ts'
import { undefinedIfNotFound } from '../../lists/run-one.ts'
import type { Item, View } from '../../output/views/views.ts'
import type { Columns } from './columns.ts'

export type Body = Readonly<Record<string, unknown>>

export interface ImportAdapter<B extends Body = Body> extends Columns {
  name: 'users' | 'rooms' | 'members'
  view: View
  /** Operation that creates an item; its schema checks the rows. */
  creates: 'createUser' | 'createRoom' | 'addMember'
  /** Columns that are not fields of the item, so overwriting does not reset them. */
  beside?: readonly string[]
  /**
   * Converts saved records, including fields that the service sets, to request bodies.
   * @throws {UsageError} for a malformed record
   */
  normal?(body: Body): Body
  /** Returns the key that identifies a row; undefined if the row has none. */
  key(body: B): string | undefined
  /** Returns the label of a row in results; by default its key. */
  label?(body: B): string | undefined
  keyName: string
  /** True when creating an existing item overwrites it. */
  overrides: boolean
  /** True when creating a row twice creates two items. */
  repeats: boolean
  /** True when `overwrite` and `update` create missing items. */
  createsMissing: boolean
  find(client: Client, body: B): Promise<Item | undefined>
  create(client: Client, body: B): Promise<string>
  /** Returns the fields that creating sets; by default the whole row. */
  created?(body: B): Body
  /** Completes a created item; may run twice. Returns undefined if nothing remains to do. */
  finish?(client: Client, body: B, id: string): Promise<void> | undefined
  overwrite(client: Client, body: B, existing: Item): Promise<string>
  /** Updates only the fields in the row; by default the same as `overwrite`. */
  update?(client: Client, body: B, existing: Item): Promise<string>
  destructive?: {
    verb(body: B): string
    doing(body: B): string
    asks(body: B): boolean
    isDone(existing: Item, body: B): boolean
  }
  /** Returns the change of access that a row makes; undefined if none. */
  access?(body: B, existing: Item): 'block' | 'unblock' | undefined
  /** Returns true when an existing item stays blocked without the row requesting it. */
  staysBlocked?(body: B, existing: Item): boolean
  usersOf?(body: B): readonly string[]
  /** Returns the reason why an existing item cannot be changed; undefined if it can. */
  unchangeable?(body: B, existing: Item): string | undefined
  /** Returns the fields of a row that the service neither updates nor shows. */
  kept?(body: B, existing: Item): readonly string[]
  /**
   * Finds the item of a row whose response was lost; `absent` if it certainly does not exist, undefined if
   * unknown.
   */
  trace(client: Client, body: B): Promise<Item | 'absent' | undefined>
  notices?(): readonly string[]
}

const choices: readonly unknown[] = [...roomTypes, ...memberTypes]

/**
 * Returns true when an item has all values of a row, as far as the service shows them. Numbers may arrive as text,
 * booleans as 1 and 0, and enumerated values in capitals.
 */
export function hasValues(existing: Item, body: Body): boolean {
  return Object.entries(body).every(([field, value]) => {
    const told = existing[field]
    if (!Object.hasOwn(existing, field) || textOf(told) === textOf(value)) return true
    if (typeof value === 'boolean') return parseBoolean(told) === value
    return choices.includes(value) && textOf(told).toLowerCase() === value
  })
}

/** Reads the item of a response; undefined when it does not exist. */
export async function itemOf(asked: Promise<Answer>, field: string): Promise<Item | undefined> {
  const answer = await undefinedIfNotFound(asked)
  return answer && ((readAnswer(answer) as Item)[field] as Item)
}

export function idIn(asked: Promise<Answer>, field: string): Promise<string> {
  return asked.then((answer) => {
    const { [field]: item } = readAnswer(answer) as Readonly<Record<string, Item>>
    return textOf(item?.['id'])
  })
}
