/** Maximum duration of one turn, in milliseconds. */
const turnMs = 5
/** Maximum duration of a turn that sends to peers, in milliseconds. Their responses take several times as long. */
export const peerTurnMs = 1

/** Scheduler that splits long work into turns so that other requests run in between. */
export interface TurnScheduler {
  /** Resolves when the next turn begins. Call before each step of long work. */
  next(): Promise<void>
}

export function createTurnScheduler(): TurnScheduler {
  const waiting: (() => void)[] = []
  const runNext = () => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(runNext)
  }
  return {
    next: () =>
      new Promise((resolve) => {
        if (waiting.push(resolve) === 1) setImmediate(runNext)
      }),
  }
}

/** Returns a function that waits for the next turn once the current one has lasted `ms` milliseconds. */
export function startTurn(scheduler: TurnScheduler): (ms?: number) => Promise<void> | undefined {
  let began = performance.now()
  return (ms = turnMs) => {
    if (performance.now() - began < ms) return undefined
    return scheduler.next().then(() => {
      began = performance.now()
    })
  }
}
