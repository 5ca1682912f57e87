export type RequestLine = { method: string; path: string }

/** Suggested command line of this program. `formatHintText` adds any flags that select the service. */
export class Suggestion {
  constructor(
    readonly words: readonly string[],
    readonly operands: readonly string[] = [],
    readonly isExample = false,
  ) {}
}

export const suggest = (words: readonly string[], ...operands: readonly string[]) =>
  new Suggestion(words, operands)

/** Suggests a command as an example, whose arguments the user must replace. */
export const suggestExample = (words: readonly string[]) => new Suggestion(words, [], true)

export const suggestHelp = (...words: readonly string[]) => suggest([...words, '--help'])

/** Text, suggested commands, or both in the order in which they are printed. */
export type Hint = string | Suggestion | readonly Hint[]

/** Change of the flags of the typed command line, which a hint suggests between `before` and `after`. */
export interface LineEdit {
  before: string
  after?: string
  omit?: readonly string[]
  add?: readonly string[]
  replace?: readonly [flag: string, value: string, values: readonly string[]]
}

/** Unknown words of a value. The hint and the correction are added when the error is shown. */
export interface Misspelling {
  kind: 'field' | 'choice'
  words: readonly string[]
  known: readonly string[]
  /** @param find returns the known word that a word probably means, or the word itself */
  correct(find: (word: string) => string): ErrorDetails['correction']
}

export interface ErrorDetails {
  /** Advice in one line. Each command of this program must be a `Suggestion`, not text. */
  hint?: Hint | undefined
  /** Invalid value, and the value to suggest. A redirection such as ` < FILE` follows the suggestion. */
  correction?: readonly [given: string, meant: string, redirection?: string] | undefined
  /** Replaces the hint if the complete line is known. */
  lineEdit?: LineEdit | undefined
  misspelling?: Misspelling | undefined
  status?: number | undefined
  /** True if the same command may succeed later. */
  retryable?: boolean | undefined
  /** Unparsed value of the `Retry-After` header. */
  retryAfter?: string | undefined
  /** Value of the response header `X-Request-Id`, for the operators of the service. */
  requestId?: string | undefined
  request?: RequestLine | undefined
  body?: unknown
  /** True for an accepted, non-repeatable POST whose outcome is unknown. */
  accepted?: boolean | undefined
  /** ID of a created item whose values differ from the request or are not confirmed. */
  createdId?: string | undefined
  cause?: unknown
}

/** Failure with an exit code on which scripts rely. */
export abstract class MeetroomError extends Error {
  abstract readonly exitCode: number
  /** Error code in JSON output, on which scripts rely. */
  abstract readonly code: string
  /** Replaced when the command line shows more about the mistake. */
  hint: Hint | undefined
  correction: ErrorDetails['correction']
  readonly lineEdit: LineEdit | undefined
  readonly misspelling: Misspelling | undefined
  readonly status: number | undefined
  readonly retryable: boolean
  readonly retryAfter: string | undefined
  readonly requestId: string | undefined
  readonly request: RequestLine | undefined
  readonly body: unknown
  readonly accepted: boolean | undefined
  readonly createdId: string | undefined
  /** Flags that select the service of the error; undefined for the service of the run. */
  target: readonly string[] | undefined

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    // The build shortens the names of classes, and test runners print this name.
    this.name = 'MeetroomError'
    this.correction = details.correction
    this.lineEdit = details.lineEdit
    this.misspelling = details.misspelling
    const [, meant = '', redirection = ''] = details.correction ?? []
    this.hint = details.hint ?? (details.correction && `did you mean “${meant}${redirection}”?`)
    this.status = details.status
    this.retryable = details.retryable ?? false
    this.retryAfter = details.retryAfter
    this.requestId = details.requestId
    this.request = details.request
    this.body = details.body
    this.accepted = details.accepted
    this.createdId = details.createdId
  }
}

/** Error for a refused request, and for failures without a class of their own. */
export class ApiError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'refused'
}

/** Error for an accepted write whose response or later read contradicts the request. */
export class NotAppliedError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'not_applied'
}

