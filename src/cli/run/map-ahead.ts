/**
 * @param concurrency maximum number of items in progress
 * @throws the first error of `work` in the order of the items
 */
export async function* mapAhead<A, B>(
  items: readonly A[],
  concurrency: number,
  work: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const pending: Promise<B>[] = []
  for (const item of items) {
    const result = work(item)
    // Awaited later or never; prevents an unhandled rejection.
    result.catch(() => {})
    pending.push(result)
    if (pending.length >= concurrency) yield await (pending.shift() as Promise<B>)
  }
  for (const result of pending) yield await result
}
