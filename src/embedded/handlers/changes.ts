import { isDeepStrictEqual } from 'node:util'
import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { ParamsOf } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import type { Fields, WriteKind } from '../../api/resource-types.ts'
import { type ResourceName, resources } from '../../api/resources.ts'
import { forbidden } from '../common/faults.ts'
import { isObject } from '../common/values.ts'
import { requireMember, requireRoom, requireUser, toMember, toRoom, toUser } from '../records/records.ts'
import type { HandlerContext } from './handler-context.ts'

type UpdateName = {
  [N in OperationName]: Operations[N]['method'] extends 'PUT' ? N : never
}[OperationName]

const currentRecords: {
  [N in UpdateName]: (context: HandlerContext, params: ParamsOf<Operations[N]>) => object
} = {
  updateRoom: (context, { id }) => toRoom(requireRoom(context.store, id), context),
  updateMember: ({ store }, { room_id, member_id }) => toMember(requireMember(store, room_id, member_id)),
  updateUser({ store }, { user_id }) {
    const user = requireUser(store, user_id)
    return { ...toUser(user), id: user.id }
  },
}

/** Ignored fields, which may have changed since the client read them. */
const volatileFields = ['updated_at', 'started_at', 'meeting_time', 'remaining_seconds']

export function isUpdate(name: OperationName): name is UpdateName {
  return Object.hasOwn(currentRecords, name)
}

/**
 * Selects the changed fields of an update, so that clients can send back a whole record.
 * @throws {Fault} if a changed listed field cannot be updated, or the record does not exist
 */
export function selectChanges<N extends UpdateName>(
  name: N,
  context: HandlerContext,
  params: unknown,
  body: unknown,
): unknown {
  // Schema validation later reports a body that is not an object.
  if (!isObject(body)) return body
  const { fields } = resources[endpoints[name].resource]
  const current: Readonly<Record<string, unknown>> = {
    ...currentRecords[name](context, params as ParamsOf<Operations[N]>),
  }
  const changed = Object.entries(body).filter(
    ([field, value]) => !isDeepStrictEqual(value, current[field]) && !volatileFields.includes(field),
  )
  for (const [field] of changed)
    if (Object.hasOwn(fields, field) && !isWrittenBy('update', fields, field))
      throw forbidden(`${field} cannot be changed`)
  return Object.fromEntries(changed)
}

/** @throws {Fault} if a field that only an update can set is true */
export function requireCreatable(resource: ResourceName, body: object): void {
  const { fields } = resources[resource]
  for (const [name, value] of Object.entries(body))
    if (value === true && isWrittenBy('update', fields, name) && !isWrittenBy('create', fields, name))
      throw forbidden(`${name} cannot be set at creation`)
}

function isWrittenBy(write: WriteKind, fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && (fields[name]?.write?.split(' ').includes(write) ?? false)
}
