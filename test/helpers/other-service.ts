import type { WireRequest, WireResponse } from '../../src/api/wire.ts'
import { answer, type Intercept, type World } from './world.ts'

type Thing = Record<string, unknown>

/** Differences between a service and the embedded service. */
export interface Differences {
  /**
   * True if lists have only the fields that the API specification guarantees for rooms (“Room”), and
   * `user_id` of users.
   */
  minimalLists?: boolean
  /** Fields added to items; the API specification does not list them. */
  unlisted?: Thing
  /** Fields removed from items. */
  without?: readonly string[]
  /** True if null fields are omitted. */
  leavesNullsOut?: boolean
  /** True if numbers, except IDs, are text, also in `paging`. */
  numbersAsText?: boolean
  booleansAsText?: boolean
  /** True if rooms have a boolean `is_terminated`, unlike in the API specification (“Room”). */
  tellsTerminated?: boolean
  /** Type of IDs, instead of the 24 hexadecimal digits of the embedded service. */
  ids?: 'uuid' | 'number'
  /** Maximum number of items per page, regardless of `limit`. */
  maxLimit?: number
  /** Refusal, with `status`, of each `limit` greater than `above`. */
  refusedLimits?: { above: number; status: 400 | 413 | 422 | 500 }
  /** Sessions of every room: always paged, or always complete without `paging`. */
  sessions?: { items: readonly Thing[]; paged: boolean }
  /** Response to a successful write: 204 without a body, or `{"ok":true}`. */
  writes?: 'empty' | 'ok'
  errors?: keyof typeof errorShapes
}

export const errorShapes = {
  text: (words: string) => ({ type: 'text/plain', body: words }),
  html: (words: string) => ({
    type: 'text/html',
    body: `<!doctype html><html><head><title>Error</title></head><body><h1>${words}</h1></body></html>`,
  }),
  detail: (words: string) => json({ detail: words }),
  problem: (words: string) => ({
    type: 'application/problem+json',
    body: JSON.stringify({ title: 'Bad Request', status: 400, detail: words }),
  }),
  reason: (words: string) => json({ reason: words }),
  err: (words: string) => json({ err: words }),
  msg: (words: string) => json({ code: 4711, msg: words }),
  error: (words: string) => json({ error: words }),
  list: (words: string) => json({ errors: [words] }),
  byField: (words: string) => json({ errors: { name: [words] } }),
}

function json(body: unknown) {
  return { type: 'application/json', body: JSON.stringify(body) }
}

/**
 * Replaces the service of a world, except for `world.send`. `idOf` translates IDs of the embedded service.
 */
export function otherService(world: World, differences: Differences): { idOf(id: string): string } {
  const ids = new Ids(differences.ids)
  const intercept: Intercept = async (request, next) =>
    limitRefused(request, differences) ??
    sessionsOf(request, differences) ??
    reworded(request, await next(asked(request, ids, differences)), ids, differences)
  world.intercept = intercept
  return { idOf: (id) => String(ids.theirs(id)) }
}

/** Translation between IDs of the embedded service and of the other service. */
class Ids {
  readonly #theirs = new Map<string, string | number>()
  readonly #ours = new Map<string, string>()

  constructor(readonly kind: Differences['ids']) {}

  theirs(id: string): string | number {
    if (this.kind === undefined || !/^[0-9a-f]{24}$/.test(id)) return id
    const number = this.#theirs.size + 1
    const known = this.#theirs.get(id)
    if (known !== undefined) return known
    const made =
      this.kind === 'number' ? number : `5e55104e-0000-4000-8000-${String(number).padStart(12, '0')}`
    this.#theirs.set(id, made)
    this.#ours.set(String(made), id)
    return made
  }

  ours(id: string): string {
    return this.#ours.get(id) ?? id
  }
}

