import type { Client } from '../../client/client.ts'
import { ApiError, type Hint, NotFoundError } from '../../errors.ts'
import { findRecord } from './records.ts'

export async function undefinedIfNotFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/**
 * Checks the room after a `NotFoundError`, because a 404 may also mean a missing operation.
 * @throws {ApiError} if the room can be read despite this error
 */
export async function undefinedIfRoomGone<T>(
  client: Client,
  id: string,
  reading: Promise<T>,
): Promise<T | undefined> {
  try {
    return await reading
  } catch (cause) {
    if (!(cause instanceof NotFoundError)) throw cause
    if (!(await findRecord(client, { kind: 'room', id }))) return undefined
    throw new ApiError(`the service responds that room ${id} does not exist, but the room can be read`, {
      cause,
    })
  }
}

/**
 * @param hint hint on creating the item without a lookup
 * @throws {ApiError} if the service refuses the lookup
 */
export async function lookUpFirst<T>(lookup: Promise<T>, hint?: Hint): Promise<T> {
  try {
    return await lookup
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status === undefined) throw cause
    const { message, status, request, body, requestId } = cause
    throw new ApiError(`nothing was created, because the lookup of an existing item failed: ${message}`, {
      ...{ status, request, body, requestId, hint: hint ?? cause.hint, cause },
    })
  }
}
