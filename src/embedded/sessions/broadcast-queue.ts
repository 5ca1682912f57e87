import { setImmediate } from 'node:timers/promises'
import type { ConnectedSession } from './session-control.ts'

/** Time after which work yields to the event loop, in milliseconds. */
const turnMs = 1

type Deliver = (session: ConnectedSession) => void

/** Queue that sends the broadcasts of each room in order. */
export class BroadcastQueue {
  /** Last pending broadcast by room. */
  readonly #last = new Map<string, Promise<void>>()

  /** Starts immediately unless another broadcast to the room is pending. */
  enqueue(roomId: string, sessions: readonly ConnectedSession[], deliver: Deliver): void {
    const before = this.#last.get(roomId)
    const send = () => runInTurns(sessions, deliver)
    const run = before ? before.then(send) : send()
    this.#last.set(roomId, run)
    void run.finally(() => {
      if (this.#last.get(roomId) === run) this.#last.delete(roomId)
    })
  }

  async drain(): Promise<void> {
    await Promise.all(this.#last.values())
  }
}

/** Runs work for each item, with pauses in which the event loop handles other events. */
export async function runInTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now()
  for (const item of items) {
    if (performance.now() - began >= turnMs) {
      await setImmediate()
      began = performance.now()
    }
    work(item)
  }
}
