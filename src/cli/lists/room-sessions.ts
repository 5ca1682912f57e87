import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { defaultPageSize, isRefusal } from './paging/page-size.ts'
import { listPagesOf } from './paging/pages-of.ts'

type QueryBuilder = (room_id: string) => Input<Operations['listSessions']>

const all: QueryBuilder = (room_id) => ({ params: { room_id } })

/**
 * Reader of the sessions of rooms, in pages to limit memory. The API specification has no paging here, so a service
 * may send all sessions or reject `limit`.
 */
export class RoomSessions {
  readonly #context: Pick<Context, 'notice'>
  readonly #client: Client
  readonly #createQuery: QueryBuilder
  #isPagingRefused = false

  constructor(context: Pick<Context, 'notice'>, client: Client, createQuery: QueryBuilder = all) {
    this.#context = context
    this.#client = client
    this.#createQuery = createQuery
  }

  async *of(room_id: string): AsyncGenerator<Page> {
    const { pages, first } = await this.#openList(room_id)
    if (first.done) return
    yield first.value
    yield* pages
  }

  async #openList(room_id: string) {
    if (!this.#isPagingRefused)
      try {
        return await readFirstPage(this.#pages(room_id, defaultPageSize))
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    const whole = await readFirstPage(this.#pages(room_id))
    this.#isPagingRefused = true
    return whole
  }

  #pages(room_id: string, pageSize?: number): AsyncGenerator<Page> {
    const request = { all: true, pageSize, selectsItems: true }
    return listPagesOf(this.#context, this.#client, 'listSessions', this.#createQuery(room_id), request)
  }
}

async function readFirstPage(pages: AsyncGenerator<Page>) {
  return { pages, first: await pages.next() }
}
