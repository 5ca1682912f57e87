import type { Fields, Scalars, WriteKind } from './resource.ts'

// Types of request and response values, derived from a table of fields.

type Flatten<T> = { [K in keyof T]: T[K] }

type RequestValue<T> = T extends keyof Scalars
  ? Scalars[T]
  : T extends readonly (infer Choice)[]
    ? Choice
    : T extends { list: infer F extends Fields }
      ? readonly WritableFields<F, 'create'>[]
      : T extends { object: infer F extends Fields }
        ? WritableFields<F, 'create'>
        : never

type WritableNames<F extends Fields, W extends WriteKind> = {
  [K in keyof F]: F[K] extends { write: `${string}${W}${string}` } ? K : never
}[keyof F]
type RequiredNames<F extends Fields, W extends WriteKind> = {
  [K in WritableNames<F, W>]: W extends 'create' ? (F[K] extends { required: true } ? K : never) : never
}[WritableNames<F, W>]

/** Fields that a request can set, as in `WritableFields<typeof room.fields, 'update'>`. */
export type WritableFields<F extends Fields, W extends WriteKind> = Flatten<
  { [K in RequiredNames<F, W>]: RequestValue<F[K]['type']> } & {
    [K in Exclude<WritableNames<F, W>, RequiredNames<F, W>>]?: RequestValue<F[K]['type']>
  }
>

export type QueryFields<F extends Fields> = {
  [K in keyof F as F[K] extends { query: true | string } ? K : never]?: RequestValue<F[K]['type']> | undefined
}

/** Value of a field in a response. Choices are any string, because services may add new ones. */
type ResponseValue<T> = T extends readonly string[]
  ? string
  : T extends { list: infer F extends Fields }
    ? readonly ItemOf<F>[]
    : T extends { object: infer F extends Fields }
      ? ItemOf<F>
      : RequestValue<T>

export type ItemOf<F extends Fields> = Flatten<
  { [K in keyof F as F[K] extends { presence: 'always' } ? K : never]: ResponseValue<F[K]['type']> } & {
    [K in keyof F as F[K] extends { presence: string } ? never : K]?:
      | ResponseValue<F[K]['type']>
      | null
      | undefined
  } & {
    [K in keyof F as F[K] extends { presence: 'unlisted' | 'deprecated' } ? K : never]?: unknown
  }
>
