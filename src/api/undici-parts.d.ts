// undici by the parts needed: its index loads fetch, WebSocket, caches and mocks, three times what a request takes.
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici'
  export default EnvHttpProxyAgent
}
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'

  const request: (
    this: Pick<Dispatcher, 'dispatch'>,
    options: Dispatcher.RequestOptions,
  ) => Promise<Dispatcher.ResponseData>
  export default request
}
