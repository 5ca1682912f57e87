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

/** Some services count; in the API an id is text. */
export function asId(field: string, value: unknown): unknown {
  const isNumber = typeof value === 'number' || isLosslessNumber(value)
  return isNumber && idFields.includes(field) ? String(value) : value
}

/** A row as it will be sent, or why it cannot be. */
export type RowReading = ({ body: Body } | { problem: string }) & {
  /** The fields of values that had white space around them. */
  trimmed?: readonly string[]
}

export interface RowReader {
  /** @throws {UsageError} for columns that the kind does not have, or one that it needs and that is not there */
  checkColumns(columns: readonly string[]): void
  read(fields: Item): RowReading
  /** The same for what is known to be right. */
  bodyOf(fields: Item): Body
  /** The field that a column is read as. */
  targetOf(column: string): string
  /** Whether a column is imported. */
  isUsed(column: string): boolean
  /** Fields that rows have and the API does not list: they are sent anyway. */
  readonly unlisted: ReadonlySet<string>
}

interface ReaderOptions {
  format: InputFormat
  /** From the input’s names to the API’s; an empty name leaves a column out. */
  renames: ReadonlyMap<string, string>
  /** Values for what a row does not say. */
  defaults: Body
  /** The ids of rooms by those that they had elsewhere. */
  roomIds: ReadonlyMap<string, string> | undefined
  /** Leaves out what the API does not list. */
  ignoreUnknown: boolean
  /** Columns that are read before the rows are, for the members of a room. */
  memberColumns: readonly string[]
}

/** Number of unlisted fields that are named. */
const mostUnlisted = 20

/** How the rows of an input are read: cells become values, fields that the service makes are left out. */
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

  /** Whether a value says nothing: an empty cell, null, or the literal in a field that is deprecated. */
  const isBlank = (field: string, value: unknown) =>
    value === null ||
    (value === '' && isCsv) ||
    (value === deprecated && kind.deprecated.includes(field)) ||
    (Object.hasOwn(kind.nones, field) && kind.nones[field] === textOf(value))

  /**
   * @param onProblem told of what is wrong, and in which field
   * @param onTrimmed told each field whose value had white space around it
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

/** The columns that are fields of the thing. */
export function fieldsOf({ columns, beside = [] }: ImportAdapter): string[] {
  return Object.keys(columns).filter((field) => !beside.includes(field))
}

/** Which field each column of an input is read as. */
function createTargets(kind: ImportAdapter, options: ReaderOptions) {
  const { renames, ignoreUnknown, memberColumns } = options
  const isCsv = options.format === 'csv'
  const ignored = new Set(['', 'reason', ...kind.readOnly])
  // --map FIELD states that the service has this field, whatever the document lists.
  const named = new Set(renames.values())
  const unlisted = new Set<string>()
  const isListed = (field: string) =>
    Object.hasOwn(kind.columns, field) || ignored.has(field) || memberColumns.includes(field)

  // Spreadsheets have “User ID” where the API has user_id; JSON has names of its own.
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
    // Objects whose keys are data must not fill the memory.
    if (targets.size < 10_000) targets.set(column, target)
    return target
  }

  return { targetOf, isListed, ignored, named, unlisted }
}

/** `User ID` and `user-id` are user_id. */
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
