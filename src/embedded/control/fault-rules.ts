import type { Clock } from '../common/clock.ts'
import { isObject } from '../common/values.ts'
import { createResponse, type TextResponse } from '../service/response.ts'
import type { Call } from '../service/service.ts'
import { type FaultSpec, parseFault } from './fault-input.ts'

export interface AddedFault {
  readonly matched: number
  remove(): void
}

interface Rule {
  spec: FaultSpec
  /** The fault as it was given, for reports. */
  text: string
  matched: number
  random: () => number
}

/** Faults of a service under test. At most one fault changes a request: the first that applies. */
export class FaultRules {
  readonly #clock: Clock
  readonly #rules = new Set<Rule>()
  readonly #delays = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#rules.size
  }

  add(value: unknown): AddedFault {
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
    for (const cancel of this.#delays) cancel()
  }

  listUnmatched(): string[] {
    return [...this.#rules].filter(({ matched }) => matched === 0).map(({ text }) => text)
  }

  async respond(call: Call, run: () => Promise<TextResponse>): Promise<TextResponse> {
    const rule = this.#claim(call)
    if (!rule) return run()
    const { delayMs, status, connection, after } = rule.spec
    const isAfter = after === 'write' || (connection === 'cut' && status === undefined)
    if (!isAfter) {
      if (!(await this.#delay(delayMs))) return resetConnection()
      return status === undefined && connection === undefined ? run() : createFaultResponse(rule.spec)
    }
    const response = await run()
    if (response.status !== 200) {
      // Nothing was written, so the fault remains for a later request.
      rule.matched--
      return response
    }
    if (!(await this.#delay(delayMs))) return resetConnection()
    if (status === undefined) return connection ? { ...response, connection } : response
    return createFaultResponse(rule.spec)
  }

  /** Finds the fault of a call and counts it, in one step, so that concurrent requests never exceed `times`. */
  #claim(call: Call): Rule | undefined {
    for (const rule of this.#rules) {
      const { times, probability } = rule.spec
      if (rule.matched >= times || !isMatch(rule.spec, call)) continue
      if (probability !== undefined && rule.random() >= probability) continue
      rule.matched++
      return rule
    }
    return undefined
  }

  /** Waits `ms` milliseconds, measured by the clock of the service. Returns false if the faults are cleared during the wait. */
  #delay(ms: number): Promise<boolean> | true {
    if (ms === 0) return true
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

function isMatch({ operations, ids }: FaultSpec, { name, params, request }: Call): boolean {
  if (operations && !operations.includes(name)) return false
  if (!ids) return true
  return [...Object.values(params), ...readUserId(request.body)].some((id) => ids.includes(id))
}

/** Reads the `user_id` of a body, which names the user of a request without that ID in its path. */
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

function createFaultResponse({ status, headers, body, connection }: FaultSpec): TextResponse {
  if (status === undefined) return resetConnection()
  const message = 'this failure was requested'
  const response = createResponse(status, body ?? { error: { code: 'injected_fault', message } })
  return {
    ...response,
    headers: { ...response.headers, ...headers },
    ...(connection && { connection }),
  }
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
