import type { Answer } from '../../../client/client.ts'
import type { Item } from './views.ts'

/** Some items of a result. */
export interface Page {
  items: readonly Item[]
  /** The answer that holds exactly these items and nothing that was asked for beyond them. */
  whole?: Answer
  /** Whether the items hold no number that needs care: writing them is then several times as fast. */
  plain?: boolean
  /** The other fields of the body, such as `paging`, for a document that is put together from several answers. */
  rest?: Item
}

/** A result that comes in one piece. */
export async function* onePage(page: Page): AsyncGenerator<Page> {
  yield page
}
