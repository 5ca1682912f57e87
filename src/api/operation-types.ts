import type * as z from 'zod'
import type { Endpoint, endpoints } from './endpoints.ts'
import type { Fields, Scalars, WriteKind } from './resource-types.ts'
import type { paging, Resources } from './resources.ts'

export interface Operation extends Endpoint {
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  readonly response: z.ZodObject
}

type FieldsOf<E extends Endpoint> = Resources[E['resource']]['fields']

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

export type ParamName = ParamNames<(typeof endpoints)[keyof typeof endpoints]['path']>

export type ParamsOf<E extends Endpoint> = { [K in ParamNames<E['path']>]: string }

export type QueryOf<E extends Endpoint> = E extends { method: 'GET'; many: true }
  ? QueryFields<FieldsOf<E>> &
      (E extends { paged: true | 'when asked' } ? QueryFields<typeof paging> : object)
  : object

export type BodyOf<E extends Endpoint> = E extends { method: 'POST'; many: true }
  ? readonly WritableFields<FieldsOf<E>, 'create'>[]
  : E extends { method: 'POST' }
    ? WritableFields<FieldsOf<E>, 'create'>
    : E extends { method: 'PUT' }
      ? WritableFields<FieldsOf<E>, 'update'>
      : undefined

export type Input<E extends Endpoint> = (E['path'] extends `${string}{${string}`
  ? { params: ParamsOf<E> }
  : object) &
  (E extends { method: 'GET'; many: true } ? { query?: QueryOf<E> } : object) &
  (E extends { method: 'POST' | 'PUT' } ? { body: BodyOf<E> } : object)

/** Response of an operation as the embedded service sends it. */
export type Output<E extends Endpoint> = E extends { bare: true }
  ? ItemOf<FieldsOf<E>>
  : Result<E> & (E extends { paging: true } ? { paging?: ItemOf<typeof paging> | null | undefined } : object)

type Result<E extends Endpoint> = {
  [K in E['result']]: E extends { many: true } ? readonly ItemOf<FieldsOf<E>>[] : ItemOf<FieldsOf<E>>
}

/** Response of an operation as services send it, with fewer guarantees than `Output`. */
export type ServiceOutput<E extends Endpoint> = E extends { bare: true }
  ? Partial<ReceivedItem<E>>
  : E extends { method: 'GET' } | { method: 'POST'; repeatable?: never }
    ? { [K in E['result']]: E extends { many: true } ? readonly ReceivedItem<E>[] : ReceivedItem<E> }
    : { [K in E['result']]?: Partial<ReceivedItem<E>> }

type ReceivedItem<E extends Endpoint> = { readonly [K in keyof FieldsOf<E>]?: unknown } & {
  readonly [K in IdOf<Resources[E['resource']]>]: string | number
}

type IdOf<R> = R extends { id: infer I extends string } ? I : never

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

export type WritableFields<F extends Fields, W extends WriteKind> = Flatten<
  { [K in RequiredNames<F, W>]: RequestValue<F[K]['type']> } & {
    [K in Exclude<WritableNames<F, W>, RequiredNames<F, W>>]?: RequestValue<F[K]['type']>
  }
>

type QueryFields<F extends Fields> = {
  [K in keyof F as F[K] extends { query: true | string } ? K : never]?: RequestValue<F[K]['type']> | undefined
}

/** Value of a field in a response. A choice is any string, because services may add choices. */
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
