import { findClosest } from '../../api/closest.ts'
import { type Endpoint, endpoints } from '../../api/endpoints.ts'
import { toText } from '../../api/to-text.ts'
import { readDuration } from '../../duration.ts'
import { UsageError } from '../../errors.ts'
import type { Clock } from '../common/clock.ts'
import { ServiceClock } from '../common/service-clock.ts'
import type { HandlerContext } from '../handlers/handler-context.ts'
import type { Interceptor } from '../service/service.ts'
import type { ConnectInterceptor } from '../sessions/sockets.ts'
import { FaultRules } from './fault-rules.ts'
import { applySeed, type Seeded, SeedIds } from './seed.ts'

export interface ControlledInstance {
  context: HandlerContext
  shutDown(): Promise<void>
  /** Probes the clients that would time out if the clock moved by `ms`. Call before the clock moves. */
  probePeers(ms: number): Promise<void>
  /** Waits for running webhook attempts and writes. */
  settle(): Promise<void>
}

const maxAdvanceMs = 3650 * 24 * 3_600_000

const none: Seeded = { users: [], rooms: [] }

export class ServiceControl {
  readonly clock: ServiceClock
  readonly faults: FaultRules
  readonly gate = new Gate()
  readonly #onReset: () => void
  readonly unknownOperations: string[] = []
  #instance: ControlledInstance | undefined
  #open: () => Promise<ControlledInstance> = async () => {
    throw new Error('the service has not started')
  }
  #seed: unknown
  #ids = new SeedIds()
  seeded = none
  #queue: Promise<unknown> = Promise.resolve()

  /** @param onReset called when the sessions and webhook attempts before a reset have ended */
  constructor(real: Clock, onReset = () => {}) {
    this.#onReset = onReset
    this.clock = new ServiceClock(real)
    this.faults = new FaultRules(this.clock)
  }

  get interceptor(): Interceptor {
    const { faults, unknownOperations } = this
    return {
      get isActive() {
        return faults.size > 0
      },
      respond: (call, run) => faults.respond(call, run),
      onUnknownOperation(method, path) {
        unknownOperations.push(`${method} ${path}`)
        return describeNearestOperation(method, path)
      },
    }
  }

  get interceptConnect(): ConnectInterceptor {
    return (roomId, join) => this.faults.connect(roomId, join)
  }

  /** @param open opens another instance with an empty workspace */
  attach(instance: ControlledInstance, open: () => Promise<ControlledInstance>): void {
    this.#instance = instance
    this.#open = open
  }

  /**
   * Moves the clock forward and waits for the effects.
   * @param duration text such as `1h`, or milliseconds
   * @throws {UsageError} if the duration is not valid
   */
  advance(duration: unknown): Promise<void> {
    const ms = typeof duration === 'string' ? readDuration(duration) : duration
    if (typeof ms !== 'number' || !(ms > 0) || ms > maxAdvanceMs)
      throw new UsageError(
        `the duration must be text such as 1h, or milliseconds, up to 3650 days, not “${toText(duration ?? String(duration))}”`,
      )
    return this.#enqueue(async () => {
      const instance = this.#require()
      await instance.probePeers(ms)
      await instance.settle()
      await this.clock.advance(ms, () => instance.settle())
    })
  }

  /**
   * Resets the service with a new seed. If the reset fails, restores the previous seed.
   * @throws {UsageError} if the seed is not valid, or the service refuses a record
   */
  seed(value: unknown): Promise<void> {
    return this.#enqueue(async () => {
      const { parseSeed } = await import('./seed-schema.ts')
      parseSeed(value)
      const previous = { seed: this.#seed, ids: this.#ids }
      try {
        this.#seed = value
        this.#ids = new SeedIds()
        await this.#reset()
      } catch (error) {
        this.#seed = previous.seed
        this.#ids = previous.ids
        await this.#reset()
        throw error
      }
    })
  }

  /** Restores the seed and the real time. Removes all other data, sockets, waiting webhooks and faults. */
  reset(): Promise<void> {
    return this.#enqueue(() => this.#reset())
  }

  start(seed: unknown, isNew = true): Promise<void> {
    return this.#enqueue(async () => {
      this.#seed = seed
      if (isNew) await this.#applySeed(this.#require())
    })
  }

  async settle(): Promise<void> {
    await this.#instance?.settle()
  }

  /** Ends delayed requests, so that the service can stop. */
  stop(): Promise<void> {
    this.faults.clear()
    return this.#enqueue(async () => {})
  }

  async #reset(): Promise<void> {
    this.faults.clear()
    this.unknownOperations.length = 0
    await this.gate.close(async () => {
      await this.#require().shutDown()
      this.#instance = undefined
      this.#onReset()
      this.clock.reset()
      this.#instance = await this.#open()
      await this.#applySeed(this.#instance)
    })
  }

  async #applySeed({ context }: ControlledInstance): Promise<void> {
    this.seeded = none
    if (this.#seed === undefined) return
    const { parseSeed } = await import('./seed-schema.ts')
    this.seeded = await applySeed(context, parseSeed(this.#seed), this.#ids)
  }

  #require(): ControlledInstance {
    if (!this.#instance) throw new Error('the last reset failed')
    return this.#instance
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }
}

const wrongMethod = 0.6
const missingSegment = 0.5
const similarWord = 0.3
const param = 0.1

/** Describes the operation nearest to a request, as in `createRoom (POST /v1/rooms)`. */
function describeNearestOperation(method: string, path: string): string {
  const segments = splitPath(path.replace(/^\/v1(?=\/|$)/, ''))
  // Updates are PUT requests here, and PATCH requests in many other APIs.
  const wanted = method === 'PATCH' ? 'PUT' : method
  const [nearest] = Object.entries<Endpoint>(endpoints)
    .map(([name, endpoint]) => ({
      text: `${name} (${endpoint.method} /v1${endpoint.path})`,
      cost: (endpoint.method === wanted ? 0 : wrongMethod) + compareSegments(endpoint, segments),
    }))
    .sort((a, b) => a.cost - b.cost)
  return nearest?.text ?? ''
}

function compareSegments(endpoint: Endpoint, segments: readonly string[]): number {
  const expected = splitPath(endpoint.path)
  const length = Math.max(expected.length, segments.length)
  const costs = Array.from({ length }, (_, i) => compareSegment(expected[i], segments[i]))
  return costs.reduce((sum, cost) => sum + cost, 0)
}

function compareSegment(expected: string | undefined, segment: string | undefined): number {
  if (expected === undefined || segment === undefined) return missingSegment
  if (expected === segment) return 0
  if (expected.startsWith('{')) return param
  return findClosest(segment, [expected]) ? similarWord : 1
}

const splitPath = (path: string) => path.split('/').filter((segment) => segment !== '')

class Gate {
  #running = 0
  #closed: Promise<void> | undefined
  #onEmpty = () => {}

  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#closed
    this.#running++
    try {
      return await work()
    } finally {
      if (--this.#running === 0) this.#onEmpty()
    }
  }

  /** Runs `work` while no request runs. New requests wait. */
  async close<T>(work: () => Promise<T>): Promise<T> {
    let open = () => {}
    this.#closed = new Promise((resolve) => {
      open = resolve
    })
    try {
      if (this.#running > 0)
        await new Promise<void>((resolve) => {
          this.#onEmpty = resolve
        })
      return await work()
    } finally {
      this.#closed = undefined
      open()
    }
  }
}
