import { endpoints, type OperationName } from '../../api/endpoints.ts'
import type { InputOf } from '../../api/operations.ts'
import { counted } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import type { AnyInput } from '../../client/request.ts'
import { ApiError, NotFoundError, UnknownOutcomeError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags, TargetsFlags } from '../kernel/flags.ts'
import { createPage } from '../output/views/page.ts'
import { selectView, type View } from '../output/views/views.ts'
import { readWrittenItems } from '../output/views/written-items.ts'
import { previewEach } from '../requests/before-send.ts'
import { printAll } from '../run/print-all.ts'
import { runTasks } from '../run/print-run.ts'
import { Tally } from '../run/tally.ts'
import type { Targets } from './read-targets.ts'

interface Writes<N extends OperationName> extends Pick<Targets, 'ids' | 'recheck'> {
  name: N
  inputFor: (id: string) => InputOf<N>
  pastTense: string
  effect?: 'writes' | 'destroys'
  absent?: number
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
  if (first !== undefined && (context.flags.dryRun || context.flags.curl))
    return previewEach(context, ids, (client, id) => client.call(name, inputFor(id)))
  const write = async (client: Client, id: string): Promise<Outcome<ResponseBody>> => {
    const reason = await recheck?.(client, id)
    if (reason !== undefined) {
      changed++
      await context.notice(`skipped ${view.noun[0]} ${id}: ${reason}`)
      return { status: 'skipped' }
    }
    try {
      return { status: 'ok', value: await client.call(name, inputFor(id)) }
    } catch (error) {
      if (!flags.ignoreNotFound || !isMissing(error)) throw error
      await requireGone(client, name, inputFor(id), id)
      return { status: 'skipped' }
    }
  }
  if (others.length === 0) {
    const tally = new Tally(total, summarizeRun)
    for (let i = 0; i < absent; i++) tally.add({ status: 'skipped' })
    if (first !== undefined) {
      const outcome = await write(await context.client(), first)
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
    item: `${view.noun[0]} ${id}`,
    todo: (client: Client) => write(client, id),
    toRows: (ended: Outcome<unknown>) =>
      ended.status === 'ok' ? readWrittenItems(name, inputFor(id), ended.value as ResponseBody, format) : [],
  }))
  await runTasks(context, { tasks, view, key: view.noun[1], effect, absent, summarize: summarizeRun }, flags)
}

function isMissing(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof UnknownOutcomeError && error.isGone)
}

/** @throws {ApiError} if the item can be read, because 404 may also mean an unknown operation */
async function requireGone(
  client: Client,
  name: OperationName,
  { params }: AnyInput,
  id: string,
): Promise<void> {
  const { path, resource } = endpoints[name]
  const readers = ['getRoom', 'getMember', 'getUser'] as const
  const reader = readers.find((reader) => endpoints[reader].path === path)
  if (reader && (await client.find(reader, { params } as InputOf<typeof reader>)))
    throw new ApiError(
      `the service responds that ${resource} ${id} does not exist, but the ${resource} can be read`,
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
