import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { isRefusal, usualPageSize } from './paging/page-size.ts'
import { pagesOf } from './paging/pages-of.ts'

interface Options {
  /** Reads the list once even if it changes meanwhile. */
  readOnce?: boolean
}

type Ask = (room_id: string) => Input<Operations['listSessions']>

const all: Ask = (room_id) => ({ params: { room_id } })

/**
 * The sessions of rooms, in pages: all at once, those of a room with very many would take much memory. The document knows
 * neither pages nor limits here, so a service may send them all, or refuse to be asked.
 */
export class RoomSessions {
  readonly #context: Pick<Context, 'notice'>
  readonly #client: Client
  readonly #ask: Ask
  readonly #options: Options
  #isRefused = false

  /** @param ask for which sessions to ask; all of them by default */
  constructor(context: Pick<Context, 'notice'>, client: Client, ask: Ask = all, options: Options = {}) {
    this.#context = context
    this.#client = client
    this.#ask = ask
    this.#options = options
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
    const request = { all: true, pageSize, ...this.#options }
    return pagesOf(this.#context, this.#client, 'listSessions', this.#ask(room_id), request)
  }
}

/** A list of which the first page is there. */
async function begun(pages: AsyncGenerator<Page>) {
  return { pages, first: await pages.next() }
}
