import { toText } from '../../api/to-text.ts'
import { NotFoundError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { views } from '../output/views/views.ts'
import { undefinedIfNotFound } from '../records/look-up.ts'
import { type Kind, readRecord } from '../records/records.ts'
import { describeItems, labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmItems } from '../run/confirm-items.ts'

export interface TargetChange {
  verb: string
  kind: Kind
}

interface Targets {
  ids: readonly string[]
  reasons?: ReadonlyMap<string, string>
  room?: string
  max?: number | undefined
  ignoreNotFound?: boolean | undefined
}

/**
 * @throws {ConfirmationError} if the change is not confirmed
 * @throws {NotFoundError} without `--yes`, for a missing item among the first, unless `--ignore-not-found`
 */
export async function confirmTargets(
  context: Context,
  change: TargetChange,
  targets: Targets,
): Promise<void> {
  const [, nouns] = views[change.kind].noun
  const describe = () => describeTargets(context, change, targets)
  const requireItems = () =>
    describe().catch((error) => {
      // Other failures, such as an unreachable service, do not change the refusal.
      if (error instanceof NotFoundError) throw error
    })
  await confirmItems(
    context,
    { count: targets.ids.length, nouns, max: targets.max },
    { activity: `${addEnding(change.verb, 'ing')} ${nouns}`, describe, requireItems },
  )
}

/** Forms `deleting` or `deleted` of `delete`. */
export const addEnding = (verb: string, ending: 'ing' | 'ed'): string => verb.replace(/e$/, '') + ending

async function describeTargets(
  context: Context,
  { verb, kind }: TargetChange,
  { ids, reasons, room = '', ignoreNotFound = false }: Targets,
): Promise<string> {
  const { noun, label = 'name' } = views[kind]
  const client = await context.client()
  const labels = await Promise.all(
    ids.slice(0, maxNamed).map((id) => {
      const reason = reasons?.get(id)
      const name = readRecord(client, { kind, id, room_id: room }).then((record) =>
        labelItem(reason ? `${id}; ${reason}` : id, toText(record[label])),
      )
      return ignoreNotFound ? undefinedIfNotFound(name).then((found) => found ?? id) : name
    }),
  )
  const where = room === '' ? '' : ` in room ${room}`
  return `${verb} ${describeItems(noun, labels, ids.length)}${where}`
}
