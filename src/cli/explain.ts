import { NotFoundError } from '../errors.ts'
import type { Context } from './context.ts'
import { quotedWord } from './output/hint-text.ts'

/** 24 hex digits and UUIDs are ids, and not names that people give to rooms. */
const looksLikeId = /^([0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** A room that is not there may have been named rather than given by its id: one look tells. */
export async function explainMissing(error: NotFoundError, context: Context): Promise<NotFoundError> {
  const [, segment] = /^\/rooms\/([^/?]+)/.exec(error.request?.path ?? '') ?? []
  if (segment === undefined) return error
  try {
    const name = decodeURIComponent(segment)
    if (looksLikeId.test(name)) return error
    const { value } = await (await context.client()).call('listRooms', { query: { name, limit: 10 } })
    const ids = value.rooms.filter((room) => room.name === name).map(({ id }) => id)
    if (ids.length === 0) return error
    const { message, status, request, body } = error
    const hint =
      ids.length === 1
        ? `a room has this name; pass ${quotedWord(`name:${name}`)}, or its id, ${ids[0]}`
        : `rooms of this name: ${ids.join(', ')}`
    return new NotFoundError(message, { status, request, body, hint })
  } catch {
    return error
  }
}
