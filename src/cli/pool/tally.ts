import { type CountedOutcome, type Status, statuses, verdictOfStatus } from '../../client/outcome.ts'
import {
  ApiError,
  type Hint,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  NotAppliedError,
  OutputError,
  PartialError,
  UnknownOutcomeError,
  UsageError,
} from '../../errors.ts'

interface Stop {
  /** What ended the run before its time. */
  fatal?: MeetroomError | undefined
  /** What to do next. */
  hint?: Hint | undefined
}

interface Ending {
  /** To report before the run ends. */
  reported?: MeetroomError
  /** To throw; undefined when all is well. */
  error?: MeetroomError
}

/** Counts what became of the parts of a run: what the run says at its end and its exit code follow from it. */
export class Tally {
  readonly #counts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
  readonly #inWords: (tally: Tally) => string
  #total: number
  #good = 0
  #bad = 0
  /** Those that failed for want of an answer. */
  #unanswered = 0
  /** Those that failed because the service accepted the change and did not make it. */
  #notApplied = 0

  /**
   * @param total how many parts there are, as far as that is known
   * @param inWords says how far a run has come, as in `deleted 2 of 3 users; 1 failed`
   */
  constructor(total: number, inWords: (tally: Tally) => string) {
    this.#total = total
    this.#inWords = inWords
  }

  /** How many parts there are. */
  get total(): number {
    return this.#total
  }

  /** There turn out to be so many parts at least. */
  expect(total: number): void {
    this.#total = Math.max(this.#total, total)
  }

  add(outcome: CountedOutcome): void {
    const { status } = outcome
    this.#counts[status]++
    if ('error' in outcome && outcome.error instanceof NetworkError) this.#unanswered++
    if ('error' in outcome && outcome.error instanceof NotAppliedError) this.#notApplied++
    const verdict = verdictOfStatus(status)
    if (verdict === 'good') this.#good++
    if (verdict === 'bad') this.#bad++
  }

  count(status: Status): number {
    return this.#counts[status]
  }

  /** How many ended badly. */
  get bad(): number {
    return this.#bad
  }

  /** How many ended, well or badly. */
  get tried(): number {
    return this.#good + this.#bad
  }

  get untried(): number {
    return this.total - this.tried
  }

  /** Everything was done, or did not have to be. */
  get isComplete(): boolean {
    return this.#good === this.total
  }

  get summary(): string {
    return this.#inWords(this)
  }

  /**
   * How a run ends. What stopped it is the whole story only where nothing was done before; else the run is partly done,
   * and what stopped it is reported.
   */
  ending({ fatal, hint }: Stop): Ending {
    const done = (['ok', 'overwrote', 'updated', 'skipped'] as const).some((status) => this.count(status) > 0)
    if (fatal && (!done || isOurs(fatal))) return { error: fatal }
    if (fatal) return { reported: fatal, error: new PartialError(this.summary, { hint }) }
    return this.#bad === 0 ? {} : { error: this.#error(hint) }
  }

  #error(hint: Hint | undefined): MeetroomError {
    if (this.#good > 0) return new PartialError(this.summary, { hint })
    if (this.count('unknown') > 0) return new UnknownOutcomeError(this.summary, { hint })
    if (this.#notApplied === this.#bad) return new NotAppliedError(this.summary, { hint })
    return this.#unanswered === this.#bad
      ? new NetworkError(this.summary, { hint, retryable: true })
      : new ApiError(this.summary, { hint })
  }
}

/** Stopped on this side: the run ends with it, whatever was done before. */
function isOurs(error: MeetroomError): boolean {
  return error instanceof UsageError || error instanceof OutputError || error instanceof InterruptedError
}
