import type { OperationName } from '../../api/endpoints.ts'
import type { BodyOf, Output, ParamsOf, QueryOf } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Ids } from '../common/ids.ts'
import type { Pace } from '../common/pace.ts'
import type { Live } from '../sessions/live.ts'
import type { CascadeDeleter } from '../store/cascade-deleter.ts'
import type { Store } from '../store/store.ts'

/** What a handler works with. */
export interface HandlerContext extends Ids {
  store: Store
  /** Milliseconds since 1970. */
  now(): number
  live: Live
  pace: Pace
  sweeper: CascadeDeleter
  /** The one application that owns the rooms of this workspace. */
  applicationId: string
}

/** A read may take its time, in steps. What writes is one step: it runs in a transaction. */
type Later<N extends OperationName> = Operations[N]['method'] extends 'GET'
  ? Promise<Output<Operations[N]>>
  : never

/** A behaviour for each operation: a missing one, or one with another answer, does not compile. */
export type Handlers = {
  [N in OperationName]: (
    desk: HandlerContext,
    input: {
      params: ParamsOf<Operations[N]>
      query: QueryOf<Operations[N]>
      body: BodyOf<Operations[N]>
    },
  ) => Output<Operations[N]> | Later<N>
}
