import { type Transport, TransportError, type WireRequest } from '../api/wire.ts'
import { findServingProcess, type ServingProcessWithKey } from './running-server.ts'
import type { Quietly } from './store/sqlite.ts'

type OpenTransport = Transport & { close?(): Promise<void> | void }

/** Connection to a workspace, through the process that serves it or in this process. */
interface Way {
  transport: OpenTransport
  apiKey: string
  baseUrl?: string
}

interface ReachOptions {
  dir: string
  owner: ServingProcessWithKey | undefined
  host: {
    now(): number
    monotonic(): number
    sleep(ms: number, signal?: AbortSignal): Promise<void>
    quietly: Quietly
  }
  connect(baseUrl: string): Promise<OpenTransport>
  /** Reports slow work before it begins. */
  notice(text: string): void
}

/** Maximum time to look for another connection when a request cannot be sent, in milliseconds. */
const patienceMs = 1000
const pauseMs = 50

/** Connects to a workspace, and reconnects when the serving process has stopped or started. */
export async function reachWorkspace({ dir, owner, host, connect, notice }: ReachOptions): Promise<Way> {
  const opened: OpenTransport[] = []
  const first = await open(owner)
  let latest = Promise.resolve(first)

  async function open(owner: ServingProcessWithKey | undefined): Promise<Way> {
    const way = owner
      ? { transport: await connect(owner.base_url), apiKey: owner.apiKey, baseUrl: owner.base_url }
      : await openHere(dir, host, notice)
    opened.push(way.transport)
    return way
  }

  const transport: Transport = async (request, signal, withdrawn) => {
    const began = host.monotonic()
    for (;;) {
      const taken = latest
      const way = await taken
      try {
        return await way.transport(way === first ? request : redirected(request, way), signal, withdrawn)
      } catch (error) {
        const unsent = error instanceof TransportError && !error.maybeSent
        if (!unsent || withdrawn?.aborted || host.monotonic() - began > patienceMs) throw error
        await host.sleep(pauseMs, signal)
        // Another request may have reconnected already.
        if (latest === taken) latest = findServingProcess(dir, host.quietly).then(open)
      }
    }
  }
  const close = async () => {
    for (const each of opened) await each.close?.()
  }
  return { ...first, transport: Object.assign(transport, { close }) }
}

async function openHere(
  dir: string,
  host: ReachOptions['host'],
  notice: ReachOptions['notice'],
): Promise<Way> {
  const { openWorkspace } = await import('./workspace.ts')
  const { service, apiKey, close } = await openWorkspace({ dir, host, notice })
  const transport: Transport = async (request, signal) => {
    // Lets signals in: the embedded service responds without yielding.
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    return service(request)
  }
  return { transport: Object.assign(transport, { close }), apiKey }
}

function redirected(request: WireRequest, { apiKey, baseUrl }: Way): WireRequest {
  const { origin, pathname, search } = new URL(request.url)
  const url = (baseUrl === undefined ? origin : new URL(baseUrl).origin) + pathname + search
  return { ...request, url, headers: { ...request.headers, authorization: `Bearer ${apiKey}` } }
}
