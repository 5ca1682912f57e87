// Types of undici modules that are imported singly, because loading the index takes three times as long as a request.
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'

  const request: (
    this: Pick<Dispatcher, 'dispatch'>,
    options: Dispatcher.RequestOptions,
  ) => Promise<Dispatcher.ResponseData>
  export default request
}
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}
declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net'
  import type { buildConnector } from 'undici'

  export type Target = buildConnector.Options
  export type Callback = buildConnector.Callback
  const build: (
    options: buildConnector.BuildOptions & { signal?: AbortSignal },
  ) => (target: Target, callback: Callback) => Socket
  export default build
}
