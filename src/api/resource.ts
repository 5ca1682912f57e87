/** Types that need nothing but a name. */
export interface Scalars {
  /** An id: text that is not empty. */
  id: string
  /** Text that is not empty. */
  name: string
  text: string
  url: string
  /** ISO 8601 UTC timestamp (section 2). */
  time: string
  boolean: boolean
  number: number
  integer: number
  /** A whole number of seconds, at least 1. */
  seconds: number
  /** Header values by header name. */
  headers: Readonly<Record<string, string>>
}

/** What a field holds: a scalar, one of a few words, or an object or a list of objects with fields of their own. */
export type FieldType =
  | keyof Scalars
  | readonly string[]
  | { readonly object: Fields }
  | { readonly list: Fields }

/** The requests that can write a field. */
export type WriteKind = 'create' | 'update'

/** Everything there is to say about a field; everything else derives from it. */
export interface Field {
  readonly type: FieldType
  /** What it means, for help texts and the OpenAPI document. */
  readonly words: string
  readonly write?: WriteKind | 'create update'
  /** Whether creating needs it. */
  readonly required?: true
  /** Whether setting it to true takes something away that people may be using. */
  readonly destructive?: true
  /** Whether whoever knows it can act as somebody: it is shown only when asked for. */
  readonly secret?: true
  /** Whether a list can be filtered by it; the words say so where it means something else there. */
  readonly query?: true | string
  /** The least and the greatest value of a number. */
  readonly range?: readonly [least: number, greatest?: number]
  /**
   * How answers carry it. By default the document lists it, and it may be null or missing. `always`: neither null nor
   * missing. `unlisted`: not in the document, but sent by the embedded service and others. `deprecated`: without a value.
   */
  readonly answer?: 'always' | 'unlisted' | 'deprecated' | 'never'
  /** Its place in a table, counted from 1, and its weight: the least important columns shrink first, and go first. */
  readonly column?: readonly [place: number, weight: number]
}

export type Fields = Readonly<Record<string, Field>>

/** A kind of thing that the API manages. */
export interface Resource<F extends Fields = Fields> {
  readonly name: string
  readonly plural: string
  /** The field that identifies an item. */
  readonly id?: string
  /** The field that people recognise it by. */
  readonly label?: string
  readonly fields: F
  /** What each field means, for help texts. */
  readonly words: { readonly [K in keyof F]: string }
}

/** Declares a resource. */
export function resource<
  const F extends Fields,
  const D extends { name: string; plural: string; id?: keyof F & string; label?: keyof F & string },
>(definition: D & { fields: F }): D & Resource<F> {
  return { ...definition, words: wordsOf(definition.fields) }
}

/** What each field means. */
export function wordsOf<F extends Fields>(fields: F): { readonly [K in keyof F]: string } {
  const words = Object.entries(fields).map(([name, field]) => [name, field.words])
  return Object.fromEntries(words)
}

/** The fields that a request writes, the most important first: when several are wrong, that one is reported. */
export function writableFields(write: WriteKind, fields: Fields): [string, Field][] {
  return Object.entries(fields)
    .filter(([, field]) => field.write?.split(' ').includes(write))
    .sort(([, a], [, b]) => weightOf(b) - weightOf(a))
}

const weightOf = ({ column }: Field) => column?.[1] ?? 0

/** The fields that the document lists in answers, in its order. */
export function listedFields(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { answer }]) => !answer || answer === 'always')
}

/** The names of the fields that answers carry without a value. */
export function deprecatedFields(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { answer }]) => (answer === 'deprecated' ? [name] : []))
}

/** The fields that a service may send although the document lists them nowhere in answers. */
export function unlistedFields(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { answer }]) => answer === 'unlisted')
}
