import { AuthError, type MeetroomError, NetworkError, UnknownOutcomeError, UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { asForeseen, redacted } from '../output/error.ts'
import type { Outcome } from '../pool/outcome.ts'
import { openPool, type Pool } from '../pool/pool.ts'
import type { Tally } from '../pool/tally.ts'
import { inputPlace } from './input/place.ts'
import type { Row } from './input/rows.ts'
import type { Body } from './kinds/kind.ts'
import { Journal } from './outcome/journal.ts'
import { isNoted } from './outcome/past.ts'
import { startProgress } from './outcome/progress.ts'
import { Rejects } from './outcome/rejects.ts'
import { Results } from './outcome/results.ts'
import type { Plan } from './prepare.ts'
import { type Job, Remaining } from './remaining.ts'
import { Sender } from './send.ts'

/**
 * Sends the rows of an import that are left to do.
 * @returns what ended the run before its time
 * @throws {UsageError | OutputError} when the files beside it cannot be used, or its results not be printed
 */
export async function sendRows(
  context: Context,
  plan: Plan,
  tally: Tally,
): Promise<MeetroomError | undefined> {
  // An import asks once, for all of its rows. Only what can be sent begins a journal.
  const pool = await openPool(context, plan.flags, tally, { confirmed: true })
  const results = await Results.open(context)
  const journal = await openJournal(context, plan)
  // As long as nothing has been sent there is nothing to resume but what there was before.
  let isComplete = !plan.flags.resume
  try {
    const rejects = await openRejects(context, plan)
    isComplete = false
    const fatal = await new Run({ context, plan, tally, pool, results, journal, rejects }).run()
    isComplete = !fatal && !pool.isStopped && tally.count('unknown') === 0
    return fatal
  } finally {
    await journal?.close(isComplete)
  }
}

async function openJournal(context: Context, { kind, checked, flags, journal }: Plan) {
  if (journal === undefined) return undefined
  const { ifExists, map = [], room = null, roomIds = null, resume = false } = flags
  return Journal.open(
    journal,
    {
      command: `${kind.name} import`,
      input: checked.digest,
      target: await context.target(),
      options: JSON.stringify([ifExists, map, room, roomIds]),
    },
    { rows: checked.rows, resume, host: context.host },
  )
}

async function openRejects({ host, flags: { dryRun } }: Context, plan: Plan) {
  const { flags, format, checked, source, journal } = plan
  if (flags.failedOut === undefined || dryRun) return undefined
  return Rejects.open(flags.failedOut, format, checked.columns, host.cwd, [source.path, journal])
}

interface Parts {
  context: Context
  plan: Plan
  tally: Tally
  pool: Pool
  results: Results
  journal: Journal | undefined
  rejects: Rejects | undefined
}

/** One run over an input that has been checked, with everything that it needs open. */
class Run {
  readonly #parts: Parts
  readonly #sender: Sender
  readonly #remaining: Remaining
  /** Requests without an answer since the last that had one. */
  #unanswered = 0

  constructor(parts: Parts) {
    const { context, plan, tally, pool, journal } = parts
    this.#parts = parts
    this.#sender = new Sender({
      client: pool.client,
      kind: plan.kind,
      ifExists: plan.flags.ifExists,
      dryRun: context.flags.dryRun ?? false,
    })
    this.#remaining = new Remaining(plan.checked, journal?.past, {
      onDone: (status) => tally.add(status),
      onInvalid: (row, problem) =>
        this.#note(row, undefined, { status: 'invalid', error: new UsageError(problem) }),
    })
  }

  /** @returns what ended it before its time */
  async run(): Promise<MeetroomError | undefined> {
    const { context, plan, tally, pool, rejects, results } = this.#parts
    const progress = await startProgress(context, plan.checked.rows)
    try {
      await pool.run<Job>({
        take: () => this.#take(),
        perform: async (job) => {
          await this.#perform(job)
          progress.update(tally.tried, tally.bad)
        },
        putBack: (job) => this.#putBack(job),
      })
      return undefined
    } catch (error) {
      return asForeseen(error)
    } finally {
      progress.stop()
      await closeAll([this.#remaining, rejects, results])
    }
  }

  async #take(): Promise<readonly Job[]> {
    const { plan, journal } = this.#parts
    const jobs = await this.#remaining.take(plan.flags.concurrency)
    if (jobs.length > 0) await journal?.sending(jobs.map(({ row }) => row.number))
    return jobs
  }

  /** @throws {MeetroomError} what the rest of the rows would meet as well */
  async #perform(job: Job): Promise<void> {
    const outcome = await this.#sender.send(job)
    const error = 'error' in outcome ? outcome.error : undefined
    if (error instanceof AuthError) {
      if (outcome.status !== 'unknown') this.#noteUnsent(job)
      throw error
    }
    await this.#note(job.row, job.body, outcome)
    if (!error || !isUnanswered(error)) this.#unanswered = 0
    // One lost connection is bad luck; when nothing comes through, the rest would fail like this.
    else if (++this.#unanswered >= Math.max(5, this.#parts.plan.flags.concurrency)) throw error
  }

  /** A row that will not be sent in this run. */
  #putBack(job: Job): void {
    // What an earlier run may have sent is still to be looked up.
    if (!job.lost) this.#noteUnsent(job)
  }

  #noteUnsent({ row }: Job): void {
    this.#parts.journal?.ended({ row: row.number, status: 'unsent' })
  }

  /** Keeps what became of a row, wherever that is to stand. */
  async #note(row: Row, body: Body | undefined, outcome: Outcome<string>): Promise<void> {
    const { context, plan, pool, journal, results, rejects } = this.#parts
    const { status, value: id } = outcome
    // A service may quote the key that it refuses, and this goes into files.
    const error = 'error' in outcome ? redacted(outcome.error.message, context.secrets) : undefined
    const key = (body && plan.kind.key(body))?.replace('\0', ' ')
    if (isNoted(status)) journal?.ended({ row: row.number, status, id, error })
    pool.count(status)
    const isFull = results.add({
      row: row.number,
      place: () => `${inputPlace(plan.source, row)}${named(key ?? body?.['name'])}`,
      key,
      status,
      id,
      error,
    })
    if (isFull) await isFull
    if (status === 'failed' || status === 'invalid') await rejects?.add(row, error ?? '')
  }
}

/** A name behind a place, where there is one. */
function named(name: unknown): string {
  return name === undefined ? '' : ` (${name})`
}

/** A request was made, and no answer came. */
function isUnanswered(error: MeetroomError): boolean {
  const isNoAnswer = error instanceof NetworkError || error instanceof UnknownOutcomeError
  return isNoAnswer && error.request !== undefined && error.status === undefined
}

/** Closes all, also when one of them cannot be closed; throws what the first of these says. */
async function closeAll(parts: readonly ({ close(): Promise<void> } | undefined)[]): Promise<void> {
  const failures: unknown[] = []
  for (const part of parts) await part?.close().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
