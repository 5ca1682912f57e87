import { endpoints } from '../../api/endpoints.ts'
import { readResponseValue } from '../../api/json.ts'
import type { Input } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import type { LookupName } from '../../client/evidence.ts'
import { ApiError, type Hint, NotFoundError } from '../../errors.ts'
import type { Item } from '../output/views/views.ts'

/** Reads an item; undefined if it does not exist. */
export async function findItem<N extends LookupName>(
  client: Client,
  name: N,
  input: Input<Operations[N]>,
): Promise<Item | undefined> {
  const answer = await client.find(name, input)
  return answer && ((readResponseValue(answer) as Item)[endpoints[name].result] as Item)
}

export async function undefinedIfNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

/**
 * Awaits a read in a room; undefined if the room does not exist. A 404 may also come from a service without the
 * operation, so the room itself decides.
 * @throws {ApiError} when the room exists
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
    if (!(await findItem(client, 'getRoom', { params: { id } }))) return undefined
    throw new ApiError(`the service refuses the request as if there were no room ${id}, but it can be read`, {
      cause,
    })
  }
}

/**
 * Awaits the look-up before a creation.
 * @param hint how to create the item without a look-up
 * @throws {ApiError} when the service refuses the look-up, so that nothing is created
 */
export async function lookUpFirst<T>(lookup: Promise<T>, hint?: Hint): Promise<T> {
  try {
    return await lookup
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.status === undefined) throw cause
    const { message, status, request, body, requestId } = cause
    throw new ApiError(`nothing was created, because the look-up of an existing item failed: ${message}`, {
      ...{ status, request, body, requestId, hint: hint ?? cause.hint, cause },
    })
  }
}
