/** Types of values that need no more than a name. */
interface Scalars {
  /** An identifier: text that is not empty. */
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
  /** Text by the name of a header. */
  headers: Readonly<Record<string, string>>
}

/** What a field holds: a scalar, one of a few words, or an object or a list of objects with fields of their own. */
export type FieldType =
  | keyof Scalars
  | readonly string[]
  | { readonly object: Fields }
  | { readonly list: Fields }

/** The requests that can write a field. */
export type Write = 'create' | 'update'

/** Everything there is to say about a field; all else derives from it. */
export interface Field {
  readonly type: FieldType
  /** What it means, for help texts and the OpenAPI document. */
  readonly words: string
  readonly write?: Write | 'create update'
  /** Whether creating needs it. */
  readonly required?: true
  /** Whether setting it to true takes something away that people may be using. */
  readonly destructive?: true
  /** Whether a list can be filtered by it; the words say so where it means something else there. */
  readonly query?: true | string
  /**
   * How answers carry it: `always`, or never null and never missing; `unlisted`, or by services that send more than the document
   * lists, as the embedded one does; `deprecated`, or without a value; or `never`. By default the document lists it, and it may be
   * null or missing.
   */
  readonly answer?: 'always' | 'unlisted' | 'deprecated' | 'never'
  /** Its place in a table, counted from 1, where it has one. */
  readonly column?: number
  /** How important its column is: the least important shrink first, and go first. */
  readonly weight?: number
}

export type Fields = Readonly<Record<string, Field>>

/** A kind of thing that the API manages. */
export interface Resource<F extends Fields = Fields> {
  readonly name: string
  readonly plural: string
  /** The field that tells one from another. */
  readonly id?: string
  /** The field that people know it by. */
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

/** The fields that a request writes, the most important first: of several that are wrong or missing, it is the one to report. */
export function writtenBy(write: Write, fields: Fields): [string, Field][] {
  return Object.entries(fields)
    .filter(([, field]) => field.write?.split(' ').includes(write))
    .sort(([, a], [, b]) => (b.weight ?? 0) - (a.weight ?? 0))
}

/** The fields that the document lists in answers, in its order. */
export function listed(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { answer = 'always' }]) => answer === 'always')
}

/** The fields that a service may send although the document lists them nowhere in answers. */
export function unlisted(fields: Fields): [string, Field][] {
  return Object.entries(fields).filter(([, { answer }]) => answer === 'unlisted')
}

type Simple<T> = { [K in keyof T]: T[K] }

type Sent<T> = T extends keyof Scalars
  ? Scalars[T]
  : T extends readonly (infer Choice)[]
    ? Choice
    : T extends { list: infer F extends Fields }
      ? readonly Written<F, 'create'>[]
      : T extends { object: infer F extends Fields }
        ? Written<F, 'create'>
        : never

type WrittenBy<F extends Fields, W extends Write> = {
  [K in keyof F]: F[K] extends { write: `${string}${W}${string}` } ? K : never
}[keyof F]
type RequiredBy<F extends Fields, W extends Write> = {
  [K in WrittenBy<F, W>]: W extends 'create' ? (F[K] extends { required: true } ? K : never) : never
}[WrittenBy<F, W>]

/** What a request writes: `Written<typeof room.fields, 'update'>`. */
export type Written<F extends Fields, W extends Write> = Simple<
  { [K in RequiredBy<F, W>]: Sent<F[K]['type']> } & {
    [K in Exclude<WrittenBy<F, W>, RequiredBy<F, W>>]?: Sent<F[K]['type']>
  }
>

/** What a list is filtered by. */
export type Filtered<F extends Fields> = {
  [K in keyof F as F[K] extends { query: true | string } ? K : never]?: Sent<F[K]['type']> | undefined
}

// A service that grows a new choice must not make the whole answer unreadable.
type Received<T> = T extends readonly string[]
  ? string
  : T extends { list: infer F extends Fields }
    ? readonly ItemOf<F>[]
    : T extends { object: infer F extends Fields }
      ? ItemOf<F>
      : Sent<T>

/** One thing as the service tells of it: `ItemOf<typeof room.fields>`. */
export type ItemOf<F extends Fields> = Simple<
  { [K in keyof F as F[K] extends { answer: 'always' } ? K : never]: Received<F[K]['type']> } & {
    [K in keyof F as F[K] extends { answer: string } ? never : K]?: Received<F[K]['type']> | null | undefined
  } & {
    [K in keyof F as F[K] extends { answer: 'unlisted' | 'deprecated' } ? K : never]?: unknown
  }
>
