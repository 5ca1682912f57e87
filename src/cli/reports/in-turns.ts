const turnSize = 1000

/**
 * Yields batches in separate turns of the event loop, so that a signal can interrupt a long computation.
 * @throws the abort reason if the signal is aborted after a full batch
 */
export async function* inTurns<T>(items: Iterable<T>, interrupt: AbortSignal): AsyncGenerator<readonly T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < turnSize) continue
    yield batch
    batch = []
    await new Promise((resolve) => setImmediate(resolve))
    interrupt.throwIfAborted()
  }
  if (batch.length > 0) yield batch
}
