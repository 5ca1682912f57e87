import type { Answer } from '../../../client/client.ts'
import type { Item } from './views.ts'

export interface Page {
  items: readonly Item[]
  /** Response that holds exactly these items; printed unchanged. */
  whole?: Answer
  /** True if no number needs lossless writing, which is several times faster. */
  plain?: boolean
  rest?: Item
}

export async function* singlePage(page: Page): AsyncGenerator<Page> {
  yield page
}
