import { endpoints } from '../../api/endpoints.ts'
import { ConfirmationError, suggestHelp, UsageError } from '../../errors.ts'
import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { ManyFlags, PaceFlags } from '../kernel/flags.ts'
import { listPages, openSelection } from '../lists/list.ts'
import type { Selection } from '../lists/selection.ts'
import { masked } from '../output/redaction/secrets.ts'
import { plainText } from '../output/views/text.ts'
import { cellOf, type Item, type View, viewOf } from '../output/views/views.ts'

/** What a command over several ids works on. */
export interface Targets {
  ids: string[]
  /** What chose each of them, in words; nothing for ids that were given. */
  why: ReadonlyMap<string, string>
  /** Number of users without a membership and of names that no room has, where that is not a failure. */
  absent: number
}

interface TargetOptions {
  /** Ids as given on the command line. */
  given: readonly string[]
  flags: Pick<ManyFlags, 'where' | 'user' | 'max' | 'ignoreNotFound' | 'missing' | keyof PaceFlags>
  /** The operation that lists what `--where` chooses from. */
  list: 'listRooms' | 'listMembers' | 'listUsers'
  /** The room that members are in. */
  room: string
  /** Told each item that `--where` chooses. */
  each?: (item: Item) => void
}

/**
 * What a command with several ids is to work on: those that are named, `-` standing for standard input, those of the
 * users that `--user` names, or those that `--where` chooses.
 * @throws {UsageError} when nothing says, or both names and conditions do
 * @throws {NotFoundError} when a user is no member
 * @throws {ConfirmationError} when it is more than `--max` allows
 */
export async function readTargets(context: Context, options: TargetOptions): Promise<Targets> {
  const { given, flags, list } = options
  const isNamed = given.length > 0 || (flags.missing ?? []).length > 0
  const view = viewOf(endpoints[list])
  if (flags.where && (isNamed || flags.user))
    throw new UsageError(`give ${flags.user ? '--user' : 'ids'} or --where, not both`)
  const selection = await openSelection(context, list, flags.where, flags)
  if (!selection && !isNamed && !flags.user)
    throw new UsageError(`missing required argument “${view.noun[0]}”`, {
      hint: ['give ids, or choose items with --where; see: ', suggestHelp(...context.command.split(' '))],
    })
  const targets = selection
    ? await choose(context, selection, view, options)
    : await readNamed(context, options)
  const { max = Number.POSITIVE_INFINITY } = flags
  if (targets.ids.length > max)
    throw new ConfirmationError(
      `that would affect ${targets.ids.length} ${view.noun[1]}, and --max allows ${max}; nothing was done`,
    )
  return targets
}

/** What the command line names. */
async function readNamed(context: Context, { given, flags, room }: TargetOptions): Promise<Targets> {
  const { user: users, ignoreNotFound, missing = [] } = flags
  const ids = await readIds(given, context.host)
  if (!users) return { ids, why: new Map(), absent: missing.length }
  const { findMembers, noMembers } = await import('../lists/user-members.ts')
  const found = await findMembers(context, room, users)
  if (found.absent.length > 0 && !ignoreNotFound) throw noMembers(room, found.absent)
  return { ids: [...new Set([...ids, ...found.ids])], why: new Map(), absent: found.absent.length }
}

/** Chooses among all items; with `--dry-run` it says which ones, and what chose them. */
async function choose(
  context: Context,
  selection: Selection,
  view: View,
  { list, room, each }: TargetOptions,
): Promise<Targets> {
  if (context.flags.curl) throw new UsageError('--curl sends nothing, so what --where matches is unknown')
  const pages =
    list === 'listMembers'
      ? listPages(context, list, { params: { room_id: room } }, {}, { selection })
      : listPages(context, list, {}, {}, { selection })
  const ids: string[] = []
  const why = new Map<string, string>()
  const lines: string[] = []
  for await (const { items } of selection.closed(await pages, 'nothing was changed; run it again'))
    for (const item of items) {
      const id = String(item[view.id ?? 'id'])
      const told = selection.withFacts(item)
      const shown = context.flags.showTokens ? told : masked(told)
      const reasons = reasonsFor(shown, selection.fields, view)
      ids.push(id)
      each?.(item)
      why.set(id, reasons)
      lines.push(['', id, plainText(item[view.label ?? 'name']), reasons].join('  ').trimEnd())
    }
  if (context.flags.dryRun) {
    const { noun } = view
    const count = ids.length === 0 ? 'no' : String(ids.length)
    await context.notice(ids.length === 1 ? `1 ${noun[0]} matches` : `${count} ${noun[1]} match`)
    for (const line of lines) await context.notice(line)
  }
  return { ids, why, absent: 0 }
}

/** The values that chose an item, beside its id and name: `created_at 2025-03-01T08:00:00.000Z`. */
function reasonsFor(item: Item, fields: readonly string[], view: View): string {
  return fields
    .filter((field) => field !== view.label && field !== view.id)
    .map((field) => `${field} ${plainText(cellOf(view, field, item)) || '(blank)'}`)
    .join(', ')
}
