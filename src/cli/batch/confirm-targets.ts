import { endpoints, type OperationName } from '../../api/endpoints.ts'
import { readResponseValue } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import { undefinedIfNotFound } from '../lists/find-item.ts'
import { type Item, selectView } from '../output/views/views.ts'
import { describeItems, labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmItems } from '../run/confirm-items.ts'

export interface TargetChange<G extends OperationName> {
  verb: string
  gerund: string
  get: readonly [name: G, input: (id: string, room: string) => Input<Operations[G]>]
}

interface Targets {
  ids: readonly string[]
  reasons?: ReadonlyMap<string, string>
  room?: string
  max?: number | undefined
  ignoreNotFound?: boolean | undefined
}

/** @throws {ConfirmationError} when the change is not confirmed */
export async function confirmTargets<G extends OperationName>(
  context: Context,
  change: TargetChange<G>,
  targets: Targets,
): Promise<void> {
  const [, nouns] = selectView(endpoints[change.get[0]]).noun
  await confirmItems(
    context,
    { count: targets.ids.length, nouns, max: targets.max },
    { activity: `${change.gerund} ${nouns}`, describe: () => describeTargets(context, change, targets) },
  )
}

async function describeTargets<G extends OperationName>(
  context: Context,
  { verb, get: [get, input] }: TargetChange<G>,
  { ids, reasons, room = '', ignoreNotFound = false }: Targets,
): Promise<string> {
  const { noun } = selectView(endpoints[get])
  const client = await context.client()
  const labels = await Promise.all(
    ids.slice(0, maxNamed).map((id) => {
      const name = describeTarget(client, get, input(id, room), id, reasons?.get(id))
      return ignoreNotFound ? undefinedIfNotFound(name).then((found) => found ?? id) : name
    }),
  )
  const where = room === '' ? '' : ` in room ${room}`
  return `${verb} ${describeItems(noun, labels, ids.length)}${where}`
}

/** @throws {NotFoundError} when the item does not exist */
async function describeTarget<G extends OperationName>(
  client: Client,
  get: G,
  input: Input<Operations[G]>,
  id: string,
  reasons: string | undefined,
): Promise<string> {
  const item = (readResponseValue(await client.call(get, input)) as Item)[endpoints[get].result] as Item
  const name = toText(item[selectView(endpoints[get]).label ?? 'name'])
  return labelItem(reasons ? `${id}; ${reasons}` : id, name)
}
