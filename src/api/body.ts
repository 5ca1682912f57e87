import { omitUndefined } from './defined.ts'
import type { OperationName } from './endpoints.ts'
import type { BodyOf } from './operation.ts'
import type { Operations } from './operations.ts'

/** A body being put together: optional fields may be undefined. */
export type Draft<T> = T extends object
  ? { [K in keyof T]: T[K] | (object extends Pick<T, K> ? undefined : never) }
  : T

/**
 * The body of a request, without the fields that are undefined: `body<'updateRoom'>({ name, is_terminated })`. A field
 * that the operation does not have does not compile.
 */
export function body<N extends OperationName>(fields: Draft<BodyOf<Operations[N]>>): BodyOf<Operations[N]> {
  return omitUndefined(fields as object) as BodyOf<Operations[N]>
}
