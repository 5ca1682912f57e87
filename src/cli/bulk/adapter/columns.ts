import type { Endpoint } from '../../../api/endpoints.ts'
import { parseJson } from '../../../api/json.ts'
import { parseBoolean } from '../../../api/readings.ts'
import {
  deprecatedFields,
  type Fields,
  type FieldType,
  type Resource,
  writableFields,
} from '../../../api/resource.ts'
import { UsageError } from '../../../errors.ts'
import { webUrlParser } from '../../input/input.ts'
import type { View } from '../../output/views/views.ts'

export type Column = (text: string) => unknown

export interface Columns {
  readonly columns: Readonly<Record<string, Column>>
  readonly required: readonly string[]
  /** Exported fields that an import ignores, because the service sets them. */
  readonly readOnly: readonly string[]
  readonly deprecated: readonly string[]
  readonly booleans: readonly string[]
  /** Values by which some services represent a missing optional field: an empty name, a limit of 0 seconds. */
  readonly nones: Readonly<Record<string, string>>
}

/**
 * Derives the columns of an import: the path parameters and all writable fields.
 * @param path path of the operation that creates an item
 * @param also further fields that the import uses
 */
export function importColumns<F extends Fields>(
  resource: Resource<F>,
  { columns }: View,
  { path }: Pick<Endpoint, 'path'>,
  also: readonly (keyof F)[] = [],
): Columns {
  const fields: Fields = resource.fields
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const all = Object.entries(fields)
  const written = all.filter(([name, { write }]) => write || also.includes(name)).map(([name]) => name)
  const answered = all.filter(([, { answer }]) => answer !== 'never').map(([name]) => name)
  const needed = writableFields('create', fields).filter(([, { required }]) => required)

  const taken = [...inPath, ...written]
  const shown = [...answered, ...columns.map(({ field }) => field)]
  return {
    columns: Object.fromEntries(taken.map((name) => [name, columnOf(name, fields[name]?.type ?? 'id')])),
    deprecated: deprecatedFields(fields),
    booleans: taken.filter((name) => fields[name]?.type === 'boolean'),
    nones: Object.fromEntries(
      written.flatMap((name) => {
        const { type, required } = fields[name] ?? {}
        const none = type === 'name' ? '' : type === 'seconds' ? '0' : undefined
        return none === undefined || required ? [] : [[name, none]]
      }),
    ),
    required: [...inPath, ...needed.map(([name]) => name)],
    readOnly: shown.filter((name, i) => !taken.includes(name) && shown.indexOf(name) === i),
  }
}

function columnOf(name: string, type: FieldType): Column {
  if (typeof type === 'object') {
    if ('list' in type) return name === 'members' ? members : parseJson
    return isChoices(type) ? (cell) => choiceOf(type, cell) : parseJson
  }
  switch (type) {
    case 'url':
      return webUrlParser(name)
    case 'boolean':
      return truth
    case 'number':
      return number
    case 'integer':
    case 'seconds':
      return whole
    case 'headers':
      return parseJson
    default:
      return text
  }
}

const members: Column = (cell) => {
  if (cell.trimStart().startsWith('[')) return parseJson(cell)
  return cell.split('|').map((one) => {
    const [user_id = '', type = '', ...name] = one.trim().split(':')
    if (user_id === '') throw new UsageError('expected USER, USER:TYPE or USER:TYPE:NAME with | between them')
    return { user_id, ...(type && { type }), ...(name.length > 0 && { name: name.join(':') }) }
  })
}

const text: Column = (cell) => cell

const truth: Column = (cell) => {
  const value = parseBoolean(cell)
  if (typeof value !== 'boolean') throw new UsageError('expected true or false')
  return value
}

function isChoices(type: FieldType): type is readonly string[] {
  return Array.isArray(type)
}

/** Normalizes the case of an enumerated value, which some services send in capitals. */
export function choiceOf(choices: readonly string[], value: unknown): unknown {
  if (typeof value !== 'string') return value
  const word = value.trim().toLowerCase()
  return choices.includes(word) ? word : value
}

const number: Column = (cell) => {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(cell)) throw new UsageError('expected a number')
  return Number(cell)
}

const whole: Column = (cell) => {
  if (!/^\d{1,15}$/.test(cell)) throw new UsageError('expected a whole number')
  return Number(cell)
}
