import { resolve } from 'node:path'
import {
  AuthError,
  InterruptedError,
  MeetroomError,
  NetworkError,
  OutputError,
  PartialError,
  UnknownOutcomeError,
  UsageError,
} from '../../errors.ts'
import type { Context } from '../context.ts'
import { asForeseen, redacted } from '../output/error.ts'
import { Gate } from '../pool/gate.ts'
import { runJobs } from '../pool/jobs.ts'
import { busy, isBusy } from '../pool/patience.ts'
import { windDown } from '../pool/wind-down.ts'
import type { ImportFlags } from './import-flags.ts'
import { type Checked, type CheckedRow, placeOf } from './input/check.ts'
import type { InputFormat, Row } from './input/rows.ts'
import type { Source } from './input/source.ts'
import type { Body, Kind } from './kinds/kind.ts'
import { Journal, known } from './outcome/journal.ts'
import { startProgress } from './outcome/progress.ts'
import { Rejects } from './outcome/rejects.ts'
import { failureOf, Results } from './outcome/results.ts'
import { resumeCommand } from './outcome/resume-command.ts'
import { type Outcome, Sender } from './send.ts'

/** `people.csv:12`, which editors know how to open. */
export function at(source: Source, row: Row): string {
  return row.line === undefined ? `${source.name} ${placeOf(row)}` : `${source.name}:${row.line}`
}

/** A name behind a place, where there is one. */
function named(name: unknown): string {
  return name === undefined ? '' : ` (${name})`
}

interface Job {
  row: Row
  body: Body
  /** It may have been sent before, by a run that did not live to see the answer. */
  lost: boolean
  /** The id that it got in an earlier run, which could not give it all its values. */
  made: string | undefined
}

/** One run over an input that has been checked. */
export class ImportRun {
  readonly #gate: Gate
  readonly #stop = new AbortController()
  readonly #limit: number
  /** Failures to reach the service since the last answer. */
  #unreachable = 0
  #journal: Journal | undefined
  #sender!: Sender
  #results!: Results
  #rejects: Rejects | undefined

  constructor(
    readonly context: Context,
    readonly kind: Kind,
    readonly source: Source,
    readonly format: InputFormat,
    readonly checked: Checked,
    readonly file: string,
    readonly flags: ImportFlags,
  ) {
    this.#gate = new Gate(context.host, flags.rate, (seconds) => void context.notice(busy(seconds)))
    this.#limit = flags.failFast ? 0 : (flags.maxErrors ?? Number.POSITIVE_INFINITY)
  }

