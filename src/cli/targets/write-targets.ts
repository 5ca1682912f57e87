import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import { counted } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import type { LookupName } from '../../client/evidence.ts'
import type { Outcome } from '../../client/outcome.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import type { AnyInput } from '../../client/request.ts'
import { ApiError, NotFoundError, UnknownOutcomeError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags, TargetsFlags } from '../kernel/flags.ts'
import { createPage } from '../output/views/page.ts'
import { selectView, type View } from '../output/views/views.ts'
import { readWrittenItems } from '../output/views/written-items.ts'
import { undefinedIfPreviewed } from '../requests/before-send.ts'
import { printAll } from '../run/print-all.ts'
import { runTasks } from '../run/print-run.ts'
import { Tally } from '../run/tally.ts'
import type { Targets } from './read-targets.ts'

interface Writes<N extends OperationName> extends Pick<Targets, 'ids' | 'recheck'> {
  name: N
  inputFor: (id: string) => Input<Operations[N]>
  pastTense: string
  effect?: 'writes' | 'destroys'
  absent?: number
}

interface TargetWrite {
  name: OperationName
  inputFor(id: string): AnyInput
  call(client: Client, id: string): Promise<ResponseBody>
  exists(client: Client, id: string): Promise<boolean>
  recheck(client: Client, id: string): Promise<string | undefined>
  ignoreNotFound: boolean
  view: View
}

/** Runs the operation once for each ID, unless `recheck` skips the item, and prints the results in order. */
export async function writeTargets<N extends OperationName>(
  context: Context,
  { name, ids, inputFor, pastTense, effect = 'writes', absent = 0, recheck }: Writes<N>,
  flags: PaceFlags & Pick<TargetsFlags, 'ignoreNotFound'>,
): Promise<void> {
  const view = selectView(endpoints[name])
  const printer = await context.printer()
  const { format } = printer.options
  printer.check(view, true)
  const [first, ...others] = ids
  let changed = 0
  const total = ids.length + absent
  const summarizeRun = (tally: Tally) => summarize(tally, pastTense, view, changed)
  if (first !== undefined && (context.flags.dryRun || context.flags.curl)) {
    const client = await context.client()
    for (const id of ids) await undefinedIfPreviewed(client.call(name, inputFor(id)))
    return
  }
  const task: TargetWrite = {
    name,
    inputFor,
    call: (client, id) => client.call(name, inputFor(id)),
    exists: async (client, id) => {
      const reader = readerOf(name)
      if (!reader) return false
      const { params } = inputFor(id) as AnyInput
      return (await client.find(reader, { params } as Input<Operations[typeof reader]>)) !== undefined
    },
    async recheck(client, id) {
      const reason = await recheck?.(client, id)
      if (reason === undefined) return undefined
      changed++
      await context.notice(`skipped ${view.noun[0]} ${id}: ${reason}`)
      return reason
    },
    ignoreNotFound: flags.ignoreNotFound ?? false,
    view,
  }

  if (others.length === 0) {
    const tally = new Tally(total, summarizeRun)
    for (let i = 0; i < absent; i++) tally.add({ status: 'skipped' })
    if (first !== undefined) {
      const outcome = await runTask(await context.client(), task, first)
      tally.add(outcome)
      if (outcome.status === 'ok') {
        const items = readWrittenItems(name, inputFor(first), outcome.value, format)
        const page = createPage({ items, whole: outcome.value })
        await printAll(printer, view, endpoints[name].result, page)
      }
    }
    return printer.notice(tally.tried > 0 ? tally.summary : `no ${view.noun[1]}; nothing to do`)
  }

  const tasks = ids.map((id) => ({
    todo: (client: Client) => runTask(client, task, id),
    toRows: (ended: Outcome<unknown>) =>
      ended.status === 'ok' ? readWrittenItems(name, inputFor(id), ended.value as ResponseBody, format) : [],
  }))
  await runTasks(
    context,
    { tasks, view, key: view.noun[1], effect, absent, summarize: summarizeRun, rowsFor: 'items' },
    flags,
  )
}

async function runTask(client: Client, task: TargetWrite, id: string): Promise<Outcome<ResponseBody>> {
  if ((await task.recheck(client, id)) !== undefined) return { status: 'skipped' }
  try {
    return { status: 'ok', value: await task.call(client, id) }
  } catch (error) {
    if (!task.ignoreNotFound || !isMissing(error)) throw error
    await requireGone(client, task, id)
    return { status: 'skipped' }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof UnknownOutcomeError && error.isGone)
}

function readerOf(name: OperationName): LookupName | undefined {
  const { path } = endpoints[name]
  return (['getRoom', 'getMember', 'getUser'] as const).find((reader) => endpoints[reader].path === path)
}

/** @throws {ApiError} if the item can be read, because 404 may also mean an unknown operation */
async function requireGone(client: Client, { view, exists }: TargetWrite, id: string): Promise<void> {
  if (await exists(client, id))
    throw new ApiError(
      `the service responds that ${view.noun[0]} ${id} does not exist, but the ${view.noun[0]} can be read`,
    )
}

/**
 * Formats a summary, such as `deleted 1 of 3 users; 1 did not exist; 1 failed`.
 * @param changed number of items that `recheck` skipped
 */
function summarize(tally: Tally, pastTense: string, { noun }: View, changed: number): string {
  const done = tally.count('ok')
  const absent = tally.count('skipped') - changed
  const count = tally.isComplete ? counted(done, ...noun) : `${done} of ${tally.total} ${noun[1]}`
  const missing = absent > 0 ? [`${absent} did not exist`] : []
  return tally.describe([`${pastTense} ${count}`, ...missing], { skipped: changed })
}
