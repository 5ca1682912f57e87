import { ClosedOutput, PartialError } from '../../errors.ts'
import type { Printer } from '../output/printer.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'

const maxGrouped = 100

/**
 * Prints results as they arrive. The remaining work still runs after the output is closed.
 * @returns the number of printed items; after the output was closed, the number of remaining items
 */
export async function printAll(
  printer: Printer,
  view: View,
  key: string,
  pages: AsyncGenerator<Page>,
): Promise<number> {
  // Prevents `list` from ending the iteration after an error.
  const resumable = { [Symbol.asyncIterator]: () => ({ next: () => pages.next() }) }
  try {
    return await printer.list(
      view,
      key,
      printer.options.format === 'table' ? groupPages(resumable) : resumable,
    )
  } catch (error) {
    if (!(error instanceof ClosedOutput)) {
      await pages.return(undefined)
      throw error
    }
    let unprinted = 0
    for await (const { items } of pages) unprinted += items.length
    return unprinted
  }
}

/** Combines small pages, so that the column widths fit more than one item. */
export async function* groupPages(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let items: Item[] = []
  let partialError: PartialError | undefined
  try {
    for await (const page of pages) {
      items.push(...page.items)
      if (items.length < maxGrouped) continue
      yield { items }
      items = []
    }
  } catch (error) {
    // Items before a partial error are still yielded.
    if (!(error instanceof PartialError)) throw error
    partialError = error
  }
  if (items.length > 0) yield { items }
  if (partialError) throw partialError
}
