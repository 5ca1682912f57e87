import type { Pace } from './pace.ts'
import type { Store } from './store/store.ts'

/** How many rows are deleted in one go: a few milliseconds’ work. */
const stepRows = 500

/** Deletes what belonged to deleted rooms: at once where it is little, else in steps, which a crash only interrupts. */
export class Sweeper {
  readonly #store: Store
  readonly #pace: Pace
  #busy = false

  constructor(store: Store, pace: Pace) {
    this.#store = store
    this.#pace = pace
  }

  /** Inside `store.write`: takes care of what belongs to a room that was deleted in the same write. */
  sweepRoom(roomId: string): void {
    if (this.#sweepSome(roomId)) return
    this.#store.run('INSERT INTO sweeps VALUES (?)', roomId)
    this.#store.afterCommit(() => this.wake())
  }

  /** Sweeps what is left, if anything is. What fails is tried again when somebody wakes it the next time. */
  wake(): void {
    if (this.#busy) return
    this.#busy = true
    this.#sweep()
      .catch(() => {})
      .finally(() => {
        this.#busy = false
      })
  }

  async #sweep(): Promise<void> {
    const store = this.#store
    for (;;) {
      await this.#pace.next()
      if (store.closed) return
      const next = store.one<{ room_id: string }>('SELECT room_id FROM sweeps LIMIT 1')
      if (!next) return
      await store.write(() => {
        if (this.#sweepSome(next.room_id)) store.run('DELETE FROM sweeps WHERE room_id = ?', next.room_id)
      })
    }
  }

  /** Returns whether nothing is left. */
  #sweepSome(roomId: string): boolean {
    let most = stepRows
    for (const table of ['sessions', 'members', 'pages']) {
      const some = `SELECT seq FROM ${table} WHERE room_id = ? LIMIT ?`
      most -= this.#store.run(`DELETE FROM ${table} WHERE seq IN (${some})`, roomId, most)
    }
    return most > 0
  }
}
