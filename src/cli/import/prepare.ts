import { counted, plural } from '../../api/plural.ts'
import { UsageError } from '../../errors.ts'
import { resolveOutput } from '../../files/file-kind.ts'
import type { Context } from '../kernel/context.ts'
import { describeTarget, findDataDir, findOptionalDataDir } from '../requests/find-service.ts'
import type { ImportAdapter, RequestBody } from './adapter/adapter.ts'
import { buildMatchCommand } from './import-command.ts'
import { RowProblems, refuseInvalid } from './invalid-rows.ts'
import { findDefaultJournal, findOtherParts, listDefaultJournals, receiptPath } from './journal/parts.ts'
import { leaveOutImported, requireNoneUnfinished, requireNotImported } from './journal/receipt.ts'
import { type CheckedInput, checkInput } from './read/check.ts'
import { createMemberReader, memberColumns } from './read/group.ts'
import type { ImportFlags } from './read/import-flags.ts'
import { Lookalikes } from './read/lookalikes.ts'
import { formatInputPlace, formatRowPlace } from './read/place.ts'
import { createRowReader, type ReaderOptions, type RowReader } from './read/reader.ts'
import { parseMap, readRoomIds } from './read/renames.ts'
import { RoleReader } from './read/role-map.ts'
import { detectFormat, findFormatOf, type InputFormat, readSample } from './read/rows.ts'
import { SavedOrigins } from './read/saved-origin.ts'
import { createRowFilter } from './read/select-rows.ts'
import type { Source } from './read/source.ts'
import { ColumnsError } from './read/unknown-columns.ts'

interface ImportRequest {
  adapter: ImportAdapter
  source: Source
  file: string
  flags: ImportFlags
}

export interface ImportPlan extends ImportRequest {
  format: InputFormat
  checked: CheckedInput
  fieldOf: RowReader['fieldOf']
  /** Values of an identifying field, without similar values; none with `--resume`. */
  valuesOf: (field: string) => readonly string[]
  /** Undefined in a dry run, with `--no-journal`, and for a stream without `--journal`. */
  journal: string | undefined
  receipt: string | undefined
}

/** @throws {MeetroomError} if the import must not start */
export async function prepareImport(context: Context, request: ImportRequest): Promise<ImportPlan> {
  const { adapter, source, file, flags } = request
  if (flags.unblock && flags.ifExists !== 'update' && flags.ifExists !== 'overwrite')
    throw new UsageError('--unblock needs --if-exists update or --if-exists overwrite')
  const journal = await resolveJournalPath(context, request)
  if (!flags.inputFormat && /\.ya?ml$/i.test(file))
    throw new UsageError(`${file} is YAML, which imports do not read`, {
      hint: 'save the file as JSON or CSV',
    })
  const format = flags.inputFormat ?? findFormatOf(file) ?? (await detectFormat(source.read(), adapter.name))
  const defaults: RequestBody = flags.room === undefined ? {} : { room_id: flags.room }
  const rooms = flags.roomIds === undefined ? undefined : await readRoomIds(context, flags.roomIds)
  const renames = parseMap(flags.map ?? [])
  const roles = new RoleReader(flags.roleMap)
  const readerOptions: ReaderOptions = {
    format,
    renames,
    defaults,
    roomIds: rooms,
    ignoreUnknown: flags.ignoreUnknown ?? false,
    memberColumns: flags.groupBy ? memberColumns : [],
    roles,
  }
  const reader = await createRowReader(adapter, readerOptions)
  const problems = new RowProblems(context)
  // The interrupted run has printed the warnings.
  const lookalikes = flags.resume ? undefined : new Lookalikes(reader.fieldOf, adapter.name)
  const origins = new SavedOrigins()
  const checked = await checkInput({
    source,
    format,
    delimiter: flags.delimiter,
    split: flags.split,
    filter: await createRowFilter(context, adapter, flags.where),
    adapter,
    reader,
    memberReader: flags.groupBy && (await createMemberReader(readerOptions)),
    shard: flags.shard,
    signal: context.interrupt,
    onRow: async (row) => {
      if (row.fields) origins.note(row.fields)
      for (const mistake of lookalikes?.findIn(row) ?? [])
        await context.notice(`warning: ${formatInputPlace(source, row)}: ${mistake}`)
    },
    onProblem: async (row, problem) => {
      if (flags.skipInvalid || roles.noteProblem(problem, formatRowPlace(row))) return
      await problems.add(formatInputPlace(source, row), problem)
    },
  }).catch(async (error: unknown) => {
    if (error instanceof ColumnsError) error.rows = (await readSample(source, format, flags.delimiter)).rows
    throw error
  })
  await reportEmpty(context, request, checked)
  await reportTrimmed(context, checked)
  if (checked.empty > 0) await context.notice(`skipped ${counted(checked.empty, 'empty row')}`)
  if (checked.repeats > 0)
    await context.notice(
      `skipped ${counted(checked.repeats, 'row')} that ${plural(checked.repeats, 'is', 'are')} equal to an earlier row`,
    )
  for (const rest of lookalikes?.listRest() ?? []) await context.notice(rest)
  await problems.end()
  const unknownRoles = roles.unknownError(source.name)
  if (unknownRoles) await context.reportError(unknownRoles)
  if (checked.invalid > 0 && !flags.skipInvalid)
    await refuseInvalid(context, { ...request, format, checked, journal })
  requireKeys(request, checked)
  const unused = roles.describeUnused()
  if (unused !== undefined) await context.notice(unused)
  await warnAboutFields(context, request, reader, checked)
  await origins.confirm(context, flags.fromOtherService ?? false)
  const receipt = adapter.createDuplicates ? await findReceiptPath(context, request) : undefined
  return {
    ...request,
    format,
    fieldOf: reader.fieldOf,
    valuesOf: (field) => lookalikes?.listValues(field) ?? [],
    checked:
      adapter.createDuplicates && !flags.again
        ? await withoutImported(context, request, checked, { journal, receipt })
        : checked,
    journal: context.flags.dryRun ? undefined : journal,
    receipt: flags.receipt === false ? undefined : receipt,
  }
}

