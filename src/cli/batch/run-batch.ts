import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { counted } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import type { LookupName } from '../../client/evidence.ts'
import { isFatal, type Outcome, toFailure } from '../../client/outcome.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import type { AnyInput } from '../../client/request.ts'
import {
  ApiError,
  InterruptedError,
  type MeetroomError,
  NotFoundError,
  UnknownOutcomeError,
} from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { printAll } from '../lists/print-all.ts'
import { readItems } from '../lists/run-one.ts'
import type { Printer } from '../output/printer.ts'
import { createPage, type Page } from '../output/views/page.ts'
import { selectView, type View } from '../output/views/views.ts'
import { undefinedIfPreviewed } from '../requests/before-send.ts'
import { finishRun } from '../run/finish-run.ts'
import { openPool, type Pool } from '../run/pool.ts'
import { startAll } from '../run/run-items.ts'
import { Tally } from '../run/tally.ts'
import type { Targets } from './targets.ts'

export interface BatchFlags extends PaceFlags {
  ignoreNotFound?: boolean
}

interface Task {
  name: OperationName
  ids: readonly string[]
  inputFor(id: string): AnyInput
  call(client: Client, id: string): Promise<ResponseBody>
  exists(client: Client, id: string): Promise<boolean>
  /** Reads an item before its write, and returns the reason to skip it. */
  recheck(client: Client, id: string): Promise<string | undefined>
  flags: BatchFlags
  view: View
  tally: Tally
}

/**
 * Runs one operation for several IDs concurrently. A failure for one ID does not stop the others, but a rejected key
 * or an unreachable service does. Results are printed as one list in the order of the IDs.
 * @throws {PartialError} when some IDs failed; a single ID throws its own error
 */
export async function runBatch<N extends OperationName>(
  context: Context,
  name: N,
  { ids, absent, recheck }: Pick<Targets, 'ids' | 'absent' | 'recheck'>,
  toInput: (id: string) => Input<Operations[N]>,
  pastTense: string,
  flags: BatchFlags,
): Promise<void> {
  const view = selectView(endpoints[name])
  const printer = await context.printer()
  printer.check(view, true)
  const [first, ...others] = ids
  let changed = 0
  const tally = new Tally(ids.length + absent, (tally) => summarize(tally, pastTense, view, changed))
  for (let i = 0; i < absent; i++) tally.add({ status: 'skipped' })
  if (first === undefined)
    return printer.notice(absent > 0 ? tally.summary : `no ${view.noun[1]}; nothing to do`)
  if (context.flags.dryRun || context.flags.curl) {
    const client = await context.client()
    for (const id of ids) await undefinedIfPreviewed(client.call(name, toInput(id)))
    return
  }
  const task: Task = {
    name,
    ids,
    inputFor: toInput,
    call: (client, id) => client.call(name, toInput(id)),
    exists: async (client, id) => {
      const reader = readerOf(name)
      if (!reader) return false
      const { params } = toInput(id) as AnyInput
      return (await client.find(reader, { params } as Input<Operations[typeof reader]>)) !== undefined
    },
    async recheck(client, id) {
      const reason = await recheck?.(client, id)
      if (reason === undefined) return undefined
      changed++
      await context.notice(`skipped ${view.noun[0]} ${id}: ${reason}`)
      return reason
    },
    flags,
    view,
    tally,
  }
  await (others.length === 0 ? runSingle(context, printer, task, first) : runMultiple(context, printer, task))
}

async function runSingle(context: Context, printer: Printer, task: Task, id: string): Promise<void> {
  const { name, inputFor, call, flags, view, tally } = task
  const client = await context.client()
  if ((await task.recheck(client, id)) !== undefined) {
    tally.add({ status: 'skipped' })
    return printer.notice(tally.summary)
  }
  const request = call(client, id)
  const answer = await request.catch((error: unknown) => {
    if (!flags.ignoreNotFound || !isMissing(error)) throw error
  })
  if (!answer) await requireGone(client, task, id)
  tally.add({ status: answer ? 'ok' : 'skipped' })
  if (answer) {
    const items = readItems(name, inputFor(id), answer, printer.options.format)
    await printAll(printer, view, endpoints[name].result, createPage({ items, whole: answer }))
  }
  await printer.notice(tally.summary)
}

