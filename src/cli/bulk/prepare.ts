import { resolve } from 'node:path'
import { UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { dataDir } from '../requests/find-service.ts'
import type { Body, ImportAdapter } from './adapter/adapter.ts'
import { journalOf, overlapping, receiptOf } from './journal/journals.ts'
import { requireNew, requireNoneUnfinished } from './journal/receipt.ts'
import { maxReported } from './journal/results.ts'
import { type CheckedInput, checkInput } from './read/check.ts'
import { memberColumns } from './read/group.ts'
import type { ImportFlags } from './read/import-flags.ts'
import { Lookalikes } from './read/lookalikes.ts'
import { inputPlace } from './read/place.ts'
import { createRowReader } from './read/reader.ts'
import { parseMap, readRoomIds } from './read/renames.ts'
import { type InputFormat, inputFormatOf } from './read/rows.ts'
import type { Source } from './read/source.ts'

interface Asked {
  kind: ImportAdapter
  source: Source
  file: string
  flags: ImportFlags
}

export interface ImportPlan extends Asked {
  format: InputFormat
  checked: CheckedInput
  /** Path of the journal; undefined without a journal. */
  journal: string | undefined
  /** Path for a finished journal without failures; undefined if it is removed. */
  receipt: string | undefined
}

/**
 * Checks flags and input before the first request.
 * @throws {UsageError} when they are invalid
 */
export async function prepareImport(context: Context, asked: Asked): Promise<ImportPlan> {
  const { kind, source, file, flags } = asked
  if (flags.unblock && flags.ifExists !== 'update' && flags.ifExists !== 'overwrite')
    throw new UsageError('--unblock changes members who exist: pass --if-exists update, too')
  const journal = journalPath(context, asked)
  const format = inputFormatOf(source.path ?? (file === '-' ? undefined : file), flags.inputFormat)
  const defaults: Body = flags.room === undefined ? {} : { room_id: flags.room }
  const rooms = flags.roomIds === undefined ? undefined : await readRoomIds(context, flags.roomIds)
  const renames = parseMap(flags.map ?? [])
  const reader = await createRowReader(kind, {
    format,
    renames,
    defaults,
    roomIds: rooms,
    ignoreUnknown: flags.ignoreUnknown ?? false,
    memberColumns: flags.groupBy ? memberColumns : [],
  })
  let told = 0
  const lookalikes = context.flags.dryRun ? new Lookalikes(reader.targetOf) : undefined
  let alike = 0
  const checked = await checkInput({
    source,
    format,
    delimiter: flags.delimiter,
    groups: flags.groupBy !== undefined,
    kind,
    reader,
    shard: flags.shard,
    signal: context.interrupt,
    onRow:
      lookalikes &&
      (async (row) => {
        for (const difference of lookalikes.of(row))
          if (alike++ < maxReported)
            await context.notice(`warning: ${inputPlace(source, row)}: ${difference}`)
      }),
    onProblem: async (row, problem) => {
      if (flags.skipInvalid || told++ >= maxReported) return
      await context.report(new UsageError(`${inputPlace(source, row)}: ${problem}`))
    },
  })
  await tellTrimmed(context, checked)
  if (alike > maxReported) await context.notice(`and ${alike - maxReported} more that differ as little`)
  if (told > maxReported) await context.notice(`and ${told - maxReported} more`)
  if (checked.invalid > 0 && !flags.skipInvalid)
    throw new UsageError(`${checked.invalid} of ${checked.rows} rows are invalid; nothing was sent`, {
      hint: 'fix them, or skip them with --skip-invalid',
    })
  requireKeys(kind, flags, checked)
  await warn(context, asked, reader.unlisted, checked)
  const receipt = journal === undefined ? undefined : await receiptPath(context, asked)
  if (journal !== undefined && kind.repeats && !flags.again && !flags.resume)
    await requireFirst(context, asked, checked, [journal, ...(receipt === undefined ? [] : [receipt])])
  return { ...asked, format, checked, journal: context.flags.dryRun ? undefined : journal, receipt }
}

/** Returns the path of the receipt that prevents a repeated import; undefined when the user names the journal. */
async function receiptPath(context: Context, { kind, source, flags }: Asked): Promise<string | undefined> {
  if (!kind.repeats || source.path === undefined || typeof flags.journal === 'string') return undefined
  const target = await context.services.target()
  return receiptOf(await dataDir(context.host), { input: source.path, target, shard: flags.shard })
}

/**
 * @param paths paths of the journal and the receipt
 * @throws {UsageError} when rows were imported before, or may have been
 */
async function requireFirst(
  context: Context,
  { kind, source, flags }: Asked,
  checked: CheckedInput,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) await requireNew(context, { path, kind, checked })
  // A user who names the journal also names those of other shards.
  if (source.path === undefined || typeof flags.journal === 'string') return
  for (const path of (await Promise.all(paths.map((path) => overlapping(path, flags.shard)))).flat()) {
    await requireNoneUnfinished(context, { path, kind })
    await requireNew(context, { path, kind, checked })
  }
}

/** @throws {UsageError} when `--resume` has no journal */
function journalPath(context: Context, { source, flags }: Asked): string | undefined {
  const beside = source.path && journalOf(source.path, flags.shard)
  const { journal = true } = flags
  const path = typeof journal === 'string' ? resolve(context.host.cwd, journal) : journal ? beside : undefined
  if (flags.resume && path === undefined)
    throw new UsageError('--resume needs a journal', {
      hint: source.path === undefined ? 'name it with --journal FILE' : 'drop --no-journal',
    })
  return path
}

async function tellTrimmed(context: Context, { trimmed }: CheckedInput): Promise<void> {
  if (trimmed.size === 0) return
  const count = [...trimmed.values()].reduce((sum, each) => sum + each)
  const fields = [...trimmed].map(([field, each]) => `${field} ${each}`).join(', ')
  await context.notice(
    `white space around ${count === 1 ? '1 value' : `${count} values`} was removed (${fields})`,
  )
}

async function warn(
  context: Context,
  { kind, flags }: Asked,
  unlisted: ReadonlySet<string>,
  { rows, invalid, omitted }: CheckedInput,
): Promise<void> {
  for (const field of unlisted)
    await context.notice(
      `warning: the API lists no field “${field}” of a ${kind.view.noun[0]}; it is sent anyway`,
    )
  if (flags.ifExists !== 'overwrite' || flags.resume || omitted.size === 0) return
  const sent = rows - invalid
  const reset = [...omitted].map(([field, count]) =>
    count === sent ? field : `${field} (${count} of ${sent} rows)`,
  )
  await context.notice(
    `warning: what a row leaves out is reset where the ${kind.view.noun[0]} exists: ${reset.join(', ')}; --if-exists update keeps it`,
  )
}

/** @throws {UsageError} when `--if-exists` needs keys and rows have none */
function requireKeys(
  { view, keyName }: ImportAdapter,
  { ifExists }: ImportFlags,
  { rows, keyless }: CheckedInput,
): void {
  if (ifExists === 'fail' || keyless === 0) return
  throw new UsageError(
    `--if-exists ${ifExists} needs to know which ${view.noun[1]} exist, and ${keyless} of ${rows} rows have no ${keyName}`,
    { hint: 'pass --match name to recognise rooms by their name' },
  )
}
