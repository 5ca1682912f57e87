import { isLosslessNumber } from 'lossless-json'
import { endpoints } from '../../../api/endpoints.ts'
import { segmentProblem } from '../../../api/path.ts'
import { resources } from '../../../api/resources.ts'
import { textOf } from '../../../api/text-of.ts'
import { deprecated } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import type { Item, View } from '../../output/views/views.ts'
import type { Body, ImportAdapter } from '../adapter/adapter.ts'
import { idFields, trimmedValue } from './identity.ts'
import type { InputFormat } from './rows.ts'

export function asId(field: string, value: unknown): unknown {
  const isNumber = typeof value === 'number' || isLosslessNumber(value)
  return isNumber && idFields.includes(field) ? String(value) : value
}

export type RowReading = ({ body: Body } | { problem: string }) & {
  trimmed?: readonly string[]
}

export interface RowReader {
  /** @throws {UsageError} for unknown or missing columns */
  checkColumns(columns: readonly string[]): void
  read(fields: Item): RowReading
  /** Converts a row that was checked before. */
  bodyOf(fields: Item): Body
  targetOf(column: string): string
  isUsed(column: string): boolean
  /** Fields that the API specification does not list; they are sent anyway. */
  readonly unlisted: ReadonlySet<string>
}

interface ReaderOptions {
  format: InputFormat
  /** Fields by column name; an empty field ignores the column. */
  renames: ReadonlyMap<string, string>
  defaults: Body
  roomIds: ReadonlyMap<string, string> | undefined
  ignoreUnknown: boolean
  memberColumns: readonly string[]
}

const mostUnlisted = 20