/** Error for a change that conflicts with the current items. */
export class ConflictError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'conflict'
}

/** Error in flags, input, settings or local files. */
export class UsageError extends MeetroomError {
  readonly exitCode = 2
  readonly code = 'usage'
}

export class NotFoundError extends MeetroomError {
  readonly exitCode = 3
  readonly code = 'not_found'
}

export class AuthError extends MeetroomError {
  readonly exitCode = 4
  readonly code = 'auth'
}

/** Error for a missing response, such as after a timeout. */
export class NetworkError extends MeetroomError {
  readonly exitCode = 5
  readonly code = 'network'
}

/** Error for a failed service or an unusable response, such as a 5xx. */
export class ServiceError extends MeetroomError {
  readonly exitCode = 6
  readonly code = 'service'
}

export class WrongBaseUrlError extends MeetroomError {
  readonly exitCode = 6
  readonly code = 'wrong_base_url'
}

type UnknownOutcomeDetails = ErrorDetails &
  Partial<Pick<UnknownOutcomeError, 'isFinal' | 'isGone' | 'possibleId'>>

export class UnknownOutcomeError extends MeetroomError {
  readonly exitCode = 7
  readonly code = 'unknown_outcome'
  /** True if no read of the item can determine the outcome. */
  readonly isFinal: boolean
  /** True if an earlier attempt of the request may have deleted the missing item. */
  readonly isGone: boolean
  /** ID in the response to the creation of a room; may belong to a job. */
  readonly possibleId: string | undefined

  constructor(message: string, { isFinal, isGone, possibleId, ...details }: UnknownOutcomeDetails = {}) {
    super(message, details)
    this.isFinal = isFinal ?? false
    this.isGone = isGone ?? false
    this.possibleId = possibleId
  }
}

export class PartialError extends MeetroomError {
  readonly exitCode = 8
  readonly code: string = 'partial'
}

/** Error for a read with incomplete results. */
export class IncompleteError extends PartialError {
  override readonly code = 'incomplete'
}

/** Error for a list whose items contradict a filter of the request. */
export class FilterIgnoredError extends PartialError {
  override readonly code = 'filter_ignored'
}

export class ConditionError extends MeetroomError {
  readonly exitCode = 9
  readonly code = 'condition'
}

export class ConfirmationError extends MeetroomError {
  readonly exitCode = 10
  readonly code = 'confirmation'
}

export class UnhealthyError extends MeetroomError {
  readonly exitCode = 1
  readonly code = 'unhealthy'
}

/** Changes that were made before an error: `the room was created`. */
export type Done = Readonly<{ text: string; isOne: boolean }>

/** Error for unusable output or storage, with the exit code EX_IOERR of sysexits(3). */
export class OutputError extends MeetroomError {
  readonly exitCode = 74
  readonly code = 'output'

  after({ text }: Done): OutputError {
    return new OutputError(`${text}, but ${this.message}`, { hint: this.hint, cause: this.cause })
  }
}

export class LostOutputError extends OutputError {
  constructor(readonly reason: string) {
    super(`the output cannot be written: ${reason}`)
  }

  override after({ text, isOne }: Done): OutputError {
    return new OutputError(
      `${text}, but ${isOne ? 'its' : 'their'} output could not be written: ${this.reason}`,
    )
  }
}

export class AuditError extends OutputError {}

/** Exit codes by signal: 128 plus the number of the signal, as in shells. */
const stopCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

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

/** Error for output that its reader has closed, as `head` does. `main` then returns 0. */
export class ClosedOutput extends Error {}

export function toMeetroomError(error: unknown): MeetroomError {
  return error instanceof MeetroomError ? error : new BugError(error)
}

export class BugError extends MeetroomError {
  readonly exitCode = 70
  readonly code = 'bug'

  constructor(cause: unknown) {
    const what = cause instanceof Error ? `${cause.name}: ${cause.message.split('\n')[0]}` : String(cause)
    super(`meetroom has a bug: ${what}`, {
      hint: 'run the same command with --verbose, and report the bug with its output',
      cause,
    })
  }
}
