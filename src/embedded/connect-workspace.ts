import { type Transport, TransportError, type WireRequest } from '../api/wire.ts'
import { findServingProcess, type ServingProcessWithKey } from './running-server.ts'
import type { StoreMachine } from './store/sqlite.ts'

type OpenTransport = Transport & { close?(): Promise<void> | void }

interface WorkspaceConnection {
  transport: OpenTransport
  apiKey: string
  baseUrl?: string
}

interface ConnectWorkspaceOptions {
  dir: string
  servingProcess: ServingProcessWithKey | undefined
  host: StoreMachine & {
    now(): number
    monotonic(): number
    sleep(ms: number, signal?: AbortSignal): Promise<void>
  }
  connect(baseUrl: string): Promise<OpenTransport>
  notice(text: string): void
}

const reconnectTimeoutMs = 1000
const retryDelayMs = 50

/**
 * Connects to the process that serves a workspace, otherwise opens the workspace in this process. Tries to
 * reconnect if a request cannot be sent.
 */
export async function connectWorkspace(options: ConnectWorkspaceOptions): Promise<WorkspaceConnection> {
  const { dir, host, connect } = options
  const opened: OpenTransport[] = []
  const firstConnection = await open(options.servingProcess)
  let latest = Promise.resolve(firstConnection)

  async function open(servingProcess: ServingProcessWithKey | undefined): Promise<WorkspaceConnection> {
    const { base_url: baseUrl = '', apiKey = '' } = servingProcess ?? {}
    const connection = servingProcess
      ? { transport: await connect(baseUrl), apiKey, baseUrl }
      : await openInProcess(options)
    opened.push(connection.transport)
    return connection
  }

  const transport: Transport = async (request, signal, cancelUnsent) => {
    const startedAt = host.monotonic()
    for (;;) {
      const current = latest
      const connection = await current
      try {
        const redirected = connection === firstConnection ? request : redirectRequest(request, connection)
        return await connection.transport(redirected, signal, cancelUnsent)
      } catch (error) {
        const isUnsent = error instanceof TransportError && !error.maybeSent
        if (!isUnsent || cancelUnsent?.aborted || host.monotonic() - startedAt > reconnectTimeoutMs)
          throw error
        await host.sleep(retryDelayMs, signal)
        // Another request may have reconnected already.
        if (latest === current) latest = findServingProcess(dir, host).then(open)
      }
    }
  }
  const close = async () => {
    for (const each of opened) await each.close?.()
  }
  return { ...firstConnection, transport: Object.assign(transport, { close }) }
}

async function openInProcess(options: ConnectWorkspaceOptions): Promise<WorkspaceConnection> {
  const { dir, host, notice } = options
  const { createDamageError, openWorkspace } = await import('./workspace.ts')
  const { service, apiKey, close } = await openWorkspace({ dir, host, notice })
  const transport: Transport = async (request, signal) => {
    // Lets the event loop handle signals, because the embedded service can respond without yielding.
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    const response = await service(request)
    // No later attempt can succeed, so the client must not retry.
    if (response.isDamage) throw createDamageError(dir)
    return response
  }
  return { transport: Object.assign(transport, { close }), apiKey }
}

function redirectRequest(request: WireRequest, { apiKey, baseUrl }: WorkspaceConnection): WireRequest {
  const { origin, pathname, search } = new URL(request.url)
  const url = (baseUrl === undefined ? origin : new URL(baseUrl).origin) + pathname + search
  return { ...request, url, headers: { ...request.headers, authorization: `Bearer ${apiKey}` } }
}