export async function createRowReader(kind: ImportAdapter, options: ReaderOptions): Promise<RowReader> {
  const { renames, defaults, roomIds, memberColumns } = options
  const { bodySchema } = await import('../../../api/schemas.ts')
  const { describeIssue } = await import('../../../api/issue.ts')
  const schema = bodySchema('create', resources[endpoints[kind.creates].resource].fields)
  const isCsv = options.format === 'csv'
  const { targetOf, isListed, ignored, named, unlisted } = createTargets(kind, options)

  function checkColumns(columns: readonly string[]): void {
    const present = new Set(columns.map(folded))
    const absent = [...renames.keys()].find((column) => !present.has(folded(column)))
    if (absent !== undefined)
      throw new UsageError(`--map: there is no column “${absent}”`, {
        hint: `columns are ${columns.join(', ')}`,
      })
    const fields = columns.map(targetOf)
    const unknown = columns.filter((_, i) => !isListed(fields[i] ?? '') && !named.has(fields[i] ?? ''))
    if (unknown.length > 0) throw unknownColumns(unknown, kind.view, [...fieldsOf(kind), ...memberColumns])
    for (const [i, field] of fields.entries())
      if (field !== '' && !ignored.has(field) && fields.indexOf(field) !== i)
        throw new UsageError(`two columns are mapped to ${field}`)
    const needed = [...kind.required, ...memberColumns.slice(0, 1)]
    const missing = needed.filter((field) => !fields.includes(field) && defaults[field] === undefined)
    if (missing.length > 0)
      throw new UsageError(`there is no column ${missing.join(' or ')}`, {
        hint: `columns are ${columns.join(', ')}; map one: --map 'COLUMN=${missing[0]}'`,
      })
  }

  /** Returns true for an empty cell, null, or the placeholder value of a deprecated field. */
  const isBlank = (field: string, value: unknown) =>
    value === null ||
    (value === '' && isCsv) ||
    (value === deprecated && kind.deprecated.includes(field)) ||
    (Object.hasOwn(kind.nones, field) && kind.nones[field] === textOf(value))

  /**
   * @param onProblem called with the field and its problem
   * @param onTrimmed called with each field whose value was trimmed
   */
  function convert(
    fields: Item,
    onProblem: (field: unknown, problem: string) => void,
    onTrimmed: (field: string) => void,
  ): Body {
    const given: Record<string, unknown> = { ...defaults }
    for (const column of Object.keys(fields)) {
      const field = targetOf(column)
      const value = trimmedValue(field, fields[column], onTrimmed)
      if (ignored.has(field) || isBlank(field, value)) continue
      const convert = Object.hasOwn(kind.columns, field) ? kind.columns[field] : undefined
      const isCell = typeof value === 'string' && value !== ''
      const isFlag = typeof value === 'number' && kind.booleans.includes(field)
      try {
        given[field] =
          convert && (isCell || isFlag)
            ? trimmedValue(field, convert(String(value)), onTrimmed)
            : asId(field, value)
      } catch (error) {
        onProblem(field, `${field}: ${error instanceof UsageError ? error.message : 'not JSON'}`)
      }
    }
    let body: Body = given
    try {
      if (kind.normal) body = kind.normal(given)
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

  function read(fields: Item): RowReading {
    const problems: string[] = []
    const bad: unknown[] = []
    const add = (field: unknown, problem: string) => {
      bad.push(field)
      problems.push(problem)
    }
    let trimmed: string[] | undefined
    const body = convert(fields, add, (field) => {
      trimmed ??= []
      trimmed.push(field)
    })
    const also = trimmed && { trimmed }
    for (const field of kind.required)
      if (body[field] === undefined && !bad.includes(field)) add(field, `${field} is missing`)
    const checked = schema.safeParse(body)
    if (!checked.success)
      for (const issue of checked.error.issues)
        if (!bad.includes(issue.path[0])) problems.push(describeIssue(issue))
    if (problems.length > 0) return { problem: problems.join('; '), ...also }
    for (const field of ['user_id', 'room_id', 'id'] as const) {
      const id = body[field]
      if (id === undefined) continue
      const problem =
        typeof id === 'object' ? `${field} is neither text nor a number` : segmentProblem(field, String(id))
      if (problem) return { problem, ...also }
    }
    return also ? { body, ...also } : { body }
  }
  return {
    checkColumns,
    read,
    bodyOf: (fields) =>
      convert(
        fields,
        () => {},
        () => {},
      ),
    targetOf,
    isUsed: (column) => !ignored.has(targetOf(column)),
    unlisted,
  }
}

export function fieldsOf({ columns, beside = [] }: ImportAdapter): string[] {
  return Object.keys(columns).filter((field) => !beside.includes(field))
}

function createTargets(kind: ImportAdapter, options: ReaderOptions) {
  const { renames, ignoreUnknown, memberColumns } = options
  const isCsv = options.format === 'csv'
  const ignored = new Set(['', 'reason', ...kind.readOnly])
  // A field named in --map is accepted even if the API specification does not list it.
  const named = new Set(renames.values())
  const unlisted = new Set<string>()
  const isListed = (field: string) =>
    Object.hasOwn(kind.columns, field) || ignored.has(field) || memberColumns.includes(field)

  // CSV columns match regardless of case and spaces, such as “User ID”; JSON keys must match exactly.
  const fieldOf = new Map(
    [...Object.keys(kind.columns), ...ignored, ...memberColumns].map((field) => [folded(field), field]),
  )
  const foldedRenames = new Map([...renames].map(([column, field]) => [folded(column), field]))
  const targets = new Map<string, string>()
  const targetOf = (column: string) => {
    let target = targets.get(column)
    if (target !== undefined) return target
    target = isCsv
      ? (renames.get(column) ?? foldedRenames.get(folded(column)) ?? fieldOf.get(folded(column)) ?? column)
      : (renames.get(column) ?? column)
    if (!isListed(target)) {
      if (ignoreUnknown && !named.has(target)) target = ''
      else if (unlisted.size < mostUnlisted) unlisted.add(target)
    }
    // Bounds the memory for objects with arbitrary keys.
    if (targets.size < 10_000) targets.set(column, target)
    return target
  }

  return { targetOf, isListed, ignored, named, unlisted }
}

function folded(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
}

function unknownColumns(columns: readonly string[], view: View, known: readonly string[]): UsageError {
  const [first = ''] = columns
  const names = columns.map((column) => `“${column}”`).join(', ')
  return new UsageError(
    `no ${view.noun[0]} has ${columns.length === 1 ? 'a field' : 'the fields'} ${names} (fields are ${known.join(', ')})`,
    {
      hint: `map each: --map '${first}=FIELD', or ignore it: --map '${first}='; --ignore-unknown leaves out all of them`,
    },
  )
}
