import { isLosslessNumber } from 'lossless-json'
import { findSegmentProblem } from '../../../api/path.ts'
import { plural } from '../../../api/plural.ts'
import type { Fields } from '../../../api/resource-types.ts'
import { toText } from '../../../api/to-text.ts'
import { deprecated } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import { listPlaceholders } from '../../input/placeholders.ts'
import { findDamage } from '../../input/unlikely-id.ts'
import { findNearChoice } from '../../matching/near.ts'
import type { Item } from '../../output/views/views.ts'
import type { ImportAdapter, ImportColumns, RequestBody } from '../adapter/adapter.ts'
import { idFields, trimValue } from './identity.ts'
import { createJoin, listParts } from './joined-columns.ts'
import { RoleReader } from './role-map.ts'
import type { InputFormat } from './rows.ts'
import { originField } from './saved-origin.ts'
import { MissingColumnsError, RequiredColumnError, UnknownColumnsError } from './unknown-columns.ts'

export function toId(field: string, value: unknown): unknown {
  const isNumber = typeof value === 'number' || isLosslessNumber(value)
  return isNumber && idFields.includes(field) ? String(value) : value
}

type RowResult = ({ body: RequestBody; problem: undefined } | { body: undefined; problem: string }) & {
  trimmed: readonly string[] | undefined
}

export interface RowReader {
  /** @throws {UsageError} for unusable columns */
  checkColumns(columns: readonly string[]): void
  read(fields: Item): RowResult
  toBody(fields: Item): RequestBody
  fieldOf(column: string): string
  /** Adds the columns of the templates in `--map`; undefined without templates. */
  readonly join: ((fields: Item) => Item) | undefined
  isUsed(column: string): boolean
  /** Unlisted fields that are sent, at most `maxUnlisted`. */
  readonly unlisted: ReadonlySet<string>
  /** Unlisted columns of an export, which are not sent. */
  readonly leftOut: readonly string[]
  /** Read-only columns of a file that is not an export. */
  readonly readOnly: readonly string[]
}

export interface ReaderOptions {
  format: InputFormat
  /** Field names by column name or template. An empty field name excludes the column. */
  renames: ReadonlyMap<string, string>
  defaults: RequestBody
  roomIds: ReadonlyMap<string, string> | undefined
  ignoreUnknown: boolean
  memberColumns: readonly string[]
  roles?: RoleReader
}

const maxUnlisted = 20
const ignore = () => {}

/** Kind of rows: the items of an import, or the members for `--group-by`. */
type RowKind = ImportColumns &
  Pick<
    ImportAdapter,
    'view' | 'extraColumns' | 'normalize' | 'creationDefaults' | 'defaultFlags' | 'listReferencedUsers'
  >

