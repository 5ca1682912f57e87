import type { Client } from '../../api/client.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Context } from '../context.ts'
import { isRefusal, usualPageSize } from '../operations/page-size.ts'
import { pagesOf } from '../operations/pages-of.ts'
import type { Page } from '../output/page.ts'

type Query = NonNullable<Input<Operations['listSessions']>['query']>

/**
 * The sessions of rooms, in pages: all at once, those of a room with very many would take much memory. The document knows
 * neither pages nor limits here, so a service may send them all, or refuse to be asked.
 */
export class Sessions {
  readonly #context: Pick<Context, 'notice'>
  readonly #client: Client
  readonly #query: Query
  #isRefused = false

  /** @param query which sessions; all of them by default */
  constructor(context: Pick<Context, 'notice'>, client: Client, query: Query = {}) {
    this.#context = context
    this.#client = client
    this.#query = query
  }

  async *of(room_id: string): AsyncGenerator<Page> {
    const { pages, first } = await this.#begin(room_id)
    if (first.done) return
    yield first.value
    yield* pages
  }

  async #begin(room_id: string) {
    if (!this.#isRefused)
      try {
        return await begun(this.#pages(room_id, usualPageSize))
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    const whole = await begun(this.#pages(room_id))
    this.#isRefused = true
    return whole
  }

  #pages(room_id: string, pageSize?: number): AsyncGenerator<Page> {
    const input = { params: { room_id }, query: this.#query }
    return pagesOf(this.#context, this.#client, 'listSessions', input, { all: true, pageSize })
  }
}

/** A list of which the first page is there. */
async function begun(pages: AsyncGenerator<Page>) {
  return { pages, first: await pages.next() }
}
