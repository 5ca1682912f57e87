import { readAnswer } from '../../../api/json.ts'
import { parseBoolean } from '../../../api/readings.ts'
import { textOf } from '../../../api/text-of.ts'
import { memberTypes, roomTypes } from '../../../api/vocabulary.ts'
import type { Answer, Client } from '../../../client/client.ts'
import { undefinedIfNotFound } from '../../lists/run-one.ts'
import type { Item, View } from '../../output/views/views.ts'
import type { Columns } from './columns.ts'

/** What to send for one row, checked. */
export type Body = Readonly<Record<string, unknown>>

/** What can be imported, and how. */
export interface ImportAdapter<B extends Body = Body> extends Columns {
  name: 'users' | 'rooms' | 'members'
  view: View
  /** The operation that makes one; its schema checks the rows. */
  creates: 'createUser' | 'createRoom' | 'addMember'
  /** Columns that are no fields of the thing: giving it other values leaves them alone. */
  beside?: readonly string[]
  /**
   * What a row says in the words of requests: files hold whole records, with what the service makes itself.
   * @throws {UsageError} for a row that says nothing of the kind
   */
  normal?(body: Body): Body
  /** What tells rows apart, and people which one is meant; undefined when nothing does. */
  key(body: B): string | undefined
  /** What results call a row: its key, where that is left out. */
  label?(body: B): string | undefined
  /** The fields that the key is made of. */
  keyName: string
  /** Whether creating what is there already overrides it without more ado. */
  overrides: boolean
  /** Whether creating a row a second time creates another one. */
  repeats: boolean
  /** Whether `overwrite` and `update` create what is not there. */
  createsMissing: boolean
  /** What the service has under the key of a row. */
  find(client: Client, body: B): Promise<Item | undefined>
  /** Makes it; answers with its id. */
  create(client: Client, body: B): Promise<string>
  /** What creating sets; all of the row where that is left out. */
  created?(body: B): Body
  /** What is left to do once it is made; may be done twice. Undefined where a row leaves nothing to do. */
  finish?(client: Client, body: B, id: string): Promise<void> | undefined
  /** Gives what is there the values of the row; answers with its id. */
  overwrite(client: Client, body: B, existing: Item): Promise<string>
  /** The same, and what the row leaves out stays; overwriting does so too where this is left out. */
  update?(client: Client, body: B, existing: Item): Promise<string>
  /** Takes something away that people may be using when what is there gets the values of a row. */
  destructive?: {
    /** `terminate`, and the same with -ing. */
    verb(body: B): string
    doing(body: B): string
    /** Whether a row does it. */
    asks(body: B): boolean
    /** Whether it is done already. */
    isDone(existing: Item, body: B): boolean
  }
  /** What a row does to somebody's access to what is there; undefined where it leaves it alone. */
  access?(body: B, existing: Item): 'block' | 'unblock' | undefined
  /** Whether what is there stays blocked although the row does not ask for that. */
  staysBlocked?(body: B, existing: Item): boolean
  /** The users that a row refers to. */
  usersOf?(body: B): readonly string[]
  /** Why what is there cannot get the values of the row. */
  unchangeable?(body: B, existing: Item): string | undefined
  /** The fields of a row that no update can write, where the service does not tell what the item has: it keeps that. */
  kept?(body: B, existing: Item): readonly string[]
  /**
   * What became of a row that was sent and never answered: what is there under its key, `absent` when certainly
   * nothing is, undefined when that cannot be told.
   */
  trace(client: Client, body: B): Promise<Item | 'absent' | undefined>
  /** What to say at the end of what was left out of rows. */
  notices?(): readonly string[]
}

const choices: readonly unknown[] = [...roomTypes, ...memberTypes]

/**
 * Whether something has all the values that a row gives, as far as the service tells them; some send numbers as text,
 * booleans as 1 and 0, and types in capitals.
 */
export function hasValues(existing: Item, body: Body): boolean {
  return Object.entries(body).every(([field, value]) => {
    const told = existing[field]
    if (!Object.hasOwn(existing, field) || textOf(told) === textOf(value)) return true
    if (typeof value === 'boolean') return parseBoolean(told) === value
    return choices.includes(value) && textOf(told).toLowerCase() === value
  })
}

/** The item that an operation answers with; undefined when it does not exist. */
export async function itemOf(asked: Promise<Answer>, field: string): Promise<Item | undefined> {
  const answer = await undefinedIfNotFound(asked)
  return answer && ((readAnswer(answer) as Item)[field] as Item)
}

/** The id of what an operation answers with. A number keeps all of its digits. */
export function idIn(asked: Promise<Answer>, field: string): Promise<string> {
  return asked.then((answer) => {
    const { [field]: item } = readAnswer(answer) as Readonly<Record<string, Item>>
    return textOf(item?.['id'])
  })
}
