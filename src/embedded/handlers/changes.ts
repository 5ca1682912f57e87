import { isDeepStrictEqual } from 'node:util'
import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { ParamsOf } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Fields, WriteKind } from '../../api/resource.ts'
import { type ResourceName, resources } from '../../api/resources.ts'
import { forbidden } from '../common/faults.ts'
import { isObject } from '../common/values.ts'
import { requireMember, requireRoom, requireUser, toMember, toRoom, toUser } from '../records/records.ts'
import type { HandlerContext } from './handler-context.ts'

type UpdateName = {
  [N in OperationName]: Operations[N]['method'] extends 'PUT' ? N : never
}[OperationName]

/** What each update finds, as answers show it. */
const present: { [N in UpdateName]: (desk: HandlerContext, params: ParamsOf<Operations[N]>) => object } = {
  updateRoom: (desk, { id }) => toRoom(requireRoom(desk.store, id), desk),
  updateMember: ({ store }, { room_id, member_id }) => toMember(requireMember(store, room_id, member_id)),
  updateUser({ store }, { user_id }) {
    const user = requireUser(store, user_id)
    return { ...toUser(user), id: user.id }
  },
}

/** What the service counts by itself: it may have moved on since the thing was read. */
const moving = ['updated_at', 'started_at', 'meeting_time', 'remaining_seconds']

export function isUpdate(name: OperationName): name is UpdateName {
  return Object.hasOwn(present, name)
}

/**
 * What the body of an update really changes. What is there already is no change, so that a thing can be read, edited and
 * sent back whole.
 * @throws {Fault} for a change of what an update cannot change
 */
export function changes<N extends UpdateName>(
  name: N,
  desk: HandlerContext,
  params: unknown,
  body: unknown,
): unknown {
  // The schema says what is wrong with it.
  if (!isObject(body)) return body
  const { fields } = resources[endpoints[name].resource]
  const found: Readonly<Record<string, unknown>> = {
    ...present[name](desk, params as ParamsOf<Operations[N]>),
  }
  const changed = Object.entries(body).filter(
    ([field, value]) => !isDeepStrictEqual(value, found[field]) && !moving.includes(field),
  )
  for (const [field] of changed)
    if (Object.hasOwn(fields, field) && !isWrittenBy('update', fields, field))
      throw forbidden(`${field} cannot be changed`)
  return Object.fromEntries(changed)
}

/**
 * Refuses what only an update can set, rather than dropping it. What the service makes itself is ignored: things that
 * were read are created again elsewhere.
 * @throws {Fault} for a field with a value that says something
 */
export function requireCreatable(resource: ResourceName, body: object): void {
  const { fields } = resources[resource]
  for (const [name, value] of Object.entries(body))
    if (value === true && isWrittenBy('update', fields, name) && !isWrittenBy('create', fields, name))
      throw forbidden(`${name} cannot be set at creation`)
}

function isWrittenBy(write: WriteKind, fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && (fields[name]?.write?.split(' ').includes(write) ?? false)
}
