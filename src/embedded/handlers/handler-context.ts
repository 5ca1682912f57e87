import type { OperationName } from '../../api/endpoints.ts'
import type { BodyOf, Output, ParamsOf, QueryOf } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import type { Ids } from '../common/ids.ts'
import type { SessionControl } from '../sessions/session-control.ts'
import type { CascadeDeleter } from '../store/cascade-deleter.ts'
import type { Store } from '../store/store.ts'

export interface HandlerContext extends Ids {
  store: Store
  now(): number
  sessionControl: SessionControl
  cascadeDeleter: CascadeDeleter
  onRedelivery(roomId: string): void
  applicationId: string
}

export type Handlers = {
  [N in OperationName]: (
    context: HandlerContext,
    input: {
      params: ParamsOf<Operations[N]>
      query: QueryOf<Operations[N]>
      body: BodyOf<Operations[N]>
    },
  ) => Output<Operations[N]>
}
