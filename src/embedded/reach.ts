import { type Transport, TransportError, type WireRequest } from '../api/wire.ts'
import { findServingProcess, type ServingProcessWithKey } from './running-server.ts'
import type { Quietly } from './store/sqlite.ts'

type OpenTransport = Transport & { close?(): Promise<void> | void }

/** A way to a workspace: through the process that serves it, or in this process. */
interface Way {
  transport: OpenTransport
  apiKey: string
  /** Where the process serves, which it does not in this one. */
  baseUrl?: string
}

interface ReachOptions {
  dir: string
  /** Who was found to serve the workspace. */
  owner: ServingProcessWithKey | undefined
  host: {
    now(): number
    monotonic(): number
    sleep(ms: number, signal?: AbortSignal): Promise<void>
    quietly: Quietly
  }
  /** Opens connections to a service. */
  connect(baseUrl: string): Promise<OpenTransport>
  /** Told what takes long, before it begins. */
  notice(text: string): void
}

/** How long looking for another way may take when a request reaches nobody, in milliseconds. */
const patienceMs = 1000
const pauseMs = 50

/**
 * Opens the way to a workspace. When a request reaches nobody, because the process that served it has stopped or another
 * one has started, another way is looked for.
 */
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
        // Another request may have looked already.
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
    // Nothing else would let signals in: the embedded service answers reads without a pause.
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
    return service(request)
  }
  return { transport: Object.assign(transport, { close }), apiKey }
}

/** A request that was made for one way, for another. */
function redirected(request: WireRequest, { apiKey, baseUrl }: Way): WireRequest {
  const { origin, pathname, search } = new URL(request.url)
  const url = (baseUrl === undefined ? origin : new URL(baseUrl).origin) + pathname + search
  return { ...request, url, headers: { ...request.headers, authorization: `Bearer ${apiKey}` } }
}
