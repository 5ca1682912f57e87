import { PartialError } from '../../errors.ts'

/**
 * Processes items concurrently and yields the results in the order of the items.
 * @param concurrency maximum number of items in progress
 */
export async function* mapAhead<A, B>(
  items: AsyncIterable<A> | Iterable<A>,
  concurrency: number,
  work: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const pending: Promise<B>[] = []
  let partialError: PartialError | undefined
  try {
    for await (const item of items) {
      const result = work(item)
      // Awaited later or never; prevents an unhandled rejection.
      result.catch(() => {})
      pending.push(result)
      if (pending.length >= concurrency) yield await (pending.shift() as Promise<B>)
    }
  } catch (error) {
    // The results of items before a PartialError are still yielded.
    if (!(error instanceof PartialError)) throw error
    partialError = error
  }
  for (const result of pending) yield await result
  if (partialError) throw partialError
}
