export interface Scalars {
  /** Non-empty text that identifies an item. */
  id: string
  name: string
  text: string
  url: string
  /** ISO 8601 timestamp in UTC (API specification, section 2). */
  time: string
  boolean: boolean
  number: number
  integer: number
  /** Whole number of seconds, at least 1. */
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
  /** Description for help texts and the OpenAPI document. */
  readonly words: string
  readonly write?: WriteKind | 'create update'
  readonly required?: true
  /** True when setting the field to true interrupts users. */
  readonly destructive?: true
  /** True when the value grants access. It is hidden by default. */
  readonly secret?: true
  /** True when lists can be filtered by the field; a string replaces its description there. */
  readonly query?: true | string
  readonly range?: readonly [least: number, greatest?: number]
  /**
   * Presence in responses. Default: listed in the API specification, may be null or missing. `always`: present.
   * `unlisted`: sent, but not in the specification. `deprecated`: without a value.
   */
  readonly answer?: 'always' | 'unlisted' | 'deprecated' | 'never'
  /** Table column: its place from 1, and its weight. Columns of low weight shrink and disappear first. */
  readonly column?: readonly [place: number, weight: number]
}

export type Fields = Readonly<Record<string, Field>>

export interface Resource<F extends Fields = Fields> {
  readonly name: string
  readonly plural: string
  readonly id?: string
  /** Field that people recognize an item by. */
  readonly label?: string
  readonly fields: F
  readonly words: { readonly [K in keyof F]: string }
}

export function resource<
  const F extends Fields,
  const D extends { name: string; plural: string; id?: keyof F & string; label?: keyof F & string },
>(definition: D & { fields: F }): D & Resource<F> {
  return { ...definition, words: wordsOf(definition.fields) }
}

export function wordsOf<F extends Fields>(fields: F): { readonly [K in keyof F]: string } {
  const words = Object.entries(fields).map(([name, field]) => [name, field.words])
  return Object.fromEntries(words)
}

/** Returns the fields that a request writes, most important first: the first invalid one is reported. */
export function writableFields(write: WriteKind, fields: Fields): [string, Field][] {
  return Object.entries(fields)
    .filter(([, field]) => field.write?.split(' ').includes(write))
    .sort(([, a], [, b]) => weightOf(b) - weightOf(a))
}

const weightOf = ({ column }: Field) => column?.[1] ?? 0

/** Returns the response fields of the API specification, in its order. */
export function listedFields(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { answer }]) => !answer || answer === 'always')
}

export function deprecatedFields(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { answer }]) => (answer === 'deprecated' ? [name] : []))
}

/** Returns the response fields that the API specification does not list. */
export function unlistedFields(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { answer }]) => answer === 'unlisted')
}
