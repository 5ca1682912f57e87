/** What a request was, as far as an error may tell: never a header, never a key. */
export interface RequestLine {
  method: string
  path: string
}

/** A command line of this program that a hint or a notice recommends. Only `hintText` turns it into text. */
export class Suggestion {
  /**
   * @param words command, flags and their values
   * @param operands IDs and other arguments, which may begin with a dash
   * @param hasTarget whether the command takes the flags that select the service of this run
   */
  constructor(
    readonly words: readonly string[],
    readonly operands: readonly string[],
    readonly hasTarget: boolean,
  ) {}
}

/** Suggests a command for the service of this run: it is printed with the same `--profile`, `--local` and `--base-url`. */
export function suggest(words: readonly string[], ...operands: readonly string[]): Suggestion {
  return new Suggestion(words, operands, true)
}

/** Suggests a command that sends nothing to the service of this run, such as `profiles list`, or that names its own. */
export function suggestElsewhere(words: readonly string[], ...operands: readonly string[]): Suggestion {
  return new Suggestion(words, operands, false)
}

/** Suggests the help of a command; without words, that of the program. */
export function suggestHelp(...words: readonly string[]): Suggestion {
  return suggestElsewhere([...words, '--help'])
}

/** What to do about an error: text, suggested commands, or both in the order in which they are printed. */
export type Hint = string | Suggestion | readonly Hint[]

export interface ErrorDetails {
  /** One line saying what to do about it. Plain text names no command of this program. */
  hint?: Hint | undefined
  /** HTTP status of the answer, when there was one. */
  status?: number | undefined
  /** Whether the same command may succeed when run again unchanged. */
  retryable?: boolean | undefined
  /** `Retry-After`, as the service sent it. */
  retryAfter?: string | undefined
  /** An attempt before the one that was answered may have changed something. */
  afterLostAttempt?: boolean | undefined
  request?: RequestLine | undefined
  /** The decoded body of the service's answer. */
  body?: unknown
  /** The service accepted a write, and its result is not known. */
  accepted?: boolean | undefined
  cause?: unknown
}

/** Every failure that the program foresees. The exit code is part of the contract with scripts. */
export abstract class MeetroomError extends Error {
  abstract readonly exitCode: number
  /** Stable, machine-readable name: the `code` of the JSON error. */
  abstract readonly code: string
  readonly hint: Hint | undefined
  readonly status: number | undefined
  readonly retryable: boolean
  readonly retryAfter: string | undefined
  readonly afterLostAttempt: boolean
  readonly request: RequestLine | undefined
  readonly body: unknown
  readonly accepted: boolean | undefined

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = new.target.name
    this.hint = details.hint
    this.status = details.status
    this.retryable = details.retryable ?? false
    this.retryAfter = details.retryAfter
    this.afterLostAttempt = details.afterLostAttempt ?? false
    this.request = details.request
    this.body = details.body
    this.accepted = details.accepted
  }
}

/** The service refused the request: a 4xx that no other class describes better. */
export class ApiError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'refused'
}

/** The service accepted a write, and its response shows that it did not make the change. */
export class NotAppliedError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'not_applied'
  /** ID of an item that the service created, although not as requested. */
  readonly madeId: string | undefined

  constructor(message: string, { madeId, ...details }: ErrorDetails & { madeId?: string | undefined } = {}) {
    super(message, details)
    this.madeId = madeId
  }
}

/** The existing item is not what was asked for. */
export class ConflictError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'conflict'
}

/** Flags, input or settings are wrong; nothing was sent. */
export class UsageError extends MeetroomError {
  readonly exitCode = 2
  readonly code = 'usage'
}

/** No such room, member or user. */
export class NotFoundError extends MeetroomError {
  readonly exitCode = 3
  readonly code = 'not_found'
}

/** No key, or the service refuses the key. */
export class AuthError extends MeetroomError {
  readonly exitCode = 4
  readonly code = 'auth'
}

/** No answer: DNS, connection refused, TLS, proxy, deadline. */
export class NetworkError extends MeetroomError {
  readonly exitCode = 5
  readonly code = 'network'
}

/** The service failed (5xx), or its answer cannot be read. */
export class ServiceError extends MeetroomError {
  readonly exitCode = 6
  readonly code = 'service'
}

/** What answers at the base URL is not a Meeting Room Service. */
export class WrongBaseUrlError extends MeetroomError {
  readonly exitCode = 6
  readonly code = 'wrong_base_url'
}

/** A write was sent, and whether it took effect is not known. */
export class UnknownOutcomeError extends MeetroomError {
  readonly exitCode = 7
  readonly code = 'unknown_outcome'
}

/** Some items of a bulk failed, others succeeded. */
export class PartialError extends MeetroomError {
  readonly exitCode = 8
  readonly code: string = 'partial'
}

/** The service did not list all items; what it listed was read. */
export class IncompleteError extends PartialError {
  override readonly code = 'incomplete'
}

/** A condition that was asked for does not hold. */
export class ConditionError extends MeetroomError {
  readonly exitCode = 9
  readonly code = 'condition'
}

/** A change needed confirmation and did not get it. */
export class ConfirmationError extends MeetroomError {
  readonly exitCode = 10
  readonly code = 'confirmation'
}

/** Something that was examined is not as it should be. */
export class UnhealthyError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'unhealthy'
}

/** The result could not be written: a full disk, say. sysexits(3) calls it EX_IOERR. */
export class OutputError extends MeetroomError {
  readonly exitCode = 74
  readonly code = 'output'
}

/** The audit log cannot be written, and so nothing is sent. */
export class AuditError extends OutputError {}

/** The error for a system that has no file handle left; undefined for any other cause. */
export function tooFewHandles(cause: unknown): OutputError | undefined {
  const { code } = Object(cause) as { code?: unknown }
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined
  return new OutputError('too few file handles: the limit of open files is reached', {
    hint: 'raise it, as in: ulimit -n 1024',
    cause,
  })
}

/** Exit codes by signal, as shells count them. */
const stopCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The user or the system asked the program to stop. */
export class InterruptedError extends MeetroomError {
  readonly code = 'interrupted'
  readonly exitCode: number

  constructor(
    readonly signal: keyof typeof stopCodes,
    details: ErrorDetails = {},
  ) {
    super('interrupted', details)
    this.exitCode = stopCodes[signal]
  }
}

/** The reader of our output went away (`| head`). Not a failure: the program ends quietly. */
export class ClosedOutput extends Error {}

/** Returns an error of ours as it is, and wraps any other in a `BugError`. */
export function asForeseen(error: unknown): MeetroomError {
  return error instanceof MeetroomError ? error : new BugError(error)
}

/** A failure that the program does not foresee. */
export class BugError extends MeetroomError {
  readonly exitCode = 70
  readonly code = 'bug'

  constructor(cause: unknown) {
    const what = cause instanceof Error ? `${cause.name}: ${cause.message.split('\n')[0]}` : String(cause)
    super(`meetroom has a bug: ${what}`, {
      hint: 'please report it, with the output of the same command run with --verbose',
      cause,
    })
  }
}