export async function createRowReader(adapter: RowKind, options: ReaderOptions): Promise<RowReader> {
  const { createBodySchema } = await import('../../../api/schemas.ts')
  const { describeIssue, withField } = await import('../../../api/issue.ts')
  const listed = adapter.fields
  const schema = createBodySchema('create', listed)
  const mapping = createFieldMapping(adapter, options)
  const { targetOf: fieldOf, ignored, unlisted } = mapping
  const convertRoles = (options.roles ?? new RoleReader()).createConverter(listed)
  const convertFields = createConverter(adapter, options, mapping, withField)
  const convert: typeof convertFields = (fields, onProblem, onTrimmed) =>
    convertRoles(convertFields(fields, onProblem, onTrimmed), onProblem)
  const leftOut: string[] = []
  let readOnly: readonly string[] = []

  function read(fields: Item): RowResult {
    const problems: string[] = []
    const fieldsWithProblems: unknown[] = []
    const add = (field: unknown, problem: string) => {
      fieldsWithProblems.push(field)
      problems.push(problem)
    }
    let trimmed: string[] | undefined
    const body = convert(fields, add, (field) => {
      trimmed ??= []
      trimmed.push(field)
    })
    const fail = (problem: string) => ({ body: undefined, problem, trimmed })
    const created: RequestBody = { ...adapter.creationDefaults, ...body }
    for (const field of adapter.required)
      if (created[field] === undefined && !fieldsWithProblems.includes(field))
        add(field, `${field} is missing`)
    const checked = schema.safeParse(created)
    if (!checked.success)
      for (const issue of checked.error.issues) {
        if (fieldsWithProblems.includes(issue.path[0])) continue
        const choices = issue.code === 'invalid_value' && issue.path.length === 1 ? issue.values : []
        const near = findNearChoice(toText(body[String(issue.path[0])]), choices.map(String))
        problems.push(describeIssue(issue, body) + (near === undefined ? '' : ` (did you mean “${near}”?)`))
      }
    if (problems.length > 0) return fail(problems.join('; '))
    for (const field of ['user_id', 'room_id', 'id'] as const) {
      const id = body[field]
      if (id === undefined) continue
      const problem =
        typeof id === 'object' ? `${field} must be text or a number` : findSegmentProblem(field, String(id))
      if (problem) return fail(problem)
    }
    for (const [field, value] of Object.entries(body)) {
      const problem = typeof value === 'string' ? findDamage(field, value) : undefined
      if (problem) return fail(problem)
    }
    for (const user of adapter.listReferencedUsers?.(body) ?? []) {
      const problem = findDamage('user_id', toText(user))
      if (problem) return fail(`members: ${problem}`)
    }
    return { body, problem: undefined, trimmed }
  }
  return {
    checkColumns(columns) {
      const found = checkColumns(columns, adapter, options, mapping, listed)
      leftOut.push(...found.leftOut)
      readOnly = found.readOnly
    },
    read,
    toBody: (fields) => convert(fields, ignore, ignore),
    fieldOf,
    join: createJoin(options.renames.keys(), mapping.fold),
    isUsed: (column) => !ignored.has(fieldOf(column)),
    unlisted,
    leftOut,
    get readOnly() {
      return readOnly
    },
  }
}

function checkColumns(
  columns: readonly string[],
  adapter: RowKind,
  { renames, defaults, memberColumns }: ReaderOptions,
  { targetOf, isListed, ignored, named, leaveOut }: FieldMapping,
  listed: Fields,
): { leftOut: readonly string[]; readOnly: readonly string[] } {
  const present = new Set(columns.map(foldName))
  const isPresent = (column: string) => present.has(foldName(column))
  const absent = [...renames.keys()].filter((column) => !isPresent(column))
  const absentColumns = [...new Set(absent.flatMap(listParts))].filter((column) => !isPresent(column))
  const known = [...listImportFields(adapter), ...memberColumns]
  if (absentColumns.length > 0)
    throw new MissingColumnsError(
      `--map: there ${plural(absentColumns.length, 'is', 'are')} no`,
      absentColumns,
      columns,
      known,
    )
  const fields = [...columns, ...absent].map(targetOf)
  const unknown = columns.filter((_, i) => !isListed(fields[i] ?? '') && !named.has(fields[i] ?? ''))
  const isExport = adapter.view.fields.every((field) => listed[field]?.secret || fields.includes(field))
  const given: RequestBody = { ...adapter.creationDefaults, ...defaults }
  const free = known.filter((field) => !fields.includes(field) && given[field] === undefined)
  const requiredFields = [...adapter.required, ...memberColumns.slice(0, 1)]
  const missing = requiredFields.filter((field) => free.includes(field))
  const unread = columns.filter((_, i) => fields[i] !== '' && ignored.has(fields[i] ?? ''))
  const found = {
    ...{ kind: adapter.view.noun[0], all: columns, columns: unknown, ignored: unread },
    ...{ known, free, missing, flags: adapter.defaultFlags ?? {} },
  }
  if (unknown.length > 0 && !isExport) throw new UnknownColumnsError(found)
  for (const column of unknown) leaveOut(column)
  for (const [i, field] of fields.entries())
    if (field !== '' && !ignored.has(field) && fields.indexOf(field) !== i)
      throw new UsageError(`two columns are mapped to ${field}`)
  if (missing.length > 0) throw new RequiredColumnError({ ...found, columns: [] })
  const isReadOnly = (column: string) => adapter.readOnly.includes(targetOf(column))
  return { leftOut: unknown, readOnly: isExport ? [] : unread.filter(isReadOnly) }
}

