import { ApiError, MeetroomError, ServiceError, suggest } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { isMissingOperation } from '../../../requests/missing-operation.ts'

/**
 * Distinguishes a missing room from a service without lists of pages.
 * @throws errors of `getRoom`
 */
export async function explainMissingList(
  context: Context,
  room_id: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof MeetroomError)) return error
  const { status, request, body } = error
  const isMissing = isMissingOperation(error)
  if (!isMissing && !(error instanceof ApiError && status === 400)) return error
  await (await context.client()).call('getRoom', { params: { id: room_id } })
  if (!isMissing) return error
  return new ServiceError('the service does not list pages', {
    hint: [
      `room ${room_id} exists, but this service has no list of pages; show the room with: `,
      suggest(['rooms', 'get'], room_id),
    ],
    ...{ status, request, body, cause: error },
  })
}
