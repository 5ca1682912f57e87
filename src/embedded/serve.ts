import { resolve } from 'node:path'
import type { WireRequest } from '../api/wire.ts'
import { deleteDatabase } from '../files/create-file.ts'
import type { Clock } from './common/clock.ts'
import { isAuthorized, parseUrl } from './common/requests.ts'
import type { ServiceControl } from './control/service-control.ts'
import { getDatabasePath } from './database-path.ts'
import { serveHttp } from './http/server.ts'
import { type Instance, type InstanceOptions, openInstance } from './instance.ts'
import { withMonitoring } from './monitoring/endpoints.ts'
import { RequestMetrics } from './monitoring/request-metrics.ts'
import { lockWorkspace } from './running-server.ts'
import type { Service } from './service/service.ts'
import type { StoreMachine } from './store/sqlite.ts'
import { countWaiting } from './webhooks/outbox.ts'
import { useDirectory } from './workspace.ts'

export interface ServeOptions extends InstanceOptions {
  /** Directory to lock while the service runs; defaults to the directory of the workspace. */
  lockDir?: string | undefined
  host: string
  port: number
  hosts: readonly string[]
  /** The only origin whose pages may embed the room page; none by default. */
  embedOrigin?: string | undefined
  /** Time during which a stopping service accepts connections but is not ready, in milliseconds. */
  drainDelayMs?: number | undefined
  /** Maximum wait for pending responses when the service stops, in milliseconds. */
  drainMs?: number | undefined
  control?: ServiceControl | undefined
  machine: Clock & { pid: number; random(): number } & StoreMachine
}

export type RunningService = Awaited<ReturnType<typeof serve>>

const defaultDrainMs = 3000

/**
 * @throws {UsageError} for example if another process serves the same data directory
 * @throws the errors of `openInstance` and `serveHttp`
 */
export async function serve(options: ServeOptions) {
  const closers: Closer[] = []
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close()
  }
  try {
    return await open(options, closers, closeAll)
  } catch (error) {
    await closeAll()
    throw error
  }
}

type Closer = () => Promise<void> | void

async function open(options: ServeOptions, closers: Closer[], closeAll: Closer) {
  const { dir, lockDir = dir, keyFile, machine, log } = options
  // Locked before opening, because another process may serve the workspace.
  const lock =
    lockDir === undefined ? undefined : await useDirectory(lockDir, () => lockWorkspace(lockDir, machine))
  closers.push(() => lock?.release())
  const { control } = options
  const { interceptor, interceptConnect } = control ?? {}
  const controlled = control && { clock: control.clock, interceptor, interceptConnect }
  let instance = await openInstance({ ...options, ...controlled })
  const { apiKey } = instance
  closers.push(() => instance.close())
  control?.attach(instance, async () => {
    if (dir !== undefined) deleteDatabase(getDatabasePath(dir))
    instance = await openInstance({ ...options, ...controlled, apiKey })
    return instance
  })
  const { service, upgrade } = control ? passGate(control, () => instance) : instance
  const requests = new RequestMetrics()
  let draining = false
  const monitored = withMonitoring(withRoomPages(service, options.embedOrigin), {
    ...{ apiKey, requests, isDraining: () => draining },
    gauges: {
      openSessions: () => instance.hub.openSessions,
      waitingDeliveries: () => countWaiting(instance.context.store),
    },
    checkStorage() {
      const { store } = instance.context
      store.requireFiles()
      store.one('SELECT application_id FROM workspace')
    },
  })
  const expectedHeader = Buffer.from(`Bearer ${apiKey}`)
  const server = await serveHttp(monitored, {
    ...{ host: options.host, port: options.port, hosts: options.hosts },
    isKnown: ({ headers }) => isAuthorized(headers.authorization, expectedHeader),
    upgrade,
    onResponse(entry, operation = 'other') {
      requests.record(operation, entry.status ?? 'none', entry.ms)
      log(entry)
    },
  })
  const baseUrl = `${server.url}/v1`
  closers.push(() => {
    void server.close()
    server.cut()
  })
  await useDirectory(lockDir, () =>
    lock?.publish({ pid: machine.pid, base_url: baseUrl, api_key_file: resolve(keyFile ?? '') }),
  )

  /**
   * Stops the service after the drain delay. Closes the remaining connections after the drain timeout.
   * @returns number of complete requests without a complete response
   */
  async function close(): Promise<number> {
    // Hides this service from new `--local` commands.
    lock?.unpublish()
    draining = true
    const { drainDelayMs = 0, drainMs = defaultDrainMs } = options
    if (drainDelayMs > 0) await new Promise<void>((resolve) => machine.after(drainDelayMs, resolve))
    await control?.stop()
    let cut = 0
    const closed = server.close()
    const cancelCut = machine.after(drainMs, () => {
      instance.sockets.close()
      cut = server.cut()
    })
    await instance.hub.close()
    await closed
    cancelCut()
    await closeAll()
    return cut
  }
  return { baseUrl, apiKey, close }
}

/** Passes requests to the current instance. While the instance is being replaced, requests wait. */
function passGate({ gate }: ServiceControl, current: () => Instance): Pick<Instance, 'service' | 'upgrade'> {
  return {
    service: (request) => gate.pass(() => current().service(request)),
    upgrade: (...args) => gate.pass(() => current().upgrade(...args)),
  }
}

function withRoomPages(service: Service, embedOrigin: string | undefined): Service {
  const respond: Service = async (request) => (await findRoomPage(request, embedOrigin)) ?? service(request)
  // API requests are the most frequent, so they skip the asynchronous function.
  return (request) => (request.url.startsWith('/v1/') ? service(request) : respond(request))
}

async function findRoomPage({ method, url }: WireRequest, embedOrigin: string | undefined) {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const { pathname } = parseUrl(url)
  if (!/^\/(rooms|room-page)\/[^/]+$/.test(pathname)) return undefined
  const { createFiles } = await import('./room-page/files.ts')
  const files = createFiles(embedOrigin)
  return pathname.startsWith('/rooms/') ? files.page : files.assets.get(pathname)
}
