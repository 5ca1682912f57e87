import type { Fields, Scalars, WriteKind } from './resource.ts'

// Types of request and response values, derived from a table of fields.

type Simple<T> = { [K in keyof T]: T[K] }

type Sent<T> = T extends keyof Scalars
  ? Scalars[T]
  : T extends readonly (infer Choice)[]
    ? Choice
    : T extends { list: infer F extends Fields }
      ? readonly WritableFields<F, 'create'>[]
      : T extends { object: infer F extends Fields }
        ? WritableFields<F, 'create'>
        : never

type WrittenBy<F extends Fields, W extends WriteKind> = {
  [K in keyof F]: F[K] extends { write: `${string}${W}${string}` } ? K : never
}[keyof F]
type RequiredBy<F extends Fields, W extends WriteKind> = {
  [K in WrittenBy<F, W>]: W extends 'create' ? (F[K] extends { required: true } ? K : never) : never
}[WrittenBy<F, W>]

/** Fields that a request writes, as in `WritableFields<typeof room.fields, 'update'>`. */
export type WritableFields<F extends Fields, W extends WriteKind> = Simple<
  { [K in RequiredBy<F, W>]: Sent<F[K]['type']> } & {
    [K in Exclude<WrittenBy<F, W>, RequiredBy<F, W>>]?: Sent<F[K]['type']>
  }
>

/** Fields that filter a list. */
export type QueryFields<F extends Fields> = {
  [K in keyof F as F[K] extends { query: true | string } ? K : never]?: Sent<F[K]['type']> | undefined
}

/** Choices accept any text, because services may add new ones. */
type Received<T> = T extends readonly string[]
  ? string
  : T extends { list: infer F extends Fields }
    ? readonly ItemOf<F>[]
    : T extends { object: infer F extends Fields }
      ? ItemOf<F>
      : Sent<T>

/** Item of a response, as in `ItemOf<typeof room.fields>`. */
export type ItemOf<F extends Fields> = Simple<
  { [K in keyof F as F[K] extends { answer: 'always' } ? K : never]: Received<F[K]['type']> } & {
    [K in keyof F as F[K] extends { answer: string } ? never : K]?: Received<F[K]['type']> | null | undefined
  } & {
    [K in keyof F as F[K] extends { answer: 'unlisted' | 'deprecated' } ? K : never]?: unknown
  }
>
