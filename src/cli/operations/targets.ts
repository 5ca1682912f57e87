import { endpoints } from '../../api/endpoints.ts'
import { ConfirmationError, UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { readIds } from '../input.ts'
import { plainText } from '../output/text.ts'
import type { View } from '../output/views.ts'
import { viewOf } from '../output/views.ts'
import { listPages } from './list.ts'

interface TargetOptions {
  /** Ids as they stand on the command line. */
  given: readonly string[]
  flags: { where?: readonly string[]; max?: number }
  /** The operation that lists what `--where` chooses from. */
  list: 'listRooms' | 'listMembers' | 'listUsers'
  /** The room that members are in. */
  room: string
}

/**
 * What a command with several ids is to work on: those that are named, `-` standing for standard input, or those that
 * `--where` chooses.
 * @throws {UsageError} when neither says, or both do
 * @throws {ConfirmationError} when it is more than `--max` allows
 */
export async function readTargets(
  context: Context,
  { given, flags, list, room }: TargetOptions,
): Promise<string[]> {
  const { where, max } = flags
  const view = viewOf(endpoints[list])
  if (where && given.length > 0) throw new UsageError('name ids or choose them with --where, not both')
  if (!where) {
    if (given.length > 0) return noMoreThan(max, await readIds(given, context.host), view)
    throw new UsageError(`missing required argument “${view.noun[0]}”`, {
      hint: 'name some, or choose them with --where; see --help',
    })
  }
  if (context.flags.curl) throw new UsageError('what --where chooses is not known without asking the service')
  const ids: string[] = []
  const labels: string[] = []
  const pages =
    list === 'listMembers'
      ? listPages(context, list, { params: { room_id: room } }, { where })
      : listPages(context, list, {}, { where })
  for await (const { items } of await pages)
    for (const item of items) {
      ids.push(String(item[view.id ?? 'id']))
      labels.push(plainText(item[view.label ?? 'name']))
    }
  if (context.flags.dryRun) {
    await context.notice(`--where chooses ${ids.length} ${ids.length === 1 ? view.noun[0] : view.noun[1]}`)
    for (const [i, id] of ids.entries()) await context.notice(`  ${id}  ${labels[i]}`)
  }
  return noMoreThan(max, ids, view)
}

/** @throws {ConfirmationError} when there are more than the command line allows */
function noMoreThan(max: number | undefined, ids: string[], { noun }: View): string[] {
  if (max === undefined || ids.length <= max) return ids
  throw new ConfirmationError(
    `that would be ${ids.length} ${noun[1]}, and --max allows ${max}; nothing was done`,
  )
}
