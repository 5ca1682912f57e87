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
import type { Client } from '../../../client/client.ts'
import { UsageError } from '../../../errors.ts'
import { createSecondsParser, createWebUrlParser } from '../../input/input.ts'
import type { Item, View } from '../../output/views/views.ts'

export type RequestBody = Readonly<Record<string, unknown>>

export interface ImportAdapter<B extends RequestBody = RequestBody> extends ImportColumns {
  name: 'users' | 'rooms' | 'members'
  view: View
  createOperation: 'createUser' | 'createRoom' | 'addMember'
  /** Columns that are not fields of the item, so overwriting does not reset them. */
  extraColumns?: readonly string[]
  /** Default values of new items. Values in the row take precedence. */
  creationDefaults?: RequestBody
  /** Flags by field, such as `--room ROOM`, that set the field in rows without a value. */
  defaultFlags?: Readonly<Record<string, string>>
  /**
   * Converts nested saved records to request bodies.
   * @throws {UsageError} for malformed records
   */
  normalize?(body: RequestBody): RequestBody
  keyOf(body: B): string | undefined
  labelOf?(body: B): string | undefined
  keyName: string
  createOverwrites: boolean
  createDuplicates: boolean
  /** True if `--if-exists overwrite` and `--if-exists update` create missing items. */
  canCreateMissing: boolean
  find(client: Client, body: B): Promise<Item | undefined>
  create(client: Client, body: B): Promise<string>
  /** Returns the fields that the create operation sets; all fields by default. */
  createdFields?(body: B): RequestBody
  /** Completes a created item; must be idempotent. Returns undefined only if the item is complete. */
  completeCreated?(client: Client, body: B, id: string): Promise<unknown> | undefined
  overwrite(client: Client, body: B, existing: Item): Promise<string>
  update?(client: Client, body: B, existing: Item): Promise<string>
  destructive?: {
    verb(body: B): string
    gerund(body: B): string
    isRequested(body: B): boolean
    isDone(existing: Item, body: B): boolean
  }
  accessChange?(body: B, existing: Item): 'block' | 'unblock' | undefined
  /** Counts members that stay blocked, and for which the row does not set `is_blocked`. */
  countBlocked?(client: Client, body: B, existing: Item): number | Promise<number>
  listReferencedUsers?(body: B): readonly string[]
  explainUnchangeable?(body: B, existing: Item): string | undefined
  /** Returns fields of a row that a change of the item ignores. */
  listIgnoredFields?(body: B, existing: Item): readonly string[]
  /**
   * Finds an item after an unknown outcome. Returns undefined if the item cannot be identified.
   * @param createdId ID that the service assigned to the item
   */
  findLostItem(client: Client, body: B, createdId?: string): Promise<Item | 'absent' | undefined>
  listNotices?(): readonly string[]
}

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
    if ('length' in type) return (cell) => normalizeEnumValue(type, cell)
    return 'list' in type && name === 'members' ? parseMembers : parseJson
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
  // Spreadsheets write booleans in the language of the user.
  const english = cell
    .replace(/^(wahr|vrai|verdadero|vero)$/i, 'true')
    .replace(/^(falsch|faux|falso)$/i, 'false')
  const value = parseBoolean(english)
  if (typeof value !== 'boolean') throw new UsageError(`must be true or false, not “${cell}”`)
  return value
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
