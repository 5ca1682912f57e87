import { resolve } from 'node:path'
import type { Clock } from './common/clock.ts'
import { toStorageFault } from './common/faults.ts'
import { createIds } from './common/ids.ts'
import { serveHttp } from './http/server.ts'
import { startIndexing } from './indexing.ts'
import { withRoomPages } from './room-page/room-pages.ts'
import { lockWorkspace } from './running-server.ts'
import { createService } from './service/service.ts'
import { Hub } from './sessions/hub.ts'
import { Sockets } from './sessions/sockets.ts'
import type { QuietLoader } from './store/sqlite.ts'
import { Deliveries } from './webhooks/deliveries.ts'
import { createPost, type Lookup } from './webhooks/post.ts'
import { openWorkspace, useDirectory, type Workspace } from './workspace.ts'

export interface ServeOptions {
  dir: string | undefined
  /** Path of the API key file, which is created if missing. */
  keyFile: string
  host: string
  port: number
  hosts: readonly string[]
  /** Factor for the delays between webhook attempts. */
  webhookRetryScale: number
  /** Allows webhooks to private and link-local IP addresses. */
  allowPrivateWebhooks: boolean
  /** The only origin whose pages may embed the room page. */
  embedOrigin?: string | undefined
  lookup?: Lookup
  userAgent: string
  machine: Clock & { pid: number; random(): number; quietly: QuietLoader }
  log: (line: string) => void
}

export interface RunningService {
  /** Base URL, including `/v1`. */
  baseUrl: string
  apiKey: string
  /** Ends every session with a close reason. After three seconds, closes all remaining connections. */
  close(): Promise<void>
}

/** Maximum wait for pending responses when the service stops, in milliseconds. */
const graceMs = 3000

/** @throws {UsageError} when another process serves the same data directory */
export async function serve(options: ServeOptions): Promise<RunningService> {
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

async function open(options: ServeOptions, closers: Closer[], closeAll: Closer): Promise<RunningService> {
  const { dir, keyFile, machine, log } = options
  // Lock before opening, because another process may serve the workspace.
  const lock =
    dir === undefined ? undefined : await useDirectory(dir, () => lockWorkspace(dir, machine.quietly))
  closers.push(() => lock?.release())
  const {
    store,
    scheduler,
    cascadeDeleter,
    apiKey,
    close: closeWorkspace,
  } = await openWorkspace({
    dir,
    keyFile,
    host: machine,
    notice: log,
  })
  closers.push(closeWorkspace)
  const {
    hub,
    sockets,
    deliveries,
    close: closeSessionServices,
  } = createSessionServices({ store, scheduler, cascadeDeleter }, options)
  closers.push(closeSessionServices)
  await useDirectory(dir, async () => {
    await hub.recover()
    deliveries.start()
  })
  const context = { store, apiKey, now: machine.now, sessionControl: hub, scheduler, cascadeDeleter }
  const server = await serveHttp(withRoomPages(createService(context), options.embedOrigin), {
    host: options.host,
    port: options.port,
    hosts: options.hosts,
    upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
    onAnswer: ({ method, path, status, ms }) => log(`${method} ${path} ${status} ${ms.toFixed(1)} ms`),
  })
  const baseUrl = `${server.url}/v1`
  closers.push(() => {
    void server.close()
    server.cut()
  })
  await useDirectory(dir, () =>
    lock?.publish({ pid: machine.pid, base_url: baseUrl, api_key_file: resolve(keyFile) }),
  )

  async function close(): Promise<void> {
    // Prevents new commands from connecting to this service.
    lock?.unpublish()
    const closed = server.close()
    const cancelCut = machine.after(graceMs, () => {
      sockets.close()
      server.cut()
    })
    await hub.close()
    await closed
    cancelCut()
    await closeAll()
  }
  return { baseUrl, apiKey, close }
}

function createSessionServices(
  { store, scheduler, cascadeDeleter }: Pick<Workspace, 'store' | 'scheduler' | 'cascadeDeleter'>,
  options: ServeOptions,
) {
  const { machine, log } = options
  const onFailure = (error: unknown) =>
    log(`storage failed: ${toStorageFault(error)?.message ?? (error as Error).message}`)
  const { newId } = createIds(machine.now)
  const { allowPrivateWebhooks: allowPrivate, lookup } = options
  const post = createPost({ allowPrivate, ...(lookup && { lookup }) })
  const deliveries = new Deliveries({
    store,
    clock: machine,
    post,
    newId,
    random: machine.random,
    retryScale: options.webhookRetryScale,
    userAgent: options.userAgent,
    onFailure,
    onAttempt: ({ id, url, outcome }) => log(`webhook ${id} ${new URL(url).host} ${outcome}`),
  })
  const hub = new Hub({
    store,
    clock: machine,
    scheduler,
    newId,
    onFailure,
    onEvent: (roomId) => deliveries.wake(roomId),
    onEndsListed: () => cascadeDeleter.wake(),
  })
  const sockets = new Sockets({
    admissionDeps: { store, now: machine.now, newId },
    hub,
    clock: machine,
    scheduler,
    onFailure,
    onConnect: ({ roomId, outcome }) => log(`connect ${roomId} ${outcome}`),
  })
  const stopIndexing = startIndexing({ store, scheduler, clock: machine, onFailure })
  const close = async () => {
    stopIndexing()
    await hub.close()
    sockets.close()
    deliveries.close()
    await post.close()
  }
  return { hub, sockets, deliveries, close }
}
