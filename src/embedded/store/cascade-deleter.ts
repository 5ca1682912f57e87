import type { TurnScheduler } from '../common/turn-scheduler.ts'
import { hasListedEnds, recordListedEnds } from './ended.ts'
import type { Store } from './store.ts'

/** Rows changed per step: a few milliseconds of work. */
const stepRows = 500

const dependentTables = {
  room: { column: 'room_id', tables: ['sessions', 'members', 'pages'] },
  user: { column: 'user_id', tables: ['members'] },
} as const
type Kind = keyof typeof dependentTables

/** Deleter of the rows of deleted rooms and users. Many rows are deleted in steps, which resume after a crash. */
export class CascadeDeleter {
  readonly #store: Store
  readonly #pace: TurnScheduler
  #busy = false

  constructor(store: Store, pace: TurnScheduler) {
    this.#store = store
    this.#pace = pace
  }

  /** Deletes the rows of a room or user that is deleted in the same write. Call inside `store.write`. */
  sweep(kind: Kind, id: string): void {
    if (this.#sweepSome(kind, id, stepRows)) return
    this.#store.run('INSERT INTO sweeps VALUES (?, ?)', kind, id)
    this.#store.afterCommit(() => this.wake())
  }

  /** Completes a deletion because its ID is about to be reused. Returns true when one was unfinished. */
  finish(kind: Kind, id: string): boolean {
    if (this.#store.run('DELETE FROM sweeps WHERE kind = ? AND id = ?', kind, id) === 0) return false
    return this.#sweepSome(kind, id, Number.MAX_SAFE_INTEGER)
  }

  /** Resumes unfinished work. A failed step is retried at the next call. */
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
      if (!findNext(store) && !hasListedEnds(store)) return
      await store.write(() => {
        const next = findNext(store)
        if (!next) recordListedEnds(store, stepRows / 2)
        else if (this.#sweepSome(next.kind, next.id, stepRows))
          store.run('DELETE FROM sweeps WHERE kind = ? AND id = ?', next.kind, next.id)
      })
    }
  }

  /** Returns true when no rows are left. */
  #sweepSome(kind: Kind, id: string, max: number): boolean {
    const { column, tables } = dependentTables[kind]
    let remaining = max
    for (const table of tables) {
      const some = `SELECT seq FROM ${table} WHERE ${column} = ? LIMIT ?`
      remaining -= this.#store.run(`DELETE FROM ${table} WHERE seq IN (${some})`, id, remaining)
    }
    return remaining > 0
  }
}

function findNext(store: Store) {
  return store.one<{ kind: Kind; id: string }>('SELECT * FROM sweeps LIMIT 1')
}
