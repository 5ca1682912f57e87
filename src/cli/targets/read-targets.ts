import { endpoints } from '../../api/endpoints.ts'
import { createFlagConflict } from '../../api/flag-conflict.ts'
import { idPattern } from '../../api/path.ts'
import { plural } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { suggest, suggestHelp, UsageError } from '../../errors.ts'
import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags, TargetsFlags } from '../kernel/flags.ts'
import { openSelection } from '../lists/open-selection.ts'
import { readList } from '../lists/read-list.ts'
import type { Selection } from '../lists/selection.ts'
import { maskSecrets } from '../output/redaction/redaction.ts'
import { cellOf, type Item, selectView, type View } from '../output/views/views.ts'
import { findRecord } from '../records/records.ts'
import { confirmItems } from '../run/confirm-items.ts'

export interface Targets {
  ids: string[]
  /** Formatted values of fields in `--where`, by item ID; no entries without `--where`. */
  reasons: ReadonlyMap<string, string>
  /** Number of targets without an ID, skipped by `--ignore-not-found`. */
  absent: number
  recheck?: Recheck
}

/** Returns the reason to skip an item; undefined to write the item. */
type Recheck = (client: Client, id: string) => Promise<string | undefined>

interface TargetOptions {
  given: readonly string[]
  flags: Pick<TargetsFlags, 'where' | 'user' | 'max' | 'ignoreNotFound' | 'missing' | keyof PaceFlags>
  list: 'listRooms' | 'listMembers' | 'listUsers'
  room: string
  onItem?: (item: Item) => void
}

/**
 * Resolves the IDs, members or conditions of a command to targets.
 * @throws {UsageError} for missing, conflicting or invalid arguments
 * @throws {NotFoundError} if a `--user` is not a member, without `--ignore-not-found`
 * @throws {ConfirmationError} if the targets exceed `--max`
 */
export async function readTargets(context: Context, options: TargetOptions): Promise<Targets> {
  const { given, flags, list } = options
  const isNamed = given.length > 0 || (flags.missing ?? []).length > 0
  const view = selectView(endpoints[list])
  if (flags.where && (isNamed || flags.user))
    throw createFlagConflict(flags.user ? '--user' : 'IDs', '--where')
  const selection = await openSelection(context, list, flags)
  if (!selection && !isNamed && !flags.user)
    throw new UsageError(`the argument “${view.noun[0]}” is missing`, {
      hint:
        list === 'listMembers' && !idPattern.test(options.room)
          ? [
              'to select a user in all rooms: ',
              suggest([...context.command.split(' '), '--user', options.room, '--all-rooms']),
            ]
          : [
              'pass IDs, “-” to read them from a pipe, or --where; see: ',
              suggestHelp(...context.command.split(' ')),
            ],
    })
  const targets = selection
    ? await selectTargets(context, selection, view, options)
    : await readGivenTargets(context, options)
  await confirmItems(context, { count: targets.ids.length, nouns: view.noun[1], max: flags.max })
  return targets
}

async function readGivenTargets(context: Context, { given, flags, room }: TargetOptions): Promise<Targets> {
  const { user: users, ignoreNotFound, missing = [] } = flags
  const ids = await readIds(given, context.host)
  if (!users) return { ids, reasons: new Map(), absent: missing.length }
  const { findMembers, throwNoMembers } = await import('../lists/user-members.ts')
  const found = await findMembers(context, room, users)
  if (found.absent.length > 0 && !ignoreNotFound) await throwNoMembers(context, found.absent, room)
  return {
    ids: [...new Set([...ids, ...found.ids])],
    reasons: new Map(),
    absent: missing.length + found.absent.length,
  }
}

async function selectTargets(
  context: Context,
  selection: Selection,
  view: View,
  { list, room, onItem }: TargetOptions,
): Promise<Targets> {
  context.refuseCurl('the items that --where selects')
  const input = list === 'listMembers' ? { params: { room_id: room } } : {}
  const ids: string[] = []
  const reasons = new Map<string, string>()
  const lines: string[] = []
  for await (const { items } of readList(context, list, input, {
    selection,
    undecided: 'nothing was changed; retry the command',
  }))
    for (const item of items) {
      const id = String(item[view.id ?? 'id'])
      const withMetrics = selection.withMetrics(item)
      const visibleItem = context.flags.showTokens ? withMetrics : maskSecrets(withMetrics)
      const selectedBy = collectReasons(visibleItem, selection.fields, view)
      ids.push(id)
      onItem?.(item)
      reasons.set(id, selectedBy)
      lines.push(['', id, toText(item[view.label ?? 'name']), selectedBy].join('  ').trimEnd())
    }
  if (context.flags.dryRun) {
    const matches = `${plural(ids.length, ...view.noun)} ${plural(ids.length, 'matches', 'match')}`
    await context.notice(`${ids.length || 'no'} ${matches}`)
    for (const line of lines) await context.notice(line)
  }
  return { ids, reasons, absent: 0, recheck: createRecheck(selection, list, room) }
}

function createRecheck(selection: Selection, list: TargetOptions['list'], room_id: string): Recheck {
  const kind = endpoints[list].resource
  return async (client, id) => {
    const item = await findRecord(client, { kind, id, room_id })
    if (!item) return 'it no longer exists'
    return (await selection.stillMatches(item, client)) ? undefined : 'it no longer matches the conditions'
  }
}

function collectReasons(item: Item, fields: readonly string[], view: View): string {
  return fields
    .filter((field) => field !== view.label && field !== view.id)
    .map((field) => `${field} ${toText(cellOf(view, field, item)) || '(empty)'}`)
    .join(', ')
}
