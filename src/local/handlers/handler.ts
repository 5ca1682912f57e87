import type { OperationName } from '../../api/endpoints.ts'
import type { BodyOf, Output, ParamsOf, QueryOf } from '../../api/operation.ts'
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
}

/** A behaviour for each operation: a missing one, or one with another answer, does not compile. */
export type Handlers = {
  [N in OperationName]: (
    desk: Desk,
    input: {
      params: ParamsOf<Operations[N]>
      query: QueryOf<Operations[N]>
      body: BodyOf<Operations[N]>
    },
  ) => Output<Operations[N]>
}