/** Translates the path and the `limit` of a request for the embedded service. */
function asked(request: WireRequest, ids: Ids, { maxLimit }: Differences): WireRequest {
  const url = new URL(request.url)
  url.pathname = url.pathname
    .split('/')
    .map((part) => ids.ours(part))
    .join('/')
  if (maxLimit !== undefined && request.method === 'GET')
    url.searchParams.set(
      'limit',
      String(Math.min(maxLimit, Number(url.searchParams.get('limit') ?? maxLimit))),
    )
  return { ...request, url: url.href }
}

function limitRefused(
  { method, url }: WireRequest,
  { refusedLimits, errors = 'error' }: Differences,
): WireResponse | undefined {
  const limit = Number(new URL(url).searchParams.get('limit'))
  if (method !== 'GET' || !refusedLimits || limit <= refusedLimits.above) return undefined
  const { type, body } = errorShapes[errors](`limit is at most ${refusedLimits.above}`)
  return answer(refusedLimits.status, body, { 'content-type': type })
}

function sessionsOf({ method, url }: WireRequest, { sessions }: Differences): WireResponse | undefined {
  const { pathname, searchParams } = new URL(url)
  if (method !== 'GET' || !pathname.endsWith('/sessions') || !sessions) return undefined
  const { items, paged } = sessions
  if (!paged) return answer(200, { sessions: items })
  const limit = Number(searchParams.get('limit') ?? 30)
  const offset = Number(searchParams.get('offset') ?? 0)
  return answer(200, {
    sessions: items.slice(offset, offset + limit),
    paging: { limit, offset, total: items.length },
  })
}

/** Translates a response of the embedded service into a response of the other service. */
function reworded(
  { method }: WireRequest,
  given: WireResponse,
  ids: Ids,
  differences: Differences,
): WireResponse {
  const body: Thing = JSON.parse(new TextDecoder().decode(given.body))
  if (given.status !== 200) return refused(given, body, differences)
  if (method !== 'GET' && differences.writes)
    return differences.writes === 'ok' ? answer(200, { ok: true }) : answer(204, '')
  const said = Object.entries(body).map(([key, value]) => {
    if (Array.isArray(value))
      return [key, value.map((item) => toldOf(key, item, method === 'GET', differences))]
    return [key, key === 'paging' || !isThing(value) ? value : toldOf(key, value, false, differences)]
  })
  return answer(given.status, retyped(Object.fromEntries(said), ids, differences))
}

function refused(given: WireResponse, body: Thing, { errors }: Differences): WireResponse {
  if (!errors) return given
  const { message } = body['error'] as { message: string }
  const shape = errorShapes[errors](message)
  return answer(given.status, shape.body, { 'content-type': shape.type })
}

function toldOf(kind: string, thing: Thing, isListed: boolean, differences: Differences): Thing {
  const { minimalLists, unlisted, without = [], leavesNullsOut, tellsTerminated } = differences
  const isRoom = kind === 'room' || kind === 'rooms'
  const whole = {
    ...thing,
    ...(isRoom && tellsTerminated && { is_terminated: thing['terminated_at'] !== null }),
    ...unlisted,
  }
  const shown = ['id', 'type', 'name', ...(kind === 'users' ? ['user_id'] : [])]
  const fields = Object.entries(whole).filter(
    ([field, value]) =>
      !without.includes(field) &&
      !(leavesNullsOut && value === null) &&
      (!isListed || !minimalLists || shown.includes(field)),
  )
  return Object.fromEntries(fields)
}

/** Converts IDs, numbers and booleans at any depth to other types. */
function retyped(value: unknown, ids: Ids, differences: Differences): unknown {
  if (Array.isArray(value)) return value.map((item) => retyped(item, ids, differences))
  if (isThing(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, held]) => [key, retyped(held, ids, differences)]),
    )
  if (typeof value === 'string') return ids.theirs(value)
  const asText =
    (typeof value === 'number' && differences.numbersAsText) ||
    (typeof value === 'boolean' && differences.booleansAsText)
  return asText ? String(value) : value
}

function isThing(value: unknown): value is Thing {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
