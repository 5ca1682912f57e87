export interface Scalars {
  /** Text that identifies an item; not empty in request bodies. */
  id: string
  name: string
  text: string
  url: string
  /** ISO 8601 timestamp in UTC (API specification, “Resources and their fields”). */
  time: string
  boolean: boolean
  number: number
  integer: number
  /** Whole number of seconds, at least 1 in request bodies. */
  seconds: number
  headers: Readonly<Record<string, string>>
}

export type FieldType =
  | keyof Scalars
  | readonly string[]
  | { readonly object: Fields }
  | { readonly list: Fields }

export type WriteKind = 'create' | 'update'

export interface Field {
  readonly type: FieldType
  readonly description: string
  readonly write?: WriteKind | 'create update'
  readonly required?: true
  /** True if setting the field to true interrupts users. */
  readonly destructive?: true
  /** True if the value grants access. By default, only JSON in a pipe shows the value. */
  readonly secret?: true
  /** True if CSV and TSV include the field only if `--columns` names it. */
  readonly onRequest?: true
  /** Set if the field is a query parameter of lists. A string describes the parameter. */
  readonly query?: true | string
  readonly range?: readonly [least: number, greatest?: number]
  /**
   * Presence in responses. `unlisted`: not a listed field of the API. `deprecated`: without a meaningful
   * value. Default: may be null or missing.
   */
  readonly presence?: 'always' | 'unlisted' | 'deprecated' | 'never'
  /** Table column: position, starting at 1, and weight. Columns of low weight shrink and disappear first. */
  readonly column?: readonly [place: number, weight: number]
}

type FieldOptions = Omit<Field, 'type' | 'description'>

export function field<const T extends FieldType, const M extends FieldOptions = Record<never, never>>(
  type: T,
  description: string,
  more: M = {} as M,
) {
  return { type, description, ...more }
}

export type Fields = Readonly<Record<string, Field>>

export interface Resource<F extends Fields = Fields> {
  readonly name: string
  readonly plural: string
  readonly id?: string
  readonly label?: string
  readonly fields: F
  readonly descriptions: { readonly [K in keyof F]: string }
}

export function defineResource<
  const F extends Fields,
  const D extends { name: string; plural: string; id?: keyof F & string; label?: keyof F & string },
>(definition: D, fields: F): D & Resource<F> {
  const descriptions = Object.entries(fields).map(([name, field]) => [name, field.description])
  return { ...definition, fields, descriptions: Object.fromEntries(descriptions) }
}

/** Sorts by descending column weight, because messages name only the first invalid field. */
export function listWritableFields(write: WriteKind, fields: Fields): [string, Field][] {
  return Object.entries(fields)
    .filter(([, field]) => field.write?.split(' ').includes(write))
    .sort(([, a], [, b]) => readWeight(b) - readWeight(a))
}

const readWeight = ({ column }: Field) => column?.[1] ?? 0

export function selectListedFields(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { presence }]) => !presence || presence === 'always')
}

export function selectDeprecatedFields(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { presence }]) => (presence === 'deprecated' ? [name] : []))
}

export function selectUnlistedFields(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { presence }]) => presence === 'unlisted')
}
