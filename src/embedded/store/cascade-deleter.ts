import type { Pace } from '../common/pace.ts'
import { hasListedEnds, settleEnds } from './ended.ts'
import type { Store } from './store.ts'

/** How many rows are changed in one go: a few milliseconds’ work. */
const stepRows = 500

/** What goes along with a room or a user. */
const belongings = {
  room: { column: 'room_id', tables: ['sessions', 'members', 'pages'] },
  user: { column: 'user_id', tables: ['members'] },
} as const
type Kind = keyof typeof belongings

/**
 * Deletes what belonged to deleted rooms and users: at once where it is little, else in steps, which a crash only
 * interrupts. Records the ends of sessions in the same way when they were thousands.
 */
export class CascadeDeleter {
  readonly #store: Store
  readonly #pace: Pace
  #busy = false

  constructor(store: Store, pace: Pace) {
    this.#store = store
    this.#pace = pace
  }

  /** Inside `store.write`: takes care of what belonged to a thing that is deleted in the same write. */
  sweep(kind: Kind, id: string): void {
    if (this.#sweepSome(kind, id, stepRows)) return
    this.#store.run('INSERT INTO sweeps VALUES (?, ?)', kind, id)
    this.#store.afterCommit(() => this.wake())
  }

  /**
   * Inside `store.write`: brings a sweep to its end, as the id is about to be used again.
   * @returns whether there was one
   */
  finish(kind: Kind, id: string): boolean {
    if (this.#store.run('DELETE FROM sweeps WHERE kind = ? AND id = ?', kind, id) === 0) return false
    return this.#sweepSome(kind, id, Number.MAX_SAFE_INTEGER)
  }

  /** Sweeps what is left, if anything is. What fails is tried again when somebody wakes it the next time. */
  wake(): void {
    if (this.#busy) return
    this.#busy = true
    this.#sweepAll()
      .catch(() => {})
      .finally(() => {
        this.#busy = false
      })
  }

  async #sweepAll(): Promise<void> {
    const store = this.#store
    for (;;) {
      await this.#pace.next()
      if (store.closed) return
      if (!nextOf(store) && !hasListedEnds(store)) return
      await store.write(() => {
        // Somebody else may have finished it.
        const next = nextOf(store)
        if (!next) settleEnds(store, stepRows / 2)
        else if (this.#sweepSome(next.kind, next.id, stepRows))
          store.run('DELETE FROM sweeps WHERE kind = ? AND id = ?', next.kind, next.id)
      })
    }
  }

  /** Returns whether nothing is left. */
  #sweepSome(kind: Kind, id: string, most: number): boolean {
    const { column, tables } = belongings[kind]
    let left = most
    for (const table of tables) {
      const some = `SELECT seq FROM ${table} WHERE ${column} = ? LIMIT ?`
      left -= this.#store.run(`DELETE FROM ${table} WHERE seq IN (${some})`, id, left)
    }
    return left > 0
  }
}

function nextOf(store: Store) {
  return store.one<{ kind: Kind; id: string }>('SELECT * FROM sweeps LIMIT 1')
}
