import {
  AuditError,
  AuthError,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  toMeetroomError,
  UnknownOutcomeError,
  WrongBaseUrlError,
} from '../errors.ts'

const verdicts = {
  ok: 'good',
  // Results of an import show `overwrote` and `updated` as `ok`.
  overwrote: 'good',
  updated: 'good',
  skipped: 'good',
  failed: 'bad',
  unknown: 'bad',
  unsent: 'open',
  invalid: 'bad',
  would_create: 'good',
  would_overwrite: 'good',
  would_update: 'good',
  would_skip: 'good',
  would_block: 'good',
  would_unblock: 'good',
  would_delete: 'good',
  would_fail: 'bad',
} as const satisfies Record<string, 'good' | 'bad' | 'open'>

/** Names on which scripts and journals rely. */
export type Status = keyof typeof verdicts

export const statuses = Object.keys(verdicts) as readonly Status[]

export interface Failure {
  status: 'failed' | 'unknown' | 'invalid' | 'would_fail' | 'unsent'
  error: MeetroomError
}

export type Outcome<T> =
  | { status: 'ok' | 'overwrote' | 'updated'; value: T }
  | (Failure & { value?: T })
  | {
      status: Exclude<Status, 'ok' | 'overwrote' | 'updated' | Exclude<Failure['status'], 'unsent'>>
      value?: T
      reason?: string
    }

export type CountedOutcome = Pick<Outcome<unknown>, 'status'> | Failure

export function judgeStatus(status: Status): 'good' | 'bad' | 'open' {
  return verdicts[status]
}

export function toFailure(cause: unknown): Failure {
  const error = toMeetroomError(cause)
  // Without a request, the interruption changed nothing.
  if (error instanceof InterruptedError && !error.request) return { status: 'unsent', error }
  return { status: isUnknown(error) ? 'unknown' : 'failed', error }
}

export function isUnknown(error: MeetroomError): boolean {
  return error instanceof UnknownOutcomeError || error instanceof InterruptedError
}

/** Returns true if the next request would probably fail too, as for a refused key. */
export function isFatal(error: MeetroomError): boolean {
  const kinds = [AuditError, AuthError, NetworkError, WrongBaseUrlError, InterruptedError]
  return kinds.some((kind) => error instanceof kind)
}
