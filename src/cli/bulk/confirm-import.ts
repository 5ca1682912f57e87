import type { Client } from '../../client/client.ts'
import { ApiError, ConfirmationError, NotFoundError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Body, ImportAdapter } from './adapter/adapter.ts'
import type { ImportPlan } from './prepare.ts'

/** Maximum number of rows to look up; further rows count as existing. */
const mostLooks = 1000
const mostNamed = 10

/**
 * Asks for confirmation before the first request when rows would terminate rooms or block members.
 * @throws {ConfirmationError} when not confirmed, or the items exceed `--max`
 */
export async function confirmImport(context: Context, plan: ImportPlan): Promise<void> {
  const { kind, flags, checked } = plan
  const { destructive } = kind
  const changes = flags.ifExists === 'overwrite' || flags.ifExists === 'update'
  if (!destructive || !changes || checked.destructive === 0 || context.flags.dryRun) return
  const { count, names, verb, doing } = await affected(context, plan)
  const nouns = kind.view.noun[count === 1 ? 0 : 1]
  if (flags.max !== undefined && count > flags.max)
    throw new ConfirmationError(
      `that would ${verb} ${count} ${nouns}, and --max allows ${flags.max}; nothing was done`,
    )
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  const capitalized = verb.charAt(0).toUpperCase() + verb.slice(1)
  await context.confirm({
    doing: `${doing} ${kind.view.noun[1]}`,
    describe: async () =>
      `${capitalized} ${count === 1 ? '' : `${count} `}${nouns} ${names.join(', ')}${more}`,
    count,
    max: flags.max,
  })
}

/** Counts the items that the rows would terminate or block, with some names. */
async function affected(
  context: Context,
  { kind, checked, flags }: ImportPlan,
): Promise<{ count: number; names: string[]; verb: string; doing: string }> {
  const { concurrency } = flags
  const client = await context.client({ connections: concurrency })
  let count = 0
  const names: string[] = []
  const verbs = new Set<string>()
  const doings = new Set<string>()
  const add = (bodies: readonly Body[]) => {
    count += bodies.length
    for (const body of bodies) {
      verbs.add(kind.destructive?.verb(body) ?? '')
      doings.add(kind.destructive?.doing(body) ?? '')
    }
    names.push(...bodies.slice(0, mostNamed - names.length).map((body) => nameOf(kind, body)))
  }
  let looked = 0
  let waiting: Body[] = []
  const look = async () => {
    const bodies = waiting
    waiting = []
    const takes = await Promise.all(bodies.map((body) => takesAway(client, kind, body)))
    add(bodies.filter((_, i) => takes[i]))
  }
  for await (const batch of checked.again())
    for (const { body } of batch) {
      if (!body || !kind.destructive?.asks(body)) continue
      if (looked++ >= mostLooks) add([body])
      else if (waiting.push(body) >= concurrency) await look()
    }
  await look()
  return { count, names, verb: [...verbs].join(' or '), doing: [...doings].join(' or ') }
}

/** Checks whether a row would terminate or block an item. Errors recur when the row is sent. */
async function takesAway(client: Client, kind: ImportAdapter, body: Body): Promise<boolean> {
  try {
    const existing = await kind.find(client, body)
    return existing !== undefined && !kind.destructive?.isDone(existing, body)
  } catch (error) {
    if (error instanceof ApiError || error instanceof NotFoundError) return false
    throw error
  }
}

function nameOf(kind: ImportAdapter, body: Body): string {
  const key = (kind.label ?? kind.key)(body)?.split('\0').reverse().join(' in room ')
  const name = body['name']
  return typeof name === 'string' && name !== key
    ? `“${name}”${key === undefined ? '' : ` (${key})`}`
    : (key ?? '')
}
