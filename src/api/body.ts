import { omitUndefined } from './defined.ts'
import type { OperationName } from './endpoints.ts'
import type { BodyOf } from './operation-types.ts'
import type { Operations } from './operations.ts'

export type Draft<T> = T extends object
  ? { [K in keyof T]: T[K] | (object extends Pick<T, K> ? undefined : never) }
  : T

export function body<N extends OperationName>(fields: Draft<BodyOf<Operations[N]>>): BodyOf<Operations[N]> {
  return omitUndefined(fields as object) as BodyOf<Operations[N]>
}
