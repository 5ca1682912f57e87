import { type Clock, startInterval } from './common/clock.ts'
import type { TurnScheduler } from './common/turn-scheduler.ts'
import { canIndex, hasUnindexed, indexEmails } from './store/emails.ts'
import type { Store } from './store/store.ts'

const tickMs = 1000
/** Number of users indexed per step, which takes a few milliseconds. */
const stepUsers = 128

interface IndexingOptions {
  store: Store
  scheduler: TurnScheduler
  clock: Clock
  onFailure(error: unknown): void
}

/** Indexes emails in the background. Indexing in the writes that add users would more than double their cost. */
export function startIndexing({ store, scheduler, clock, onFailure }: IndexingOptions): () => void {
  if (!canIndex(store)) return () => {}
  let busy = false
  let stopped = false
  async function index(): Promise<void> {
    let before: number
    do {
      if (stopped || !hasUnindexed(store)) return
      before = store.writes
      await store.write(() => indexEmails(store, stepUsers))
      await scheduler.next()
    } while (store.writes === before + 1)
  }
  const stopTicking = startInterval(clock, tickMs, () => {
    if (busy) return
    busy = true
    index()
      .catch(onFailure)
      .finally(() => {
        busy = false
      })
  })
  return () => {
    stopped = true
    stopTicking()
  }
}
