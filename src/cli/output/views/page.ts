import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { Item } from './views.ts'

export interface Page {
  items: readonly Item[]
  /** JSON to print if this is the only page. */
  whole?: ResponseBody
  /** True if no number needs lossless output. The output is then faster. */
  plain?: boolean
  rest?: Item
}

export async function* createPage(page: Page): AsyncGenerator<Page> {
  yield page
}
