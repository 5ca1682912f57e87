import type { Command } from 'commander'
import type { Answer } from '../api/client.ts'
import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { readAnswer } from '../api/json.ts'
import type { Input } from '../api/operation.ts'
import type { Operations } from '../api/operations.ts'
import {
  ApiError,
  AuthError,
  ClosedOutput,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  PartialError,
  UnknownOutcomeError,
  UsageError,
} from '../errors.ts'
import type { Context } from './context.ts'
import { wholeNumber } from './input.ts'
import { asForeseen } from './output/errors.ts'
import type { Page } from './output/printer.ts'
import { type Item, type View, views } from './output/views.ts'
import { paginate } from './paginate.ts'

/** Wraps the work of a command into a Commander action: positionals, then options, behind the context. */
export type Act = <A extends unknown[]>(
  work: (context: Context, ...args: A) => Promise<void>,
) => (...args: unknown[]) => Promise<void>

/** How the result of an operation is shown: by the singular of the field that holds it. */
export function viewOf(endpoint: Endpoint): View {
  const singular = endpoint.result.replace(/s$/, '') as keyof typeof views
  return views[singular]
}

/** Runs an operation and prints what it answers with. */
export async function runOne<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
): Promise<void> {
  const endpoint = endpoints[name]
  const printer = await context.printer()
  printer.check(viewOf(endpoint), endpoint.method !== 'GET')
  const answer = await context.call(name, input)
  if (!answer) return
  const result = (readAnswer(answer) as Item)[endpoint.result]
  if (!Array.isArray(result)) return printer.one(viewOf(endpoint), endpoint.result, answer)
  await printer.list(viewOf(endpoint), endpoint.result, onePage({ items: result, whole: answer }))
}

/** A result that comes in one piece. */
export async function* onePage(page: Page): AsyncGenerator<Page> {
  yield page
}

/** The paging flags of a list command. */
export interface ListFlags {
  limit?: number
  offset?: number
  all?: boolean
  pageSize?: number
}

/** Adds the paging flags that every list takes. */
export function withPaging(command: Command): Command {
  return command
    .option('--limit <n>', 'how many items are wanted in total', wholeNumber('--limit', 1))
    .option('--offset <n>', 'how many items to skip', wholeNumber('--offset', 0))
    .option('--all', 'list everything, however many pages it takes')
    .option('--page-size <n>', 'how many items to ask for in one request', wholeNumber('--page-size', 1))
}

/** Runs a list operation and prints its items, page by page where the operation pages. */
export async function runList<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: ListFlags,
): Promise<void> {
  if (flags.all && flags.limit !== undefined) throw new UsageError('--all and --limit exclude each other')
  const endpoint: Endpoint = endpoints[name]
  const view = viewOf(endpoint)
  const printer = await context.printer()
  printer.check(view)
  const fetch = async (paging: { limit?: number; offset?: number }) => {
    const { query } = input as { query?: object }
    const answer = await context.call(name, {
      ...input,
      query: { ...query, ...paging },
    })
    if (!answer) throw new Shown()
    return answer
  }
  const pages = endpoint.paged
    ? paginate({
        request: {
          all: flags.all ?? false,
          limit: flags.limit,
          offset: flags.offset,
          pageSize: flags.pageSize,
        },
        key: endpoint.result,
        id: view.id ?? 'id',
        fetch,
        notice: (text) => printer.notice(text),
      })
    : sliced(endpoint.result, () => fetch({}), flags)
  try {
    const count = await printer.list(view, endpoint.result, pages)
    if (count === 0 && printer.options.format === 'table') await printer.notice(`no ${view.noun[1]}`)
  } catch (error) {
    if (!(error instanceof Shown)) throw error
  }
}

/** The request was shown instead of sent: there is nothing to page through. */
class Shown extends Error {}

/** A list that the service answers whole: `--limit` and `--offset` choose from it here. */
async function* sliced(key: string, fetch: () => Promise<Answer>, { limit, offset = 0 }: ListFlags) {
  const answer = await fetch()
  const { [key]: all, ...rest } = readAnswer(answer) as Item
  const items = (all as Item[]).slice(offset, limit === undefined ? undefined : offset + limit)
  yield {
    items,
    rest,
    ...(items.length === (all as Item[]).length ? { whole: answer } : {}),
  }
}

/**
 * Does one thing to each of several ids. An id that fails does not stop the others; a key that is refused or a
 * service that does not answer does. Several results are printed as one list.
 * @throws {PartialError} when some failed; for a single id, whatever its own error is
 */
export async function runEach<N extends OperationName>(
  context: Context,
  name: N,
  ids: readonly string[],
  toInput: (id: string) => Input<Operations[N]>,
  past: string,
): Promise<void> {
  const endpoint = endpoints[name]
  const view = viewOf(endpoint)
  const printer = await context.printer()
  printer.check(view, true)
  if (ids.length === 0) return printer.notice(`no ${view.noun[1]} named; nothing to do`)
  const failures: MeetroomError[] = []
  let succeeded = 0

  async function* results() {
    for (const id of ids) {
      try {
        const answer = await context.call(name, toInput(id))
        if (!answer) continue
        succeeded++
        const item = (readAnswer(answer) as Item)[endpoint.result] as Item
        yield { items: [item], ...(ids.length === 1 ? { whole: answer } : {}) }
      } catch (cause) {
        if (cause instanceof ClosedOutput) throw cause
        const error = asForeseen(cause)
        if (ids.length === 1) throw error
        failures.push(error)
        if (stopsAll(error) && succeeded === 0) return
        await context.report(error)
        if (stopsAll(error)) return
      }
    }
  }
  if (context.flags.dryRun || context.flags.curl) {
    for await (const _ of results());
    return
  }
  const done = results()
  try {
    // `list` ends an iteration that it cannot print; what was asked for is to be done all the same.
    const unending = {
      [Symbol.asyncIterator]: () => ({ next: () => done.next() }),
    }
    await printer.list(view, ids.length === 1 ? endpoint.result : `${endpoint.result}s`, unending)
  } catch (error) {
    if (!(error instanceof ClosedOutput)) throw error
    for await (const _ of done);
  }
  const nouns = ids.length === 1 ? view.noun[0] : view.noun[1]
  if (failures.length === 0) return printer.notice(`${past} ${ids.length} ${nouns}`)
  const last = failures.at(-1)
  if (last && (last instanceof InterruptedError || (succeeded === 0 && stopsAll(last)))) throw last
  const untried = ids.length - succeeded - failures.length
  const summary = `${past} ${succeeded} of ${ids.length} ${nouns}; ${failures.length} failed${untried > 0 ? `, ${untried} not tried` : ''}`
  if (succeeded > 0) throw new PartialError(summary)
  throw failures.some((error) => error instanceof UnknownOutcomeError)
    ? new UnknownOutcomeError(summary)
    : new ApiError(summary)
}

/** Whether the next id would fail in the same way. */
function stopsAll(error: MeetroomError): boolean {
  return error instanceof AuthError || error instanceof NetworkError || error instanceof InterruptedError
}
