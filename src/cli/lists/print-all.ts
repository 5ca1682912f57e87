import { ClosedOutput, PartialError } from '../../errors.ts'
import type { Printer } from '../output/printer.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'

/** Number of rows that determine the widths of a table. */
const mostTogether = 100

/**
 * Prints the results of work that goes on as they come. When the reader goes away, the rest is done anyway.
 * @throws {OutputError} when they cannot be written; there may be pages left then
 */
export async function printAll(
  printer: Printer,
  view: View,
  key: string,
  pages: AsyncGenerator<Page>,
): Promise<number> {
  // `list` ends an iteration that it cannot print.
  const unending = { [Symbol.asyncIterator]: () => ({ next: () => pages.next() }) }
  try {
    return await printer.list(view, key, printer.options.format === 'table' ? together(unending) : unending)
  } catch (error) {
    if (!(error instanceof ClosedOutput)) throw error
    let left = 0
    for await (const { items } of pages) left += items.length
    return left
  }
}

/** Items a page at a time: each alone, they would be under columns of the first one’s width. */
export async function* together(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let items: Item[] = []
  let problem: PartialError | undefined
  try {
    for await (const page of pages) {
      items.push(...page.items)
      if (items.length < mostTogether) continue
      yield { items }
      items = []
    }
  } catch (error) {
    // The items before it are complete.
    if (!(error instanceof PartialError)) throw error
    problem = error
  }
  if (items.length > 0) yield { items }
  if (problem) throw problem
}
