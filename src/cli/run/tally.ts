import { plural } from '../../api/plural.ts'
import { type CountedOutcome, judgeStatus, type Status, statuses } from '../../client/outcome.ts'
import {
  ApiError,
  ConflictError,
  type Hint,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  NotAppliedError,
  NotFoundError,
  OutputError,
  PartialError,
  ServiceError,
  UnknownOutcomeError,
  UsageError,
} from '../../errors.ts'

interface RunResult {
  /** Fatal error to report before `error`. */
  reported?: MeetroomError
  /** Error to throw; undefined after success. */
  error?: MeetroomError
}

/** Counts of the outcomes of a run, which determine its summary and exit code. */
export class Tally {
  readonly #counts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
  total: number
  #estimate = 0
  #good = 0
  bad = 0
  #withoutResponse = 0
  #serviceFailures = 0
  #notApplied = 0
  conflicts = 0
  /** First hint of a `NotFoundError`. */
  missingHint: Hint | undefined
  readonly #summarize: (tally: Tally) => string

  constructor(total: number, summarize: (tally: Tally) => string) {
    this.#summarize = summarize
    this.total = total
  }

  expect(total: number): void {
    this.total = Math.max(this.total, total)
  }

  /** Sets the probable total, but not `total`. */
  estimate(total: number): void {
    this.#estimate = total
  }

  get probableTotal(): number {
    return Math.max(this.total, this.#estimate)
  }

  add(outcome: CountedOutcome): void {
    const { status } = outcome
    this.#counts[status]++
    if ('error' in outcome && outcome.error instanceof NetworkError) this.#withoutResponse++
    if ('error' in outcome && outcome.error instanceof ServiceError) this.#serviceFailures++
    if ('error' in outcome && outcome.error instanceof NotAppliedError) this.#notApplied++
    if ('error' in outcome && outcome.error instanceof ConflictError) this.conflicts++
    if ('error' in outcome && outcome.error instanceof NotFoundError) this.missingHint ??= outcome.error.hint
    const verdict = judgeStatus(status)
    if (verdict === 'good') this.#good++
    if (verdict === 'bad') this.bad++
  }

  count(status: Status): number {
    return this.#counts[status]
  }

  get tried(): number {
    return this.#good + this.bad
  }

  get untried(): number {
    return this.total - this.tried
  }

  get isComplete(): boolean {
    return this.#good === this.total
  }

  /** Formats a summary, such as `added 3 users; 2 skipped; 1 failed`. */
  describe(
    done: readonly string[],
    {
      skipped = this.count('skipped') + this.count('would_skip'),
      skippedAs = 'skipped',
      untried = this.untried,
    } = {},
    more: readonly string[] = [],
  ): string {
    const [unknown, invalid] = [this.count('unknown'), this.count('invalid')]
    const counts: [count: number, what: string][] = [
      [skipped, skippedAs],
      [this.bad - unknown - invalid, 'failed'],
      [invalid, plural(invalid, 'invalid row')],
      [unknown, 'with an unknown outcome'],
      [untried, 'not tried'],
    ]
    const rest = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
    return [...done, ...rest, ...more].join('; ')
  }

  get summary(): string {
    return this.#summarize(this)
  }

  /**
   * Determines the result. A fatal error is only reported if its exit code would wrongly mean that nothing
   * changed.
   */
  ending({ fatal, hint }: { fatal?: MeetroomError | undefined; hint?: Hint | undefined }): RunResult {
    const done = (['ok', 'overwrote', 'updated', 'skipped'] as const).some((status) => this.count(status) > 0)
    const isUnknown = this.count('unknown') > 0 && !(fatal instanceof UnknownOutcomeError)
    if (fatal && ((!done && !isUnknown) || isLocalError(fatal))) return { error: fatal }
    if (fatal && done) return { reported: fatal, error: new PartialError(this.summary, { hint }) }
    if (fatal) return { reported: fatal, error: this.#error(hint) }
    // A run that stops early may have no failed item.
    return this.bad === 0 && this.untried <= 0 ? {} : { error: this.#error(hint) }
  }

  #error(hint: Hint | undefined): MeetroomError {
    if (this.#good > 0 || this.bad === 0) return new PartialError(this.summary, { hint })
    if (this.count('unknown') > 0) return new UnknownOutcomeError(this.summary, { hint })
    if (this.#notApplied === this.bad) return new NotAppliedError(this.summary, { hint })
    if (this.#serviceFailures === this.bad) return new ServiceError(this.summary, { hint, retryable: true })
    return this.#withoutResponse === this.bad
      ? new NetworkError(this.summary, { hint, retryable: true })
      : new ApiError(this.summary, { hint })
  }
}

function isLocalError(error: MeetroomError): boolean {
  return error instanceof UsageError || error instanceof OutputError || error instanceof InterruptedError
}
