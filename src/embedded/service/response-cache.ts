import { isObject } from '../common/values.ts'
import type { Live } from '../sessions/live.ts'
import type { Store } from '../store/store.ts'
import type { TextResponse } from './response.ts'

const mostPages = 128
/** Most characters of a page that is kept: together they take some megabytes. */
const mostCharacters = 64 * 1024

/** Written pages of lists, for as long as nothing changes: reading and writing one is most of what an answer costs. */
export class ResponseCache {
  readonly #store: Store
  readonly #live: Pick<Live, 'meetingMs'>
  readonly #pages = new Map<string, TextResponse>()
  #version = ''

  constructor(store: Store, live: Pick<Live, 'meetingMs'>) {
    this.#store = store
    this.#live = live
  }

  find(url: string): TextResponse | undefined {
    const page = this.#pages.get(url)
    return page && this.#version === this.#store.version ? page : undefined
  }

  /**
   * Keeps a page.
   * @param version of the store, from before the page was read
   */
  keep(url: string, page: TextResponse, value: unknown, version: string): void {
    if (page.pieces || page.text.length > mostCharacters || this.#moves(value)) return
    if (version !== this.#version || this.#pages.size >= mostPages) this.#pages.clear()
    this.#version = version
    this.#pages.set(url, page)
  }

  /** Whether a page shows a meeting that is running: its time goes on though nothing is written. */
  #moves(value: unknown): boolean {
    if (!isObject(value) || !Array.isArray(value['rooms'])) return false
    return value['rooms'].some(({ id }) => this.#live.meetingMs(id) !== undefined)
  }
}