async function runMultiple(context: Context, printer: Printer, task: Task): Promise<void> {
  const { name, ids, inputFor, view, flags, tally } = task
  const { format } = printer.options
  const pool = await openPool(context, flags, tally)
  const outcomes = startAll(pool, ids, (id) => runTask(pool, task, id))
  /** Error that stopped the run, which `finishRun` handles. */
  let fatal: MeetroomError | undefined

  async function* pages(): AsyncGenerator<Page> {
    for (const [i, outcome] of outcomes.entries()) {
      const result = await outcome
      if (result.status === 'ok')
        yield { items: readItems(name, inputFor(ids[i] ?? ''), result.value, format) }
      if (!('error' in result)) continue
      if (isFatal(result.error)) fatal ??= result.error
      else await context.reportError(result.error)
    }
  }

  try {
    await printAll(printer, view, view.noun[1], pages())
  } catch (error) {
    pool.stop()
    await Promise.all(outcomes)
    throw error
  }
  const error = await finishRun(context, tally, fatal)
  if (!error || error instanceof InterruptedError) await printer.notice(tally.summary)
  if (error) throw error
}

async function runTask(pool: Pool, task: Task, id: string): Promise<Outcome<ResponseBody>> {
  try {
    if ((await task.recheck(pool.client, id)) !== undefined) return { status: 'skipped' }
    return { status: 'ok', value: await task.call(pool.client, id) }
  } catch (cause) {
    let failed: ReturnType<typeof toFailure> | undefined = toFailure(cause)
    if (task.flags.ignoreNotFound && isMissing(failed.error))
      failed = await requireGone(pool.client, task, id).then(() => undefined, toFailure)
    if (!failed) return { status: 'skipped' }
    if (isFatal(failed.error)) pool.stop()
    return failed
  }
}

/** Returns true when an item does not exist. With `--ignore-not-found`, it does not matter who deleted it. */
function isMissing(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof UnknownOutcomeError && error.isGone)
}

/** Returns the operation that reads the item of an operation; undefined for an operation that creates an item. */
function readerOf(name: OperationName): LookupName | undefined {
  const { path } = endpoints[name]
  return (['getRoom', 'getMember', 'getUser'] as const).find((reader) => endpoints[reader].path === path)
}

/**
 * Checks after a 404 that the item is missing, because a service without the operation also responds with 404.
 * @throws {ApiError} when the item exists
 */
async function requireGone(client: Client, { view, exists }: Task, id: string): Promise<void> {
  if (await exists(client, id))
    throw new ApiError(
      `the service refuses the request as if there were no ${view.noun[0]} ${id}, but it can be read`,
    )
}

/**
 * Formats a summary, such as `deleted 3 users` or `deleted 1 of 3 users; 1 failed; 1 was not there`.
 * @param changed number of skipped items that no longer match
 */
function summarize(tally: Tally, pastTense: string, { noun }: View, changed: number): string {
  const done = tally.count('ok')
  const absent = tally.count('skipped') - changed
  const gone =
    (absent === 0 ? '' : `; ${counted(absent, 'was', 'were')} not there`) +
    (changed === 0 ? '' : `; ${changed} skipped`)
  if (tally.isComplete) return `${pastTense} ${counted(done, ...noun)}${gone}`
  const unknown = tally.count('unknown')
  const failed = tally.bad - unknown
  const failures = [
    failed > 0 || unknown === 0 ? `${failed} failed` : '',
    unknown > 0 ? `${unknown} with an unknown outcome` : '',
  ]
  const untried = tally.untried > 0 ? `, ${tally.untried} not tried` : ''
  return `${pastTense} ${done} of ${tally.total} ${noun[1]}; ${failures.filter(Boolean).join(', ')}${gone}${untried}`
}
