/** Maximum duration of one turn, in milliseconds. */
const turnMs = 5
/** Maximum turn for work that peers respond to, in milliseconds: their responses take several times as long. */
export const answeredTurnMs = 1

/** Scheduler that splits long work into turns so that other requests run in between. */
export interface Pace {
  /** Resolves when the next turn begins. Await it before long work and between its steps. */
  next(): Promise<void>
}

export function createPace(): Pace {
  const waiting: (() => void)[] = []
  const goOn = () => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(goOn)
  }
  return {
    next: () =>
      new Promise((resolve) => {
        if (waiting.push(resolve) === 1) setImmediate(goOn)
      }),
  }
}

/** Returns a function that waits for the next turn once the current one has lasted `ms` milliseconds. */
export function inTurns(pace: Pace): (ms?: number) => Promise<void> | undefined {
  let began = performance.now()
  return (ms = turnMs) => {
    if (performance.now() - began < ms) return undefined
    return pace.next().then(() => {
      began = performance.now()
    })
  }
}
