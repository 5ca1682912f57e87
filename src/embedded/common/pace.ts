/** How long work may go on before others get a turn, in milliseconds. */
const turnMs = 5
/** The same for what peers answer, as their answers take several times as long. */
export const answeredTurnMs = 1

/** Lets long work go on in turns, so that it holds up nobody. */
export interface Pace {
  /** To be awaited before long work and between its parts: resolves when it may go on. */
  next(): Promise<void>
}

/** Shares turns of the event loop: in each one, only one piece of long work goes on. */
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

/** For one piece of long work that begins now: waits for the next turn when this one has lasted long enough. */
export function inTurns(pace: Pace): (ms?: number) => Promise<void> | undefined {
  let began = performance.now()
  return (ms = turnMs) => {
    if (performance.now() - began < ms) return undefined
    return pace.next().then(() => {
      began = performance.now()
    })
  }
}
