import { failure, type Outcome, stopsAll } from './outcome.ts'
import type { Pool } from './pool.ts'

/**
 * Does a job for each of many things and yields what became of them, in their order. However many there are, only a few
 * outcomes wait for their turn. When what follows would fail in the same way, the rest is not begun.
 * @param most number of jobs that may be ahead of the outcome that is used, at least 2
 */
export async function* inOrder<Thing, Result>(
  pool: Pool,
  things: readonly Thing[],
  most: number,
  act: (thing: Thing) => Promise<Outcome<Result>>,
): AsyncGenerator<{ thing: Thing; outcome: Outcome<Result> }> {
  const slots = new Map<number, Slot<Result>>()
  let isOver = false
  let taken = 0
  let used = 0
  let makeRoom = () => {}

  function slotOf(index: number): Slot<Result> {
    const slot = slots.get(index) ?? new Slot<Result>()
    slots.set(index, slot)
    // Nothing is begun any more.
    if (isOver) slot.settle({ status: 'unsent' })
    return slot
  }

  const running = pool.run<number>({
    async take() {
      while (taken - used >= most && !pool.isStopped)
        await new Promise<void>((resolve) => {
          makeRoom = resolve
        })
      return taken < things.length ? [taken++] : []
    },
    async perform(index) {
      const outcome = await act(things[index] as Thing).catch(failure)
      if ('error' in outcome && stopsAll(outcome.error)) pool.stop()
      pool.count(outcome)
      slotOf(index).settle(outcome)
    },
    putBack: () => {},
  })
  const ended = running.finally(() => {
    isOver = true
    for (const slot of slots.values()) slot.settle({ status: 'unsent' })
  })
  // Awaited at the end: avoid an unhandled rejection until then.
  ended.catch(() => {})

  try {
    for (const [index, thing] of things.entries()) {
      const outcome = await slotOf(index).outcome
      slots.delete(index)
      used = index + 1
      makeRoom()
      yield { thing, outcome }
    }
  } finally {
    // A reader that has seen enough wants no more.
    if (used < things.length) pool.stop()
    makeRoom()
    await ended
  }
}

/** An outcome that is to come. */
class Slot<Result> {
  settle: (outcome: Outcome<Result>) => void = () => {}
  readonly outcome = new Promise<Outcome<Result>>((resolve) => {
    this.settle = resolve
  })
}
