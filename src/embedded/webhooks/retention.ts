import { type Clock, startInterval } from '../common/clock.ts'
import type { Store } from '../store/store.ts'

const hourMs = 60 * 60 * 1000
export const keepFinishedMs = 24 * hourMs
const maxFinished = 10_000
export const attemptsPerRemoval = 100

/** Call inside `store.write`. */
export function removeFinished(store: Store, now: number): void {
  store.run('DELETE FROM deliveries WHERE finished_at <= ?', now - keepFinishedMs)
  store.run(
    `DELETE FROM deliveries WHERE seq IN (SELECT seq FROM deliveries
       WHERE finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT -1 OFFSET ?)`,
    maxFinished - attemptsPerRemoval,
  )
}

/** Removes old finished deliveries at the start and every hour. Returns a function that stops the timer. */
export function startRetention(store: Store, clock: Clock, onFailure: (error: unknown) => void): () => void {
  async function remove(): Promise<void> {
    const sql = 'SELECT min(finished_at) AS finished_at FROM deliveries WHERE finished_at IS NOT NULL'
    const oldest = store.one<{ finished_at: number | null }>(sql)
    const now = clock.now()
    if (oldest?.finished_at == null || oldest.finished_at > now - keepFinishedMs) return
    await store.write(() => removeFinished(store, now))
  }
  const start = () => void remove().catch(onFailure)
  start()
  return startInterval(clock, hourMs, start)
}
