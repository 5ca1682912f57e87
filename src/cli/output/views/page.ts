import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { Item } from './views.ts'

export interface Page {
  items: readonly Item[]
  /** Response that holds exactly these items; printed unchanged. */
  whole?: ResponseBody
  /** True if no number needs lossless output. The output is then several times faster. */
  plain?: boolean
  rest?: Item
}

export async function* createPage(page: Page): AsyncGenerator<Page> {
  yield page
}
