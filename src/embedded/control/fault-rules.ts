import type { Clock } from '../common/clock.ts'
import { isObject } from '../common/values.ts'
import { createResponse, type TextResponse } from '../service/response.ts'
import type { Call } from '../service/service.ts'
import type { ConnectOutcome } from '../sessions/sockets.ts'
import { type FaultSpec, type FaultTarget, parseFault } from './fault-input.ts'

/** Result, undefined if the operation did not run, and the failure to inject. */
type Applied<T> =
  | { result: T; failure: TextResponse | 'cut' | undefined }
  | { result: undefined; failure: TextResponse }

interface Rule {
  spec: FaultSpec
  text: string
  matched: number
  random: () => number
}

/** Faults of a service under test. At most one fault applies to a request. */
export class FaultRules {
  readonly #clock: Clock
  readonly #rules = new Set<Rule>()
  readonly #delays = new Set<() => void>()
  #clears = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#rules.size
  }

  add(value: unknown) {
    const spec = parseFault(value)
    const rule: Rule = { spec, text: formatFault(value), matched: 0, random: createRandom(spec.seed) }
    this.#rules.add(rule)
    return {
      get matched() {
        return rule.matched
      },
      remove: () => void this.#rules.delete(rule),
    }
  }

  /** Removes all faults. Delayed requests end with a reset connection. */
  clear(): void {
    this.#rules.clear()
    this.#clears++
    for (const cancel of this.#delays) cancel()
  }

  listUnmatched(): string[] {
    return [...this.#rules].filter(({ matched }) => matched === 0).map(({ text }) => text)
  }

  async respond({ name, params, request }: Call, run: () => Promise<TextResponse>): Promise<TextResponse> {
    const rule = this.#claim(name, () => [...Object.values(params), ...readUserId(request.body)])
    const { result, failure } = await this.#apply(rule, run, ({ status }) => status === 200)
    if (!result) return failure
    return failure === 'cut' ? { ...result, connection: 'cut' } : (failure ?? result)
  }

  /** Applies a matching fault to the opening of a WebSocket. The start of the session counts as the write. */
  async connect<S>(roomId: string, join: () => Promise<S>): Promise<ConnectOutcome<S>> {
    const run = async () => {
      try {
        return { session: await join() }
      } catch (error) {
        return { error }
      }
    }
    const rule = this.#claim('connect', () => [roomId])
    const { result, failure } = await this.#apply(rule, run, (joined) => 'session' in joined)
    if (!result) return { session: undefined, response: failure }
    if ('error' in result) throw result.error
    const { session } = result
    if (failure === undefined || failure === 'cut') return { session, isCut: failure === 'cut' }
    return { session, response: failure }
  }

  /** @param isWritten returns false if the service refused the request. `times` then excludes the request. */
  async #apply<T>(
    rule: Rule | undefined,
    run: () => Promise<T>,
    isWritten: (result: T) => boolean,
  ): Promise<Applied<T>> {
    if (!rule) return { result: await run(), failure: undefined }
    const { delayMs, status, connection, after } = rule.spec
    const clears = this.#clears
    const isCut = connection === 'cut' && status === undefined
    const failure = isCut ? 'cut' : createFaultResponse(rule.spec)
    if (after !== 'write' && failure !== 'cut') {
      if (!(await this.#delay(delayMs, clears))) return { result: undefined, failure: resetConnection() }
      return failure ? { result: undefined, failure } : { result: await run(), failure }
    }
    const result = await run()
    if (!isWritten(result)) {
      // Nothing was written, so the fault applies to a later request.
      rule.matched--
      return { result, failure: undefined }
    }
    return { result, failure: (await this.#delay(delayMs, clears)) ? failure : resetConnection() }
  }

  /** Finds and counts a fault in one step, so that concurrent requests never exceed `times`. */
  #claim(name: FaultTarget, listIds: () => readonly string[]): Rule | undefined {
    for (const rule of this.#rules) {
      const { times, probability, operations, ids } = rule.spec
      if (rule.matched >= times || !(operations?.includes(name) ?? name !== 'connect')) continue
      if (ids && !listIds().some((id) => ids.includes(id))) continue
      if (probability !== undefined && rule.random() >= probability) continue
      rule.matched++
      return rule
    }
    return undefined
  }

  /** Waits on the clock of the service. Returns false if `clear` ended or prevented the delay. */
  #delay(ms: number, clears: number): Promise<boolean> | boolean {
    if (ms === 0) return true
    if (clears !== this.#clears) return false
    return new Promise((resolve) => {
      const end = (isOver: boolean) => {
        this.#delays.delete(cancel)
        stop()
        resolve(isOver)
      }
      const stop = this.#clock.after(ms, () => end(true))
      const cancel = () => end(false)
      this.#delays.add(cancel)
    })
  }
}

/** Reads the `user_id` of a body, because not every path contains the ID of the user. */
function readUserId(body: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return isObject(value) && typeof value['user_id'] === 'string' ? [value['user_id']] : []
  } catch {
    return []
  }
}

const resetConnection = (): TextResponse => ({
  ...{ status: 503, headers: {}, text: '', body: new Uint8Array() },
  connection: 'reset',
})

function createFaultResponse({ status, headers, body, connection }: FaultSpec): TextResponse | undefined {
  if (status === undefined) return connection && resetConnection()
  const message = 'injected fault'
  const response = createResponse(status, body ?? { error: { code: 'injected_fault', message } })
  return { ...response, headers: { ...response.headers, ...headers }, ...(connection && { connection }) }
}

function formatFault(value: unknown): string {
  return JSON.stringify(value, (_, item) => (item === Number.POSITIVE_INFINITY ? 'Infinity' : item))
}

/** Creates a seeded generator of random numbers in [0, 1) (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