  async run(): Promise<void> {
    const { context, flags, checked, kind } = this
    const { cut, over } = windDown(context, this.#stop)
    const client = await context.client({
      connections: flags.concurrency,
      // An import asks once, for all of its rows.
      confirmed: true,
      interrupt: cut,
      onRetry: ({ status, waitMs }) => {
        if (isBusy(status)) this.#gate.hold(waitMs)
      },
    })
    // A journal is begun only by what can be sent.
    await client.ready()
    this.#sender = new Sender({
      client,
      kind,
      ifExists: flags.ifExists,
      dryRun: context.flags.dryRun ?? false,
      gate: this.#gate,
      stop: this.#stop.signal,
      clock: context.host,
    })
    this.#results = await Results.open(context)
    this.#journal = await this.#openJournal()
    // As long as nothing has been sent there is nothing to go on with but what was there before.
    let complete = !flags.resume
    let fatal: MeetroomError | undefined
    try {
      if (flags.failedOut !== undefined && !context.flags.dryRun)
        this.#rejects = await Rejects.open(flags.failedOut, this.format, checked.columns, context.host.cwd, [
          this.source.path,
          this.#journalPath(),
        ])
      complete = false
      const progress = await startProgress(context, checked.rows)
      const rows = this.#jobs()
      try {
        await runJobs({
          take: async () => {
            const jobs = await rows.take(flags.concurrency)
            if (jobs.length > 0 && !context.flags.dryRun)
              await this.#journal?.sending(jobs.map(({ row }) => row.number))
            return jobs
          },
          perform: async (job) => {
            await this.#perform(job)
            progress.update(this.#results.done, this.#results.failed)
          },
          putBack: (job) => this.#putBack(job),
          pace: flags,
          gate: this.#gate,
          stop: this.#stop.signal,
        })
        complete = !this.#stop.signal.aborted && (this.#results.counts.unknown ?? 0) === 0
      } catch (error) {
        fatal = asForeseen(error)
      } finally {
        progress.stop()
        await rows.close()
        try {
          await this.#rejects?.close()
        } finally {
          await this.#results.close()
        }
      }
    } finally {
      over()
      await this.#journal?.close(complete)
    }
    await this.#conclude(kind, fatal)
  }

  async #openJournal(): Promise<Journal | undefined> {
    const { context, flags, source, checked, kind } = this
    const path = this.#journalPath()
    if (flags.resume && path === undefined)
      throw new UsageError('--resume needs a journal to go on with', {
        hint: source.path === undefined ? 'name it with --journal FILE' : 'leave out --no-journal',
      })
    if (path === undefined || context.flags.dryRun) return undefined
    return Journal.open(
      path,
      {
        command: `${kind.name} import`,
        input: checked.digest,
        target: await context.target(),
        options: JSON.stringify([flags.ifExists, flags.map ?? [], flags.room ?? null, flags.roomIds ?? null]),
      },
      { rows: checked.rows, resume: flags.resume ?? false, host: context.host },
    )
  }

  #journalPath(): string | undefined {
    const { journal } = this.flags
    if (journal === false) return undefined
    if (typeof journal === 'string') return resolve(this.context.host.cwd, journal)
    return this.source.path && `${this.source.path}.journal`
  }

  /** The rows that are left to do, so many at a time. */
  #jobs(): { take(count: number): Promise<Job[]>; close(): Promise<void> } {
    const batches = this.checked.again()
    const { states, made } = this.#journal ?? {}
    let batch: readonly CheckedRow[] = []
    let i = 0
    const take = async (count: number) => {
      const jobs: Job[] = []
      while (jobs.length < count) {
        const checked = batch[i++]
        if (!checked) {
          const { value, done } = await batches.next()
          if (done) break
          batch = value
          i = 0
          continue
        }
        const { row, body, problem } = checked
        const state = states?.[row.number] ?? known.nothing
        if (state === known.done || state === known.skipped)
          this.#results.count(state === known.done ? 'ok' : 'skipped')
        else if (body) jobs.push({ row, body, lost: state === known.sent, made: made?.get(row.number) })
        else await this.#note(row, undefined, { status: 'invalid', error: problem ?? '' })
      }
      return jobs
    }
    return { take, close: async () => void (await batches.return(undefined)) }
  }

  async #perform(job: Job): Promise<void> {
    const { row, body } = job
    let outcome: Outcome
    try {
      outcome = await this.#attempt(job)
      this.#unreachable = 0
    } catch (cause) {
      const error = asForeseen(cause)
      if (error instanceof AuthError) {
        this.#putBack(job)
        throw error
      }
      // What may have been sent stays so until somebody has looked.
      const unknown = job.lost || error instanceof UnknownOutcomeError || error instanceof InterruptedError
      outcome = { status: unknown ? 'unknown' : 'failed', error: error.message }
      // One lost connection is bad luck; when nothing comes through, the rest would fail like this.
      if (!(error instanceof NetworkError) && !isLost(error)) this.#unreachable = 0
      else if (++this.#unreachable >= Math.max(5, this.flags.concurrency)) {
        await this.#note(row, body, outcome)
        throw error
      }
    }
    await this.#note(row, body, outcome)
  }

  /** Does what is left to do for a row. */
  async #attempt(job: Job): Promise<Outcome> {
    const { body, made } = job
    if (made !== undefined) return this.#sender.finish(body, made)
    if (job.lost) {
      const settled = await this.#sender.settle(body)
      if (settled) return settled
      // It is as if it had never been sent.
      job.lost = false
    }
    return this.#sender.send(body)
  }

  /** A row that will not be sent in this run. */
  #putBack({ row, lost }: Job): void {
    // What an earlier run may have sent is still to be looked up.
    if (!lost) this.#journal?.ended({ row: row.number, status: 'unsent' })
  }

  async #note(row: Row, body: Body | undefined, outcome: Outcome): Promise<void> {
    const { status, id } = outcome
    // A service may quote the key that it refuses, and this goes into files.
    const error = outcome.error && redacted(outcome.error, this.context.secrets)
    const key = body && this.kind.key(body)
    if (status === 'ok' || status === 'skipped' || status === 'failed' || status === 'unknown')
      this.#journal?.ended({ row: row.number, status, id, error })
    const full = this.#results.add({
      row: row.number,
      place: () => `${at(this.source, row)}${named(key?.replace('\0', ' ') ?? body?.['name'])}`,
      key: key?.replace('\0', ' '),
      status,
      id,
      error,
    })
    if (full) await full
    if (status === 'failed' || status === 'invalid') await this.#rejects?.add(row, error ?? '')
    if (this.#results.failed - (this.#results.counts.invalid ?? 0) > this.#limit) this.#stop.abort()
  }

  /** @param fatal what ended the run before its time */
  async #conclude(kind: Kind, fatal: MeetroomError | undefined): Promise<void> {
    const { context, checked, flags } = this
    const { ok = 0, skipped = 0, unknown = 0 } = this.#results.counts
    const { failed, done, counts } = this.#results
    const nouns = checked.rows === 1 ? kind.view.noun[0] : kind.view.noun[1]
    const untried = checked.rows - done
    const summary = context.flags.dryRun
      ? `would create ${counts.would_create ?? 0}, overwrite ${counts.would_overwrite ?? 0}, skip ${counts.would_skip ?? 0} of ${checked.rows} ${nouns}; ${failed} would fail`
      : [
          `imported ${ok} of ${checked.rows} ${nouns}`,
          ...(skipped > 0 ? [`${skipped} skipped`] : []),
          ...(failed - unknown > 0 ? [`${failed - unknown} failed`] : []),
          ...(unknown > 0 ? [`${unknown} with unknown outcome`] : []),
          ...(untried > 0 ? [`${untried} not tried`] : []),
        ].join('; ')
    const goOn =
      this.#journal && (untried > 0 || unknown > 0)
        ? resumeCommand(context, kind.name, this.file, flags)
        : undefined
    const hint = goOn && `go on with: ${goOn}`
    const ofHere = fatal instanceof UsageError || fatal instanceof OutputError
    if (fatal && !ofHere && ok + skipped > 0) {
      await context.report(fatal)
      throw new PartialError(summary, { hint })
    }
    if (fatal) {
      await context.notice(summary)
      if (hint) await context.notice(hint)
      throw fatal
    }
    if (context.interrupt.aborted) {
      await context.notice(summary)
      throw new InterruptedError((context.interrupt.reason as InterruptedError).signal, { hint })
    }
    const error = failureOf(this.#results, summary)
    if (error)
      throw withHint(
        error,
        hint ?? (this.#rejects && failed > unknown ? `mend ${flags.failedOut} and import it` : undefined),
      )
    await context.notice(summary)
  }
}

/** The answer was lost on its way. */
function isLost(error: MeetroomError): boolean {
  return error instanceof UnknownOutcomeError && !(error.cause instanceof MeetroomError)
}

function withHint(error: MeetroomError, hint: string | undefined): MeetroomError {
  return hint === undefined ? error : Reflect.construct(error.constructor, [error.message, { hint }])
}
