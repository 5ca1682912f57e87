import { readResponseValue } from '../../../api/json.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import type { ServiceFacts } from '../../../client/probe.ts'
import type { Item } from '../../output/views/views.ts'
import type { PageQuery } from './page-size.ts'
import type { ReadAhead } from './read-ahead.ts'

export type ListName =
  | 'listRooms'
  | 'listMembers'
  | 'listUsers'
  | 'listSessions'
  | 'listPages'
  | 'listDeliveries'

export interface PageRequest {
  /** Maximum number of items. Without `limit` and `all`, one page is requested. */
  limit?: number | undefined
  offset?: number | undefined
  all: boolean
  pageSize?: number | undefined
  /** True if the caller selects the items itself, because some services ignore filters. */
  selectsItems?: boolean
  /** True to page a list that is not paged by default. */
  inPages?: boolean
}

export interface PagedList {
  request: PageRequest
  /** Field of the response that holds the items. */
  key: string
  /** Field that identifies an item. */
  id: string
  /** Name of the items in errors, such as `rooms` or `members of room r1`. */
  what: string
  fetch: (query: PageQuery) => Promise<ResponseBody>
  serviceFacts: ServiceFacts
  notice: (text: string) => Promise<void>
  readAhead?: ReadAhead
  /** True for lists that are paged only on request. */
  isPagedWhenAsked?: boolean
}

export function readItems(key: string, response: ResponseBody): readonly Item[] {
  return ((readResponseValue(response) as Item)[key] ?? []) as readonly Item[]
}
