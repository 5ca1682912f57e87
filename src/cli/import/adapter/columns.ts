import type { Endpoint } from '../../../api/endpoints.ts'
import { parseJson } from '../../../api/json.ts'
import { parseBoolean } from '../../../api/readings.ts'
import {
  type Fields,
  type FieldType,
  listWritableFields,
  type Resource,
  selectDeprecatedFields,
} from '../../../api/resource-types.ts'
import { UsageError } from '../../../errors.ts'
import { createSecondsParser, createWebUrlParser } from '../../input/input.ts'
import type { View } from '../../output/views/views.ts'

type ParseCell = (text: string) => unknown

export interface ImportColumns {
  readonly fields: Fields
  readonly columns: Readonly<Record<string, ParseCell>>
  readonly required: readonly string[]
  /** Exported fields and computed columns that an import ignores. */
  readonly readOnly: readonly string[]
  readonly deprecated: readonly string[]
  readonly booleans: readonly string[]
  /** Values with which some services represent a missing optional field: an empty name, 0 seconds. */
  readonly emptyValues: Readonly<Record<string, string>>
}

/** @param extraFields accepted fields that the API does not write */
export function deriveColumns<F extends Fields>(
  { fields }: Pick<Resource<F>, 'fields'>,
  { columns }: Pick<View, 'columns'>,
  { path }: Pick<Endpoint, 'path'>,
  extraFields: readonly (keyof F)[] = [],
): ImportColumns {
  const pathParams = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const all = Object.entries(fields)
  const writable = all
    .filter(([name, { write }]) => write || extraFields.includes(name))
    .map(([name]) => name)
  const readable = all.filter(([, { presence }]) => presence !== 'never').map(([name]) => name)
  const requiredFields = listWritableFields('create', fields).filter(([, { required }]) => required)

  const accepted = [...pathParams, ...writable]
  const exportedFields = [...readable, ...columns.map(({ field }) => field)]
  return {
    fields,
    columns: Object.fromEntries(
      accepted.map((name) => [name, selectParser(name, fields[name]?.type ?? 'id')]),
    ),
    deprecated: selectDeprecatedFields(fields),
    booleans: accepted.filter((name) => fields[name]?.type === 'boolean'),
    emptyValues: Object.fromEntries(
      writable.flatMap((name) => {
        const { type, required } = fields[name] ?? {}
        const emptyValue = type === 'name' ? '' : type === 'seconds' ? '0' : undefined
        return emptyValue === undefined || required ? [] : [[name, emptyValue]]
      }),
    ),
    required: [...pathParams, ...requiredFields.map(([name]) => name)],
    readOnly: exportedFields.filter(
      (name, i) => !accepted.includes(name) && exportedFields.indexOf(name) === i,
    ),
  }
}

function selectParser(name: string, type: FieldType): ParseCell {
  if (typeof type === 'object') {
    if ('list' in type) return name === 'members' ? parseMembers : parseJson
    return isEnumType(type) ? (cell) => normalizeEnumValue(type, cell) : parseJson
  }
  switch (type) {
    case 'url':
      return createWebUrlParser(name)
    case 'boolean':
      return parseBooleanCell
    case 'number':
      return parseNumberCell
    case 'integer':
      return parseIntegerCell
    case 'seconds':
      return createSecondsParser(name)
    case 'headers':
      return parseJson
    default:
      return keepText
  }
}

const parseMembers: ParseCell = (cell) => {
  if (cell.trimStart().startsWith('[')) return parseJson(cell)
  return cell.split('|').map((entry) => {
    const [user_id = '', type = '', ...name] = entry.trim().split(':')
    if (user_id === '') throw new UsageError('must be USER, USER:ROLE or USER:ROLE:NAME, separated by |')
    const [separator] = /[,;]/.exec(`${user_id}${type}`) ?? []
    if (separator !== undefined)
      throw new UsageError(`must be separated by |, as in ${joinWith('|', entry, separator)}`)
    return { user_id, ...(type && { type }), ...(name.length > 0 && { name: name.join(':') }) }
  })
}

const joinWith = (mark: string, list: string, separator: string) =>
  list
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(mark)

const keepText: ParseCell = (cell) => cell

const parseBooleanCell: ParseCell = (cell) => {
  const value = parseBoolean(cell)
  if (typeof value !== 'boolean') throw new UsageError(`must be true or false, not “${cell}”`)
  return value
}

function isEnumType(type: FieldType): type is readonly string[] {
  return Array.isArray(type)
}

export function normalizeEnumValue(choices: readonly string[], value: unknown): unknown {
  if (typeof value !== 'string') return value
  const word = value.trim().toLowerCase()
  return choices.includes(word) ? word : value
}

const parseNumberCell: ParseCell = (cell) => {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(cell)) throw new UsageError(`must be a number, not “${cell}”`)
  return Number(cell)
}

const parseIntegerCell: ParseCell = (cell) => {
  if (!/^\d{1,15}$/.test(cell)) throw new UsageError(`must be a whole number, not “${cell}”`)
  return Number(cell)
}
