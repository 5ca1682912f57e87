import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import { undefinedIfNotFound } from '../lists/run-one.ts'
import { plainText } from '../output/views/text.ts'
import { type Item, viewOf } from '../output/views/views.ts'

/** A change to items that a question names. */
export interface TargetChange<G extends OperationName> {
  verb: string
  /** The verb with -ing. */
  doing: string
  /** Shows one item, for its name. */
  get: readonly [name: G, input: (id: string, room: string) => Input<Operations[G]>]
}

interface Targets {
  ids: readonly string[]
  /** What chose each of them, in words. */
  why?: ReadonlyMap<string, string>
  /** The room that they are in; empty for rooms and users. */
  room?: string
  max?: number | undefined
  ignoreNotFound?: boolean | undefined
}

/** Number of items that a question names one by one. */
const mostNamed = 10

/**
 * Asks before a change to items, showing id and name of each.
 * @throws {ConfirmationError} when it is not confirmed
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

/** `Delete room “Weekly sync” (66f1…)`: looks the names up. */
async function describeTargets<G extends OperationName>(
  context: Context,
  { verb, get: [get, input] }: TargetChange<G>,
  { ids, why, room = '', ignoreNotFound = false }: Targets,
): Promise<string> {
  const { noun } = viewOf(endpoints[get])
  const client = await context.client()
  const named = await Promise.all(
    ids.slice(0, mostNamed).map((id) => {
      const name = nameOf(client, get, input(id, room), id, why?.get(id))
      return ignoreNotFound ? undefinedIfNotFound(name).then((found) => found ?? id) : name
    }),
  )
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const what = ids.length === 1 ? noun[0] : `${ids.length} ${noun[1]}`
  const where = room === '' ? '' : ` in room ${room}`
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what} ${named.join(', ')}${more}${where}`
}

/** @throws {NotFoundError} when there is no such item */
async function nameOf<G extends OperationName>(
  client: Client,
  get: G,
  input: Input<Operations[G]>,
  id: string,
  why: string | undefined,
): Promise<string> {
  const item = (readAnswer(await client.call(get, input)) as Item)[endpoints[get].result] as Item
  const label = plainText(item[viewOf(endpoints[get]).label ?? 'name'])
  const details = why ? `${id}; ${why}` : id
  return label ? `“${label}” (${details})` : details
}
