import type { Client } from '../../client/client.ts'
import { ApiError, NotFoundError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { initialConcurrency } from '../kernel/flags.ts'
import { describeItems, labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmItems } from '../run/confirm-items.ts'
import type { ImportAdapter, RequestBody } from './adapter/adapter.ts'
import type { ImportPlan } from './prepare.ts'

/** Maximum number of rows to look up; further rows count as existing. */
const maxLookups = 1000

/** @throws {ConfirmationError} when the user does not confirm, or more than `--max` items are affected */
export async function confirmImport(context: Context, plan: ImportPlan): Promise<void> {
  const { adapter, flags, checked } = plan
  const { destructive } = adapter
  const changes = flags.ifExists === 'overwrite' || flags.ifExists === 'update'
  if (!destructive || !changes || checked.destructive === 0 || context.flags.dryRun) return
  const { count, names, verb, gerund } = await countAffected(context, plan)
  const { noun } = adapter.view
  const question = {
    activity: `${gerund} ${noun[1]}`,
    describe: async () => `${verb} ${describeItems(noun, names, count)}`,
  }
  await confirmItems(context, { count, nouns: noun[1], max: flags.max, verb }, question)
}

async function countAffected(
  context: Context,
  { adapter, checked, flags }: ImportPlan,
): Promise<{ count: number; names: string[]; verb: string; gerund: string }> {
  const { concurrency = initialConcurrency } = flags
  const client = await context.client({ connections: concurrency })
  let count = 0
  const names: string[] = []
  const verbs = new Set<string>()
  const gerunds = new Set<string>()
  const add = (bodies: readonly RequestBody[]) => {
    count += bodies.length
    for (const body of bodies) {
      verbs.add(adapter.destructive?.verb(body) ?? '')
      gerunds.add(adapter.destructive?.gerund(body) ?? '')
    }
    names.push(...bodies.slice(0, maxNamed - names.length).map((body) => formatRowName(adapter, body)))
  }
  let lookups = 0
  let pending: RequestBody[] = []
  const lookUpBatch = async () => {
    const bodies = pending
    pending = []
    const isAffected = await Promise.all(bodies.map((body) => isChangedBy(client, adapter, body)))
    add(bodies.filter((_, i) => isAffected[i]))
  }
  for await (const batch of checked.readAgain())
    for (const { body } of batch) {
      if (!body || !adapter.destructive?.isRequested(body)) continue
      if (lookups++ >= maxLookups) add([body])
      else if (pending.push(body) >= concurrency) await lookUpBatch()
    }
  await lookUpBatch()
  return { count, names, verb: [...verbs].join(' or '), gerund: [...gerunds].join(' or ') }
}

/** Checks whether a row would terminate or block an item. Ignores errors, because sending the row reports them. */
async function isChangedBy(client: Client, adapter: ImportAdapter, body: RequestBody): Promise<boolean> {
  try {
    const existing = await adapter.find(client, body)
    return existing !== undefined && !adapter.destructive?.isDone(existing, body)
  } catch (error) {
    if (error instanceof ApiError || error instanceof NotFoundError) return false
    throw error
  }
}

function formatRowName(adapter: ImportAdapter, body: RequestBody): string {
  const key = (adapter.labelOf ?? adapter.keyOf)(body)?.split('\0').reverse().join(' in room ')
  const name = body['name']
  if (typeof name !== 'string' || name === key) return key ?? ''
  return key === undefined ? `“${name}”` : labelItem(key, name)
}
