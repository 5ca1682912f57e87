import { startTurn, type TurnScheduler } from '../common/turn-scheduler.ts'
import type { ConnectedSession } from './session-control.ts'

interface Broadcast {
  sessions: readonly ConnectedSession[]
  deliver(session: ConnectedSession): void
  turnMs?: number | undefined
}

/** Queue of broadcasts, ordered per room. It delivers in turns, so that large rooms do not delay other requests. */
export class BroadcastQueue {
  readonly #scheduler: TurnScheduler
  /** Pending broadcasts by room. The first broadcast of each room is running. */
  readonly #rooms = new Map<string, Broadcast[]>()
  readonly #running = new Set<Promise<void>>()
  /** Current turn, shared by the broadcasts of all rooms. */
  #turn: ReturnType<typeof startTurn> | undefined

  constructor(scheduler: TurnScheduler) {
    this.#scheduler = scheduler
  }

  /** Adds a broadcast to a room. The broadcast starts immediately if no other is pending in the room. */
  enqueue(roomId: string, broadcast: Broadcast): void {
    const pending = this.#rooms.get(roomId)
    if (pending) {
      pending.push(broadcast)
      return
    }
    const broadcasts = [broadcast]
    this.#rooms.set(roomId, broadcasts)
    if (this.#running.size === 0) this.#turn = startTurn(this.#scheduler)
    const run = this.#run(roomId, broadcasts)
    this.#running.add(run)
    void run.finally(() => this.#running.delete(run))
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #run(roomId: string, broadcasts: Broadcast[]): Promise<void> {
    for (let broadcast = broadcasts[0]; broadcast; broadcast = broadcasts[0]) {
      for (const session of broadcast.sessions) {
        const next = this.#turn?.(broadcast.turnMs)
        if (next) await next
        broadcast.deliver(session)
      }
      broadcasts.shift()
    }
    this.#rooms.delete(roomId)
  }
}
