import {
  AuditError,
  AuthError,
  asForeseen,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  UnknownOutcomeError,
  WrongBaseUrlError,
} from '../errors.ts'

/** What each status says of the run that it is part of. */
const verdicts = {
  ok: 'good',
  // What was there already got the values of a row. Results call these `ok`.
  overwrote: 'good',
  updated: 'good',
  /** Nothing had to be done. */
  skipped: 'good',
  /** Nothing was changed. */
  failed: 'bad',
  /** The change may have been made, without an answer that says so. */
  unknown: 'bad',
  /** It was not started. */
  unsent: 'open',
  /** A row that cannot be sent. */
  invalid: 'bad',
  // What a dry run foresees.
  would_create: 'good',
  would_overwrite: 'good',
  would_update: 'good',
  would_skip: 'good',
  would_block: 'good',
  would_unblock: 'good',
  would_delete: 'good',
  would_fail: 'bad',
} as const satisfies Record<string, 'good' | 'bad' | 'open'>

/** What became of a request or of a row. The words are those of results and journals, which scripts and later runs read. */
export type Status = keyof typeof verdicts

/** Every status there is. */
export const statuses = Object.keys(verdicts) as readonly Status[]

export interface Failure {
  status: 'failed' | 'unknown' | 'invalid' | 'would_fail' | 'unsent'
  error: MeetroomError
}

/** What became of a request or of a row, with what the service gave for it. */
export type Outcome<T> =
  | { status: 'ok' | 'overwrote' | 'updated'; value: T }
  | (Failure & { value?: T })
  | {
      status: Exclude<Status, 'ok' | 'overwrote' | 'updated' | Exclude<Failure['status'], 'unsent'>>
      value?: T
    }

/** An outcome, as far as it is counted. */
export type CountedOutcome = Pick<Outcome<unknown>, 'status'> | Failure

export function verdictOfStatus(status: Status): 'good' | 'bad' | 'open' {
  return verdicts[status]
}

/** What an error says of the request that ended with it. */
export function toFailure(cause: unknown): Failure {
  const error = asForeseen(cause)
  // Without a request that may have been sent, nothing was changed.
  if (error instanceof InterruptedError && !error.request) return { status: 'unsent', error }
  return { status: isUnknown(error) ? 'unknown' : 'failed', error }
}

/** Whether an error says that something may have been changed. */
export function isUnknown(error: MeetroomError): boolean {
  return error instanceof UnknownOutcomeError || error instanceof InterruptedError
}

/** Whether what comes next would fail in the same way: the key is refused, say, or nothing answers. */
export function isFatal(error: MeetroomError): boolean {
  const kinds = [AuditError, AuthError, NetworkError, WrongBaseUrlError, InterruptedError]
  return kinds.some((kind) => error instanceof kind)
}
