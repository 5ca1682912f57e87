import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { type JsonBody, readResponseValue } from '../../api/json.ts'
import type { Client } from '../../client/client.ts'
import type { Item } from '../output/views/views.ts'

/** Operations on the records of each kind. A member cannot be removed. */
const kinds = {
  user: { find: 'getUser', create: 'createUser', update: 'updateUser', remove: 'deleteUser' },
  room: { find: 'getRoom', create: 'createRoom', update: 'updateRoom', remove: 'deleteRoom' },
  member: { find: 'getMember', create: 'addMember', update: 'updateMember', remove: undefined },
} as const

export type Kind = keyof typeof kinds

export interface RecordRef {
  kind: Kind
  id: string
  /** Room of a member. */
  room_id?: string | undefined
}

// The parameters and the body of a kind cannot be typed for all kinds at once, hence `never`.

/** Returns undefined if the record does not exist. */
export async function findRecord(client: Client, ref: RecordRef): Promise<Item | undefined> {
  const { find } = kinds[ref.kind]
  const answer = await client.find(find, { params: toParams(ref) } as never)
  return answer && toRecord(find, answer)
}

/** @throws {NotFoundError} when the record does not exist */
export async function readRecord(client: Client, ref: RecordRef): Promise<Item> {
  const { find } = kinds[ref.kind]
  return toRecord(find, await client.call(find, { params: toParams(ref) } as never))
}

/**
 * Returns the record as the response shows it. Not `async`, because an extra promise slows down every row.
 * @param room_id room of a member
 */
export function createRecord(client: Client, kind: Kind, body: object, room_id?: unknown): Promise<Item> {
  const { create } = kinds[kind]
  const place = kind === 'member' ? { params: { room_id: String(room_id) } } : {}
  return client.call(create, { ...place, body } as never).then((answer) => toRecord(create, answer))
}

/** Changes fields of a record; sends nothing if there are none. Returns the record if the response shows it. */
export async function updateRecord(client: Client, ref: RecordRef, body: object): Promise<Item | undefined> {
  if (Object.keys(body).length === 0) return undefined
  const { update } = kinds[ref.kind]
  return toRecord(update, await client.call(update, { params: toParams(ref), body } as never))
}

export async function removeRecord(client: Client, kind: 'user' | 'room', id: string): Promise<void> {
  await client.call(kinds[kind].remove, { params: toParams({ kind, id }) } as never)
}

function toParams({ kind, id, room_id }: RecordRef) {
  return kind === 'user' ? { user_id: id } : kind === 'room' ? { id } : { room_id, member_id: id }
}

function toRecord(name: OperationName, answer: JsonBody): Item {
  return Object(readResponseValue(answer))[endpoints[name].result]
}
