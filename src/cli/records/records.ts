import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { type JsonBody, readResponseValue } from '../../api/json.ts'
import type { Client } from '../../client/client.ts'
import type { AnyInput } from '../../client/request.ts'
import type { Item } from '../output/views/views.ts'

/** The API cannot remove members. */
const kinds = {
  user: { find: 'getUser', create: 'createUser', update: 'updateUser', remove: 'deleteUser' },
  room: { find: 'getRoom', create: 'createRoom', update: 'updateRoom', remove: 'deleteRoom' },
  member: { find: 'getMember', create: 'addMember', update: 'updateMember', remove: undefined },
} as const

export type Kind = keyof typeof kinds

export type RecordRef =
  | { kind: 'user' | 'room'; id: string }
  | { kind: 'member'; id: string; room_id: string }

/** Casts an input, because the compiler cannot check the inputs of all kinds together. */
export const forAnyKind = (input: AnyInput) => input as never

export async function findRecord(client: Client, ref: RecordRef): Promise<Item | undefined> {
  const { find } = kinds[ref.kind]
  const response = await client.find(find, forAnyKind({ params: toParams(ref) }))
  return response && toRecord(find, response)
}

/** @throws {NotFoundError} if the record does not exist */
export async function readRecord(client: Client, ref: RecordRef): Promise<Item> {
  const { find } = kinds[ref.kind]
  return toRecord(find, await client.call(find, forAnyKind({ params: toParams(ref) })))
}

/**
 * Avoids `async`, because the function runs for every row.
 * @param room_id room of the member; ignored for other kinds
 */
export function createRecord(client: Client, kind: Kind, body: object, room_id?: unknown): Promise<Item> {
  const { create } = kinds[kind]
  const place = kind === 'member' ? { params: { room_id: String(room_id) } } : {}
  return client.call(create, forAnyKind({ ...place, body })).then((response) => toRecord(create, response))
}

/** Sends nothing without fields. Returns the record if the response contains it. */
export async function updateRecord(client: Client, ref: RecordRef, body: object): Promise<Item | undefined> {
  if (Object.keys(body).length === 0) return undefined
  const { update } = kinds[ref.kind]
  return toRecord(update, await client.call(update, forAnyKind({ params: toParams(ref), body })))
}

export async function removeRecord(client: Client, kind: 'user' | 'room', id: string): Promise<void> {
  await client.call(kinds[kind].remove, forAnyKind({ params: toParams({ kind, id }) }))
}

function toParams(ref: RecordRef): Record<string, string> {
  if (ref.kind === 'member') return { room_id: ref.room_id, member_id: ref.id }
  return ref.kind === 'user' ? { user_id: ref.id } : { id: ref.id }
}

function toRecord(name: OperationName, response: JsonBody): Item {
  return Object(readResponseValue(response))[endpoints[name].result]
}
