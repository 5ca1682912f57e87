import type { Client } from '../../client/client.ts'
import { ApiError, NotFoundError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { describeItems, labelItem, maxNamed } from '../requests/describe-items.ts'
import { confirmItems } from '../run/confirm-items.ts'
import { openRun } from '../run/run.ts'
import type { ImportAdapter, RequestBody } from './adapter/adapter.ts'
import { createAdapters } from './adapters/index.ts'
import { finishImport } from './finish-import.ts'
import { runImportRows } from './import-run.ts'
import { refuseRoomNames, warnAboutLeadingZeros, warnAboutNamesakes } from './namesakes.ts'
import { type ImportPlan, prepareImport } from './prepare.ts'
import type { ImportFlags } from './read/import-flags.ts'
import { openSource } from './read/source.ts'

/** @throws {MeetroomError} if the import is refused or incomplete */
export async function runImport(
  context: Context,
  name: keyof typeof createAdapters,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  if (context.flags.curl)
    throw new UsageError('--curl cannot be used with an import, which sends many requests')
  const source = await openSource(file, context.host, flags.encoding)
  try {
    const plan = await prepareImport(context, { adapter: createAdapters[name](flags), source, file, flags })
    await refuseRoomNames(context, plan)
    await warnAboutNamesakes(context, plan)
    await warnAboutLeadingZeros(context, plan)
    await confirmImport(context, plan)
    const { run, ledger } = await runImportRows(context, plan)
    await finishImport(context, plan, run, ledger)
  } finally {
    await source.close()
  }
}

/** Maximum number of destructive rows to look up. All others count as affected. */
const maxLookups = 1000

async function confirmImport(context: Context, plan: ImportPlan): Promise<void> {
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
  const run = await openRun(context, { concurrency: flags.concurrency }, { total: checked.destructive })
  let count = 0
  const names: string[] = []
  const verbs = new Set<string>()
  const gerunds = new Set<string>()
  let lookups = 0
  const read = async (body: RequestBody) => {
    const isAffected = lookups++ >= maxLookups || (await isChangedBy(run.client, adapter, body))
    return { body, isAffected }
  }
  for await (const { body, isAffected } of run.read(listDestructive(adapter, checked), read)) {
    if (!isAffected) continue
    count++
    verbs.add(adapter.destructive?.verb(body) ?? '')
    gerunds.add(adapter.destructive?.gerund(body) ?? '')
    if (names.length < maxNamed) names.push(formatRowName(adapter, body))
  }
  return { count, names, verb: [...verbs].join(' or '), gerund: [...gerunds].join(' or ') }
}

async function* listDestructive(
  adapter: ImportAdapter,
  checked: ImportPlan['checked'],
): AsyncGenerator<RequestBody> {
  for await (const batch of checked.readAgain())
    for (const { body } of batch) if (body && adapter.destructive?.isRequested(body)) yield body
}

/** Returns false after an `ApiError` or a `NotFoundError`, because sending the row reports the error. */
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
