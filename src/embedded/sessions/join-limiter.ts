import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { busy } from '../common/faults.ts'

/** Default burst of anonymous joins per room and network, large enough for a school that reconnects. */
const defaultBurst = 10_000
/** Time after which one more join is allowed, in milliseconds. */
const msPerJoin = 1000
/** Default maximum number of connected anonymous sessions. Each session takes 25 KB of memory. */
const defaultSessions = 10_000
const maxCounters = 10_000

export interface AnonymousLimits {
  joins?: number
  sessions?: number
}

/** Limits for joins without a token, because each join stores a session. */
export class JoinLimiter {
  /** Number of joins, and the monotonic time of the last join in milliseconds. */
  readonly #counters = new Map<string, { joins: number; at: number }>()
  readonly #joins: number
  readonly #sessions: number
  readonly #monotonic: () => number
  #connected = 0

  constructor(
    monotonic: () => number,
    { joins = defaultBurst, sessions = defaultSessions }: AnonymousLimits = {},
  ) {
    this.#monotonic = monotonic
    this.#joins = joins
    this.#sessions = sessions
  }

  hold(socket: Duplex): void {
    if (socket.destroyed) return
    this.#connected++
    socket.once('close', () => void this.#connected--)
  }

  /** @throws {Fault} if the join would exceed a limit */
  count(roomId: string, ipAddress: string | null): void {
    if (this.#connected >= this.#sessions) throw busy('too many anonymous participants are connected')
    const key = `${toNetwork(ipAddress ?? '')} ${roomId}`
    const at = this.#monotonic()
    const { joins, at: lastAt } = this.#counters.get(key) ?? { joins: 0, at }
    const remaining = Math.max(0, joins - (at - lastAt) / msPerJoin)
    if (remaining + 1 > this.#joins) throw busy('too many anonymous participants are joining this room')
    this.#counters.delete(key)
    this.#counters.set(key, { joins: remaining + 1, at })
    const [oldest] = this.#counters.keys()
    if (this.#counters.size > maxCounters && oldest !== undefined) this.#counters.delete(oldest)
  }
}

/** Returns the /64 network of an IPv6 address, because one machine can own it, and other text unchanged. */
function toNetwork(ipAddress: string): string {
  if (!isIPv6(ipAddress)) return ipAddress
  const [address = ''] = ipAddress.split('%')
  const { hostname } = new URL(`http://[${address}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const first = head.split(':').filter(Boolean)
  const last = tail?.split(':').filter(Boolean) ?? []
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
  return groups.slice(0, 4).join(':')
}
