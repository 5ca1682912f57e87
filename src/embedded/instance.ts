import type { Clock } from './common/clock.ts'
import { toStorageFault } from './common/faults.ts'
import { createIds } from './common/ids.ts'
import { type Log, logNotice } from './common/log.ts'
import { createHandlerContext, createService, type Interceptor } from './service/service.ts'
import { Hub } from './sessions/hub.ts'
import type { AnonymousLimits } from './sessions/join-limiter.ts'
import { type ConnectInterceptor, Sockets } from './sessions/sockets.ts'
import type { Upgrade } from './sessions/upgrade.ts'
import type { StoreMachine } from './store/sqlite.ts'
import { type Attempt, Deliveries } from './webhooks/deliveries.ts'
import { createPost, type Lookup } from './webhooks/post.ts'
import { startRetention } from './webhooks/retention.ts'
import { openWorkspace, useDirectory, type Workspace } from './workspace.ts'

export interface InstanceOptions {
  dir: string | undefined
  /** Path of the API key file; required if a directory is locked. */
  keyFile?: string | undefined
  apiKey?: string | undefined
  webhookRetryScale: number
  allowPrivateWebhooks: boolean
  lookup?: Lookup
  userAgent: string
  machine: Clock & StoreMachine & { random(): number }
  /** Clock of the service; defaults to `machine`. */
  clock?: Clock
  interceptor?: Interceptor | undefined
  interceptConnect?: ConnectInterceptor | undefined
  anonymousLimits?: AnonymousLimits | undefined
  onAttempt?: ((attempt: Attempt) => void) | undefined
  log: Log
}

export type Instance = Awaited<ReturnType<typeof openInstance>>

/**
 * Opens a workspace with operations, sessions and webhooks, but without a network listener.
 * @throws the errors of `openWorkspace`
 */
export async function openInstance(options: InstanceOptions) {
  const { dir, keyFile, apiKey, machine, clock = machine, interceptor, log } = options
  const host = { now: () => clock.now(), quietly: machine.quietly, effectiveUid: machine.effectiveUid }
  const workspace = await openWorkspace({
    ...{ dir, keyFile, apiKey, host, notice: logNotice(log), isLocked: true },
  })
  const services = createSessionServices(workspace, clock, options)
  const { hub, sockets, deliveries } = services
  const close = async () => {
    await services.close()
    workspace.close()
  }
  try {
    await useDirectory(dir, async () => {
      await hub.recover()
      deliveries.start()
    })
  } catch (error) {
    await close()
    throw error
  }
  const { store, cascadeDeleter } = workspace
  const context = createHandlerContext({
    ...{ store, cascadeDeleter, now: host.now },
    sessionControl: hub,
    onRedelivery: (roomId) => deliveries.redeliver(roomId),
  })
  return {
    apiKey: workspace.apiKey,
    service: createService(context, workspace.apiKey, interceptor),
    upgrade: ((...args) => sockets.upgrade(...args)) satisfies Upgrade,
    ...{ context, hub, sockets, deliveries, close },
    probePeers: (ms: number) => sockets.probe(ms, machine),
    async settle() {
      do {
        await deliveries.idle()
        // Without new writes, a write is committed within two turns of the event loop.
        for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
      } while (deliveries.isRunning)
    },
    /** Like `close`, but waits up to a second for the clients to close their connections. */
    async shutDown() {
      deliveries.close()
      await hub.close()
      await sockets.drain(machine)
      await close()
    },
  }
}

function createSessionServices(
  { store, cascadeDeleter }: Pick<Workspace, 'store' | 'cascadeDeleter'>,
  clock: Clock,
  options: InstanceOptions,
) {
  const { machine, log, onAttempt } = options
  const onFailure = (error: unknown) =>
    logNotice(log)(`storage failed: ${toStorageFault(error)?.message ?? (error as Error).message}`)
  const now = () => clock.now()
  const { newId, newToken } = createIds(now)
  const post = createPost(options.allowPrivateWebhooks, options.lookup)
  const deliveries = new Deliveries({
    ...{ store, clock, post, newId, onFailure },
    random: machine.random,
    retryScale: options.webhookRetryScale,
    userAgent: options.userAgent,
    onAttempt: (attempt) => {
      const { id, url, outcome } = attempt
      log({ event: 'webhook', webhook_id: id, host: new URL(url).host, outcome: String(outcome) })
      onAttempt?.(attempt)
    },
  })
  const hub = new Hub({
    ...{ store, clock, newId, onFailure },
    realClock: machine,
    onEvent: (roomId) => deliveries.wake(roomId),
    onEndsListed: () => cascadeDeleter.wake(),
  })
  const sockets = new Sockets({
    admissionDeps: { store, now, newId, newToken },
    ...{ hub, clock, onFailure, interceptConnect: options.interceptConnect },
    anonymousLimits: options.anonymousLimits,
    onConnect: ({ roomId, outcome, requestId }) =>
      log({ event: 'connect', room_id: roomId, outcome, request_id: requestId }),
  })
  const stopRetention = startRetention(store, clock, onFailure)
  const close = async () => {
    stopRetention()
    await hub.close()
    sockets.close()
    deliveries.close()
    await post.close()
  }
  return { hub, sockets, deliveries, close }
}
