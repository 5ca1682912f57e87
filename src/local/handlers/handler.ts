import type * as z from 'zod'
import type { OperationName } from '../../api/endpoints.ts'
import type { Operations } from '../../api/operations.ts'
import type { Ids } from '../ids.ts'
import type { Live } from '../live/live.ts'
import type { Store } from '../store/store.ts'

/** What a handler works with. */
export interface Desk extends Ids {
  store: Store
  /** Milliseconds since 1970. */
  now(): number
  live: Live
  /** The one application that owns the rooms of this workspace. */
  applicationId: string
  /** Does something once the write is on disk. */
  afterCommit(work: () => void): void
}

type Parsed<O, K extends 'params' | 'query' | 'body'> = O extends {
  readonly [P in K]: infer S extends z.ZodType
}
  ? z.output<S>
  : undefined

/** A behaviour for every operation: one that is missing, or answers something else, does not compile. */
export type Handlers = {
  [N in OperationName]: (
    desk: Desk,
    input: {
      params: Parsed<Operations[N], 'params'>
      query: Parsed<Operations[N], 'query'>
      body: Parsed<Operations[N], 'body'>
    },
  ) => z.input<Operations[N]['response']>
}
