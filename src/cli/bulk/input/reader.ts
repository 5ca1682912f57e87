import { isLosslessNumber } from 'lossless-json'
import { endpoints } from '../../../api/endpoints.ts'
import { segmentProblem } from '../../../api/path.ts'
import { resources } from '../../../api/resources.ts'
import { deprecated } from '../../../api/vocabulary.ts'
import { UsageError } from '../../../errors.ts'
import type { Item } from '../../output/views.ts'
import type { Body, Kind } from '../kinds/kind.ts'

/** Fields that hold ids. */
const idFields: readonly string[] = ['user_id', 'room_id', 'id']

/** Some services count; in the API an id is text. */
function asId(field: string, value: unknown): unknown {
  const isNumber = typeof value === 'number' || isLosslessNumber(value)
  return isNumber && idFields.includes(field) ? String(value) : value
}

/** A row as it will be sent, or why it cannot be. */
export type Reading = { body: Body } | { problem: string }

export interface Reader {
  /** @throws {UsageError} for a column that the kind does not have, or one that it needs and that is not there */
  checkColumns(columns: readonly string[]): void
  read(fields: Item): Reading
}

/**
 * How the rows of an input are read: cells become values, empty ones go, fields that the service makes are left out.
 * @param renames from the input’s names to the API’s; an empty name leaves a column out
 * @param defaults values for what a row does not say
 * @param roomIds the ids of rooms by those that they had elsewhere
 */
export async function createReader(
  kind: Kind,
  renames: ReadonlyMap<string, string>,
  defaults: Body,
  roomIds?: ReadonlyMap<string, string>,
): Promise<Reader> {
  const { bodySchema } = await import('../../../api/schemas.ts')
  const { describeIssue } = await import('../../../api/issue.ts')
  const schema = bodySchema('create', resources[endpoints[kind.creates].resource].fields)
  const ignored = new Set(['', 'reason', ...kind.readOnly])
  // Who names a target says that the service has such a field, whatever its document lists.
  const named = new Set(renames.values())
  const knows = (field: string) =>
    Object.hasOwn(kind.columns, field) || ignored.has(field) || named.has(field)
  const targetOf = (column: string) => renames.get(column) ?? column

  const unknown = (field: string) =>
    `no ${kind.view.noun[0]} has a field “${field}” (fields are ${Object.keys(kind.columns).join(', ')})`

  function checkColumns(columns: readonly string[]): void {
    const absent = [...renames.keys()].find((column) => !columns.includes(column))
    if (absent !== undefined)
      throw new UsageError(`--map names a column “${absent}”, and there is none`, {
        hint: `columns are ${columns.join(', ')}`,
      })
    const targets = columns.map(targetOf)
    for (const [i, target] of targets.entries()) {
      if (!knows(target))
        throw new UsageError(unknown(target), {
          hint: `map it: --map '${columns[i]}=FIELD', or leave it out: --map '${columns[i]}='`,
        })
      if (target !== '' && !ignored.has(target) && targets.indexOf(target) !== i)
        throw new UsageError(`two columns are ${target}`)
    }
    const missing = kind.required.filter((field) => !targets.includes(field) && defaults[field] === undefined)
    if (missing.length > 0)
      throw new UsageError(`there is no column ${missing.join(', and none ')}`, {
        hint: `columns are ${columns.join(', ')}; map one: --map 'COLUMN=${missing[0]}'`,
      })
  }

  function read(fields: Item): Reading {
    const body: Record<string, unknown> = { ...defaults }
    for (const [column, value] of Object.entries(fields)) {
      const field = targetOf(column)
      if (value === '' || value === null || value === deprecated || ignored.has(field)) continue
      if (!knows(field)) return { problem: unknown(field) }
      try {
        const convert = Object.hasOwn(kind.columns, field) ? kind.columns[field] : undefined
        body[field] = convert && typeof value === 'string' ? convert(value) : asId(field, value)
      } catch (error) {
        return { problem: `${field}: ${error instanceof UsageError ? error.message : 'not JSON'}` }
      }
    }
    const room = body['room_id']
    if (roomIds && typeof room === 'string') {
      if (!roomIds.has(room)) return { problem: `room_id: ${room} is not among the --room-ids` }
      body['room_id'] = roomIds.get(room)
    }
    const missing = kind.required.find((field) => body[field] === undefined)
    if (missing) return { problem: `${missing} is missing` }
    const checked = schema.safeParse(body)
    if (!checked.success) return { problem: describeIssue(checked.error.issues[0]) }
    for (const field of idFields)
      if (body[field] !== undefined) {
        const problem = segmentProblem(field, String(body[field]))
        if (problem) return { problem }
      }
    return { body }
  }
  return { checkColumns, read }
}
