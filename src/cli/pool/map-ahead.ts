import { PartialError } from '../../errors.ts'

/**
 * Processes items, some of them ahead, and yields the results in the order of the items.
 * @param most number of items under way at once
 */
export async function* mapAhead<A, B>(
  items: AsyncIterable<A> | Iterable<A>,
  most: number,
  work: (item: A) => Promise<B>,
): AsyncGenerator<B> {
  const begun: Promise<B>[] = []
  let problem: PartialError | undefined
  try {
    for await (const item of items) {
      const one = work(item)
      // Awaited in its turn, or never: avoid an unhandled rejection.
      one.catch(() => {})
      begun.push(one)
      if (begun.length >= most) yield await (begun.shift() as Promise<B>)
    }
  } catch (error) {
    // The items before it are complete.
    if (!(error instanceof PartialError)) throw error
    problem = error
  }
  for (const one of begun) yield await one
  if (problem) throw problem
}
