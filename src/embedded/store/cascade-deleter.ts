import { setImmediate } from 'node:timers/promises'
import { hasListedEnds, recordListedEnds } from './ended.ts'
import type { Store } from './store.ts'

/** Maximum number of rows deleted per step, which takes a few milliseconds. */
const stepRows = 500

const dependentTables = {
  room: { column: 'room_id', tables: ['sessions', 'members', 'pages'] },
  user: { column: 'user_id', tables: ['members'] },
} as const
type Kind = keyof typeof dependentTables

/** Deleter of dependent rows, in steps that resume after a crash. */
export class CascadeDeleter {
  readonly #store: Store
  #busy = false

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Deletes dependent rows, at most `stepRows` immediately and the others after the commit. Call inside
   * `store.write`.
   */
  sweep(kind: Kind, id: string): void {
    if (this.#sweepSome(kind, id, stepRows)) return
    this.#store.run('INSERT INTO sweeps VALUES (?, ?)', kind, id)
    this.#store.afterCommit(() => this.wake())
  }

  /**
   * Completes an unfinished deletion, so that the ID can be reused. Call inside `store.write`.
   * @returns false without an unfinished deletion
   */
  finish(kind: Kind, id: string): boolean {
    if (this.#store.run('DELETE FROM sweeps WHERE kind = ? AND id = ?', kind, id) === 0) return false
    return this.#sweepSome(kind, id, Number.MAX_SAFE_INTEGER)
  }

  /**
   * Runs deferred deletions and session ends in the background. After a failed step, the next call retries.
   */
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
      await setImmediate()
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

  /** Deletes at most `max` rows. Returns true only if no rows remain. */
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
