import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import { undefinedIfNotFound } from '../lists/run-one.ts'
import { type Item, viewOf } from '../output/views/views.ts'

export interface TargetChange<G extends OperationName> {
  verb: string
  doing: string
  get: readonly [name: G, input: (id: string, room: string) => Input<Operations[G]>]
}

interface Targets {
  ids: readonly string[]
  reasons?: ReadonlyMap<string, string>
  /** ID of the members' room; empty for rooms and users. */
  room?: string
  max?: number | undefined
  ignoreNotFound?: boolean | undefined
}

const maxNamed = 10

/**
 * Asks for confirmation before a change, showing the ID and name of each item.
 * @throws {ConfirmationError} when the change is not confirmed
 */
export async function confirmTargets<G extends OperationName>(
  context: Context,
  change: TargetChange<G>,
  targets: Targets,
): Promise<void> {
  const { noun } = viewOf(endpoints[change.get[0]])
  await context.confirm({
    doing: `${change.doing} ${noun[1]}`,
    describe: () => describeTargets(context, change, targets),
    count: targets.ids.length,
    max: targets.max,
  })
}

/** Builds the prompt, such as `Delete room “Weekly sync” (66f1…)`. */
async function describeTargets<G extends OperationName>(
  context: Context,
  { verb, get: [get, input] }: TargetChange<G>,
  { ids, reasons, room = '', ignoreNotFound = false }: Targets,
): Promise<string> {
  const { noun } = viewOf(endpoints[get])
  const client = await context.client()
  const labels = await Promise.all(
    ids.slice(0, maxNamed).map((id) => {
      const name = describeTarget(client, get, input(id, room), id, reasons?.get(id))
      return ignoreNotFound ? undefinedIfNotFound(name).then((found) => found ?? id) : name
    }),
  )
  const more = ids.length > labels.length ? ` and ${ids.length - labels.length} more` : ''
  const what = ids.length === 1 ? noun[0] : `${ids.length} ${noun[1]}`
  const where = room === '' ? '' : ` in room ${room}`
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what} ${labels.join(', ')}${more}${where}`
}

/** @throws {NotFoundError} when the item does not exist */
async function describeTarget<G extends OperationName>(
  client: Client,
  get: G,
  input: Input<Operations[G]>,
  id: string,
  reasons: string | undefined,
): Promise<string> {
  const item = (readAnswer(await client.call(get, input)) as Item)[endpoints[get].result] as Item
  const label = textOf(item[viewOf(endpoints[get]).label ?? 'name'])
  const details = reasons ? `${id}; ${reasons}` : id
  return label ? `“${label}” (${details})` : details
}
