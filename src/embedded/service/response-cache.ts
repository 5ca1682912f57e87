import { isObject } from '../common/values.ts'
import type { SessionControl } from '../sessions/session-control.ts'
import type { Store } from '../store/store.ts'
import type { TextResponse } from './response.ts'

const maxPages = 128
/** Maximum number of characters in a cached page, which limits the cache to several megabytes. */
const maxCharacters = 64 * 1024

/** Cache of serialized list pages, valid until the next write. Creating a page is most of the cost of a response. */
export class ResponseCache {
  readonly #store: Store
  readonly #sessionControl: Pick<SessionControl, 'meetingMs'>
  readonly #pages = new Map<string, TextResponse>()
  #version = ''

  constructor(store: Store, sessionControl: Pick<SessionControl, 'meetingMs'>) {
    this.#store = store
    this.#sessionControl = sessionControl
  }

  get(url: string): TextResponse | undefined {
    const page = this.#pages.get(url)
    return page && this.#version === this.#store.version ? page : undefined
  }

  /** Caches a page. `version` is the version of the store before the page was read. */
  set(url: string, page: TextResponse, value: unknown, version: string): void {
    if (page.pieces || page.text.length > maxCharacters || this.#dependsOnTime(value)) return
    if (version !== this.#version || this.#pages.size >= maxPages) this.#pages.clear()
    this.#version = version
    this.#pages.set(url, page)
  }

  /** Returns true for a page that changes without a write: meetings and sessions get longer, deliveries expire. */
  #dependsOnTime(value: unknown): boolean {
    if (!isObject(value)) return false
    const { rooms = [], sessions = [] } = value as Partial<Record<string, Row[]>>
    return (
      Object.hasOwn(value, 'deliveries') ||
      rooms.some(({ id }) => this.#sessionControl.meetingMs(id) !== undefined) ||
      sessions.some(({ disconnected_at }) => disconnected_at === null)
    )
  }
}

interface Row {
  id: string
  disconnected_at: string | null
}
