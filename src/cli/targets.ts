import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { UsageError } from '../errors.ts'
import { listPages, viewOf } from './act.ts'
import type { Context } from './context.ts'
import { readIds } from './input.ts'
import { plainText } from './output/text.ts'
import type { Item } from './output/views.ts'

interface TargetOptions<N extends OperationName> {
  /** Ids as they stand on the command line. */
  given: readonly string[]
  where: readonly string[] | undefined
  /** The operation that lists what `--where` chooses from, with what it needs to know. */
  list: N
  params?: Readonly<Record<string, string>>
}

/**
 * What a command with several ids is to work on: those that are named, `-` standing for standard input, or those that
 * `--where` chooses.
 * @throws {UsageError} when neither says, or both do
 */
export async function readTargets<N extends OperationName>(
  context: Context,
  { given, where, list, params }: TargetOptions<N>,
): Promise<string[]> {
  await context.requireWritable()
  const endpoint: Endpoint = endpoints[list]
  const view = viewOf(endpoint)
  if (where && given.length > 0) throw new UsageError('name ids or choose them with --where, not both')
  if (!where) {
    if (given.length > 0) return readIds(given, context.host)
    throw new UsageError(`missing required argument '${view.noun[0]}'`, {
      hint: 'name some, or choose them with --where; see --help',
    })
  }
  if (context.flags.curl) throw new UsageError('what --where chooses is not known without asking the service')
  const ids: string[] = []
  const labels: string[] = []
  for await (const { items } of await listPages(context, list, { params, query: {} } as never, { where }))
    for (const item of items as readonly Item[]) {
      ids.push(String(item[view.id ?? 'id']))
      labels.push(plainText(item[view.label ?? 'name']))
    }
  if (context.flags.dryRun) {
    await context.notice(`--where chooses ${ids.length} ${ids.length === 1 ? view.noun[0] : view.noun[1]}`)
    for (const [i, id] of ids.entries()) await context.notice(`  ${id}  ${labels[i]}`)
  }
  return ids
}
