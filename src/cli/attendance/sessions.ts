import type { Client } from '../../api/client.ts'
import { defined } from '../../api/defined.ts'
import type { Context } from '../context.ts'
import { listPages } from '../operations/list.ts'
import { isRefusal, usualPageSize } from '../operations/page-size.ts'
import type { Page } from '../output/page.ts'

/**
 * The sessions of rooms, in pages: all at once, those of a room with very many would take much memory. The document knows
 * neither pages nor limits here, so a service may send them all, or refuse to be asked.
 */
export class Sessions {
  readonly #context: Context
  readonly #client: Client
  #isRefused = false

  constructor(context: Context, client: Client) {
    this.#context = context
    this.#client = client
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
        return await begun(await this.#pages(room_id, usualPageSize))
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    const whole = await begun(await this.#pages(room_id))
    this.#isRefused = true
    return whole
  }

  #pages(room_id: string, pageSize?: number): Promise<AsyncGenerator<Page, Page | undefined>> {
    const input = { params: { room_id }, query: {} }
    const all = { all: true, ...defined({ pageSize }) }
    return listPages(this.#context, 'listSessions', input, all, { client: this.#client })
  }
}

/** A list of which the first page is there. */
async function begun(pages: AsyncGenerator<Page, Page | undefined>) {
  return { pages, first: await pages.next() }
}
