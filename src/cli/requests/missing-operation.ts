import { isRecord } from '../../api/guards.ts'
import { judgeAbsence } from '../../client/missing-resource.ts'
import { type MeetroomError, NotFoundError } from '../../errors.ts'

/** Returns true if the service may lack the operation. A missing resource can cause the same error. */
export function isMissingOperation(error: MeetroomError): boolean {
  const { status = 0, body } = error
  const details = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  return (
    error instanceof NotFoundError ||
    status === 501 ||
    judgeAbsence(status, String(details['code'] ?? ''), {}) === 'operation'
  )
}