/**
 * Returns the path of the receipt, if any.
 * @throws {UsageError} if a receipt must be written without a data directory
 */
async function findReceiptPath(
  context: Context,
  { source, flags }: ImportRequest,
): Promise<string | undefined> {
  if (source.path === undefined) return undefined
  const target = await describeTarget(context)
  const isWritten = !context.flags.dryRun && flags.receipt !== false && flags.journal !== false
  const dir = await (isWritten ? findDataDir : findOptionalDataDir)(context.host)
  return dir && receiptPath(dir, { input: source.path, target, flags })
}

/**
 * Removes the rows whose existing rooms earlier imports with `--where` created.
 * @throws {MeetroomError} if rows could be imported twice, or a read fails
 */
async function withoutImported(
  context: Context,
  request: ImportRequest,
  checked: CheckedInput,
  { journal, receipt }: Pick<ImportPlan, 'journal' | 'receipt'>,
): Promise<CheckedInput> {
  const { adapter, flags } = request
  const isNew = !flags.resume
  const usual = [...listDefaultJournals(request), receipt ?? []].flat()
  const parts = (await Promise.all(usual.map((path) => findOtherParts(path, flags)))).flat()
  const others = [...usual, ...parts].filter((path) => path !== journal)
  if (isNew) for (const path of others) await requireNoneUnfinished(context, { path, adapter })
  // Journals and receipts of imports with `--where`.
  const selected = parts.filter((path) => /\.where-\w+\.journal$/.test(path))
  const remaining = await leaveOutImported(context, { paths: selected, adapter, checked })
  if (isNew)
    for (const path of [journal ?? [], others].flat().filter((path) => !selected.includes(path)))
      await requireNotImported(context, { path, adapter, checked: remaining })
  return remaining
}

async function resolveJournalPath(context: Context, request: ImportRequest): Promise<string | undefined> {
  const { source, flags } = request
  const { journal = true } = flags
  const path =
    typeof journal === 'string'
      ? resolveOutput(journal, context.host, 'import.journal')
      : journal
        ? await findDefaultJournal(request)
        : undefined
  if (flags.resume && path === undefined)
    throw new UsageError('--resume needs a journal', {
      ...(source.path === undefined
        ? { hint: 'pass the file of the journal with --journal' }
        : { hint: 'omit --no-journal', lineEdit: { before: 'type: ', omit: ['--no-journal'] } }),
    })
  return path
}

async function reportEmpty(
  context: Context,
  { file, flags }: ImportRequest,
  { rows, unselected }: CheckedInput,
): Promise<void> {
  const all = rows + unselected
  if (rows > 0 && flags.where) await context.notice(`--where selects ${rows} of ${counted(all, 'row')}`)
  if (rows > 0) return
  const name = file === '-' ? 'standard input' : file
  const what = unselected > 0 ? `no row of ${name} matches --where` : `${name} has no rows`
  if (flags.requireRows)
    throw new UsageError(what, {
      hint: 'omit --require-rows to accept an empty file',
      lineEdit: { before: 'to accept an empty file: ', omit: ['--require-rows'] },
    })
  await context.notice(`${what}; nothing to import`)
}

async function reportTrimmed(context: Context, { trimmed }: CheckedInput): Promise<void> {
  if (trimmed.size === 0) return
  const count = [...trimmed.values()].reduce((sum, each) => sum + each)
  const fields = [...trimmed].map(([field, fieldCount]) => `${field} ${fieldCount}`).join(', ')
  await context.notice(`white space around ${counted(count, 'value')} was removed (${fields})`)
}

async function warnAboutFields(
  context: Context,
  { adapter, flags }: ImportRequest,
  { unlisted, leftOut, readOnly }: RowReader,
  { rows, invalid, omittedFields }: CheckedInput,
): Promise<void> {
  if (leftOut.length > 0)
    await context.notice(
      `warning: meetroom does not send the ${plural(leftOut.length, 'column')} ${leftOut.join(', ')}, because the API does not list ${plural(leftOut.length, 'it', 'them')}; --map 'COLUMN=FIELD' sends a column`,
    )
  if (readOnly.length > 0)
    await context.notice(
      `only the service sets ${plural(readOnly.length, 'this field, so it is', 'these fields, so they are')} not imported: ${readOnly.join(', ')}`,
    )
  for (const field of unlisted)
    await context.notice(
      `warning: the API lists no field “${field}” of a ${adapter.view.noun[0]}; the field is sent anyway`,
    )
  if (flags.ifExists !== 'overwrite' || flags.resume || omittedFields.size === 0) return
  const sent = rows - invalid
  const reset = [...omittedFields].map(([field, count]) =>
    count === sent ? field : `${field} (${count} of ${sent} rows)`,
  )
  await context.notice(
    `warning: overwriting a ${adapter.view.noun[0]} resets the fields that its row omits: ${reset.join(', ')}; --if-exists update keeps them`,
  )
}

function requireKeys(request: ImportRequest, { rows, keyless }: CheckedInput): void {
  const { adapter, flags } = request
  const { ifExists } = flags
  if (ifExists === 'fail' || keyless === 0) return
  throw new UsageError(
    `--if-exists ${ifExists} needs the ${adapter.keyName} of each row, but ${keyless} of ${rows} rows have none`,
    { hint: ['match rooms by name with: ', buildMatchCommand(request)] },
  )
}
