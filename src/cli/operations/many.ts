import type { Answer, Client } from '../../api/client.ts'
import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import {
  ApiError,
  AuthError,
  ClosedOutput,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  NotFoundError,
  PartialError,
  UnknownOutcomeError,
} from '../../errors.ts'
import type { Context } from '../context.ts'
import type { PaceFlags } from '../flags.ts'
import { asForeseen } from '../output/error.ts'
import type { Item } from '../output/views.ts'
import { viewOf } from '../output/views.ts'
import { Gate } from '../pool/gate.ts'
import { runJobs } from '../pool/jobs.ts'
import { busy, isBusy, patiently } from '../pool/patience.ts'
import { windDown } from '../pool/wind-down.ts'
import { unlessShown } from '../service.ts'

export interface EachFlags extends PaceFlags {
  ignoreNotFound?: boolean
}

type Outcome = { answer: Answer } | { error: MeetroomError } | 'untried'

/**
 * Does one thing to each of several ids, some at a time. An id that fails does not stop the others; a key that is
 * refused or a service that does not answer does. Several results are printed as one list, in the order of the ids.
 * @throws {PartialError} when some failed; for a single id, whatever its own error is
 */
export async function runEach<N extends OperationName>(
  context: Context,
  name: N,
  ids: readonly string[],
  toInput: (id: string) => Input<Operations[N]>,
  past: string,
  flags: EachFlags,
): Promise<void> {
  const endpoint = endpoints[name]
  const view = viewOf(endpoint)
  const printer = await context.printer()
  printer.check(view, true)
  if (ids.length === 0) return printer.notice(`no ${view.noun[1]} named; nothing to do`)
  if (context.flags.dryRun || context.flags.curl) {
    const client = await context.client()
    for (const id of ids) await unlessShown(client.call(name, toInput(id)))
    return
  }
  const { outcomes, stop } = await begin(context, flags, ids, (client, id) => client.call(name, toInput(id)))
  const failures: MeetroomError[] = []
  let succeeded = 0
  let absent = 0
  /** What stops all, and has not been told yet: it may be the error that the command ends with. */
  let fatal: MeetroomError | undefined

  async function* results() {
    for (const outcome of outcomes) {
      const ended = await outcome
      if (ended === 'untried') continue
      if ('answer' in ended) {
        succeeded++
        const item = (readAnswer(ended.answer) as Item)[endpoint.result] as Item
        yield { items: [item], ...(ids.length === 1 ? { whole: ended.answer } : {}) }
      } else if (flags.ignoreNotFound && ended.error instanceof NotFoundError) absent++
      else {
        const { error } = ended
        if (ids.length === 1) throw error
        failures.push(error)
        if (stopsAll(error)) fatal ??= error
        else await context.report(error)
      }
    }
  }
  const done = results()
  if (ids.length === 1 && flags.ignoreNotFound) {
    // Nothing is printed of what is not there.
    const [only] = await Promise.all(outcomes)
    if (only !== 'untried' && only && 'error' in only && only.error instanceof NotFoundError)
      return printer.notice(`${past} 0 ${view.noun[1]}; 1 was not there`)
  }
  try {
    // `list` ends an iteration that it cannot print; what was asked for is to be done all the same.
    const unending = {
      [Symbol.asyncIterator]: () => ({ next: () => done.next() }),
    }
    await printer.list(
      view,
      ids.length === 1 ? endpoint.result : view.noun[1],
      printer.options.format === 'table' ? together(unending) : unending,
    )
  } catch (error) {
    if (!(error instanceof ClosedOutput)) {
      stop()
      await Promise.all(outcomes)
      throw error
    }
    for await (const _ of done);
  }
  if (context.interrupt.aborted) fatal ??= context.interrupt.reason as InterruptedError
  const nouns = ids.length === 1 ? view.noun[0] : view.noun[1]
  const gone = absent === 0 ? '' : `; ${absent} ${absent === 1 ? 'was' : 'were'} not there`
  if (failures.length === 0 && succeeded + absent === ids.length)
    return printer.notice(`${past} ${succeeded} ${succeeded === 1 ? view.noun[0] : view.noun[1]}${gone}`)
  const untried = ids.length - succeeded - absent - failures.length
  const summary = `${past} ${succeeded} of ${ids.length} ${nouns}; ${failures.length} failed${gone}${untried > 0 ? `, ${untried} not tried` : ''}`
  if (fatal instanceof InterruptedError || (fatal && succeeded + absent === 0)) {
    if (ids.length > 1 && fatal instanceof InterruptedError) await printer.notice(summary)
    throw fatal
  }
  if (fatal) await context.report(fatal)
  if (succeeded + absent > 0) throw new PartialError(summary)
  throw failures.some((error) => error instanceof UnknownOutcomeError)
    ? new UnknownOutcomeError(summary)
    : new ApiError(summary)
}

/** So many rows of a table are as wide as their widest cell. */
const mostTogether = 100

/** Items a page at a time: each alone, they would be under columns of the first one’s width. */
async function* together<P extends { items: readonly Item[] }>(pages: AsyncIterable<P>) {
  let items: Item[] = []
  for await (const page of pages) {
    items.push(...page.items)
    if (items.length < mostTogether) continue
    yield { items }
    items = []
  }
  if (items.length > 0) yield { items }
}

/** Begins to do something to every id; the outcomes come in whatever order. */
async function begin(
  context: Context,
  flags: EachFlags,
  ids: readonly string[],
  act: (client: Client, id: string) => Promise<Answer>,
): Promise<{ outcomes: Promise<Outcome>[]; stop(): void }> {
  const many = ids.length > 1
  const gate = new Gate(context.host, flags.rate, (seconds) => void context.notice(busy(seconds)))
  const stop = new AbortController()
  // One thing is broken off at once; of many, those under way are finished.
  const { cut, over } = windDown(context, stop)
  const limit = flags.failFast ? 0 : (flags.maxErrors ?? Number.POSITIVE_INFINITY)
  const client = await context.client({
    connections: flags.concurrency,
    ...(many ? { interrupt: cut, onRetry: ({ status, waitMs }) => isBusy(status) && gate.hold(waitMs) } : {}),
  })
  const settle: ((outcome: Outcome) => void)[] = []
  const outcomes = ids.map(
    (_, i) =>
      new Promise<Outcome>((resolve) => {
        settle[i] = resolve
      }),
  )
  let taken = false
  let failed = 0
  const run = runJobs({
    take: async () => {
      if (taken) return []
      taken = true
      return [...ids.keys()]
    },
    perform: async (i) => {
      try {
        const ask = () => act(client, ids[i] ?? '')
        const answer = await (many ? patiently(ask, { gate, stop: stop.signal, clock: context.host }) : ask())
        settle[i]?.({ answer })
      } catch (cause) {
        const error = asForeseen(cause)
        settle[i]?.({ error })
        if (flags.ignoreNotFound && error instanceof NotFoundError) return
        if (stopsAll(error) || ++failed > limit) stop.abort()
      }
    },
    pace: flags,
    gate,
    stop: stop.signal,
  })
  void run.finally(() => {
    over()
    for (const resolve of settle) resolve('untried')
  })
  return { outcomes, stop: () => stop.abort() }
}

/** Whether the next id would fail in the same way. */
function stopsAll(error: MeetroomError): boolean {
  return error instanceof AuthError || error instanceof NetworkError || error instanceof InterruptedError
}