function createConverter(
  adapter: RowKind,
  { format, defaults, roomIds }: ReaderOptions,
  { targetOf, ignored }: FieldMapping,
  withField: (field: string, problem: string) => string,
) {
  const isEmptyValue = (field: string, value: unknown) =>
    value === null ||
    (value === '' && format === 'csv') ||
    (value === deprecated && adapter.deprecated.includes(field)) ||
    (Object.hasOwn(adapter.emptyValues, field) && adapter.emptyValues[field] === toText(value))

  return (
    fields: Item,
    onProblem: (field: unknown, problem: string) => void,
    onTrimmed: (field: string) => void,
  ): RequestBody => {
    const given: Record<string, unknown> = { ...defaults }
    for (const column of Object.keys(fields)) {
      const field = targetOf(column)
      const value = trimValue(field, fields[column], onTrimmed)
      if (ignored.has(field) || isEmptyValue(field, value)) continue
      const convert = Object.hasOwn(adapter.columns, field) ? adapter.columns[field] : undefined
      const isCell = typeof value === 'string' && value !== ''
      const isFlag = typeof value === 'number' && adapter.booleans.includes(field)
      try {
        given[field] =
          convert && (isCell || isFlag)
            ? trimValue(field, convert(String(value)), onTrimmed)
            : toId(field, value)
      } catch (error) {
        onProblem(field, withField(field, error instanceof UsageError ? error.message : 'is not valid JSON'))
      }
    }
    let body: RequestBody = given
    try {
      if (adapter.normalize) body = adapter.normalize(given)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      onProblem(undefined, error.message)
    }
    const room = body['room_id']
    if (roomIds && typeof room === 'string') {
      if (!roomIds.has(room)) onProblem('room_id', `room_id: ${room} is not in the --room-ids file`)
      body = { ...body, room_id: roomIds.get(room) }
    }
    return body
  }
}

export function listImportFields({ columns, extraColumns = [] }: RowKind): string[] {
  return Object.keys(columns).filter((field) => !extraColumns.includes(field))
}

type FieldMapping = ReturnType<typeof createFieldMapping>

function createFieldMapping(adapter: RowKind, options: ReaderOptions) {
  const { renames, ignoreUnknown, memberColumns } = options
  const isCsv = options.format === 'csv'
  const ignored = new Set(['', 'reason', originField, ...adapter.readOnly])
  // A field named in `--map` is accepted even if it is not listed.
  const named = new Set(renames.values())
  const unlisted = new Set<string>()
  const isListed = (field: string) =>
    Object.hasOwn(adapter.columns, field) || ignored.has(field) || memberColumns.includes(field)

  // CSV columns match loosely: “User ID” matches `user_id`. JSON keys must match exactly.
  const fieldsByColumn = new Map(
    [...Object.keys(adapter.columns), ...ignored, ...memberColumns].map((field) => [foldName(field), field]),
  )
  const foldedRenames = new Map([...renames].map(([column, field]) => [foldName(column), field]))
  const fold = (column: string) => (isCsv ? foldName(column) : column)
  const parts = new Set([...renames.keys()].flatMap((column) => listPlaceholders(column).map(fold)))
  const targets = new Map<string, string>()
  const fieldOf = (column: string) => {
    let target = targets.get(column)
    if (target !== undefined) return target
    const renamed = renames.get(column) ?? (isCsv ? foldedRenames.get(foldName(column)) : undefined)
    target = renamed ?? (isCsv ? fieldsByColumn.get(foldName(column)) : undefined) ?? column
    // Without its own `--map`, a joined column is ignored if its field is unlisted or set by `--map`.
    if (renamed === undefined && parts.has(fold(column)) && (!isListed(target) || named.has(target)))
      target = ''
    if (!isListed(target)) {
      if (ignoreUnknown && !named.has(target)) target = ''
      else if (unlisted.size < maxUnlisted) unlisted.add(target)
    }
    // The size is limited, because JSON objects can have any number of keys.
    if (targets.size < 10_000) targets.set(column, target)
    return target
  }

  const leaveOut = (column: string) => {
    unlisted.delete(fieldOf(column))
    targets.set(column, '')
  }
  return { targetOf: fieldOf, fold, leaveOut, isListed, ignored, named, unlisted }
}

export function foldName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}
