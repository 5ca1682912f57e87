import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { TransportError, type WireRequest, type WireResponse } from '../../../src/api/wire.ts'
import { answer } from '../../helpers/world.ts'
import type { Proof } from './proof.ts'

export type Thing = Record<string, any>
export type Next = (changed?: WireRequest) => Promise<WireResponse>

/** Handler of one request. `next` sends the request to the embedded service. */
export type Exchange = (request: WireRequest, next: Next) => Promise<WireResponse>

export interface Setting {
  /** Returns the simulated monotonic time, in milliseconds. */
  now(): number
  /** Registers work that runs once, before the suite reads the state directly. */
  atEnd(work: () => Promise<void>): void
}

/** Variant of the embedded service. */
export interface FakeService extends Proof {
  readonly name: string
  /** Creates the handler for one world, because some handlers have state. */
  readonly make: (setting: Setting) => Exchange
  /** Kind of IDs, if not that of the embedded service. */
  readonly ids?: 'uuid' | 'number'
  /** True if all lists can be read completely. */
  readonly isReadable?: boolean
  /** True if a list may stay incomplete after three passes, so that exit code 8 can be correct. */
  readonly isUnsettled?: boolean
}

/** Creates a service without state. */
export const service = (name: string, exchange: Exchange, proof: Proof = {}): FakeService => ({
  name,
  make: () => exchange,
  ...proof,
})

export const isWrite = ({ method }: WireRequest) => method !== 'GET'
export const jsonOf = ({ body }: { body?: string | Uint8Array | undefined }): any =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
export const pathOf = ({ url }: WireRequest) => new URL(url).pathname.replace(/^\/v1/, '')
const isList = (request: WireRequest) =>
  request.method === 'GET' &&
  /^\/(rooms|users|webhooks\/deliveries|rooms\/[^/]+\/(members|sessions))$/.test(pathOf(request))

const textOf = (response: WireResponse) => new TextDecoder().decode(response.body)
export const bytes = (response: WireResponse, body: Uint8Array, headers = {}): WireResponse => ({
  ...response,
  headers: { ...response.headers, ...headers },
  body: new Uint8Array(body),
})

/** Changes the text of a response with status 200. */
export const reworded = (response: WireResponse, change: (text: string) => string): WireResponse =>
  response.status === 200 ? bytes(response, new TextEncoder().encode(change(textOf(response)))) : response

/** Changes the JSON body of a response with status 200. */
export const edited = (response: WireResponse, change: (body: any) => unknown): WireResponse =>
  reworded(response, (text) => JSON.stringify(change(JSON.parse(text))))

/**
 * Returns the given response to each write, and executes the write first if `executes` is true. A failed
 * execution keeps its own response.
 */
export const writesAnswer =
  (executes: boolean, status: number, body: unknown, headers: Record<string, string> = {}): Exchange =>
  async (request, next) => {
    if (!isWrite(request)) return next()
    const done = executes ? await next() : undefined
    return done && done.status !== 200 ? done : answer(status, body, headers)
  }

/** Resets the connection of each write, after executing it if `executes` is true. */
export const writesLost =
  (executes: boolean): Exchange =>
  async (request, next) => {
    if (!isWrite(request)) return next()
    if (executes) await next()
    throw new TransportError('the connection was reset', true)
  }

/** Changes the JSON objects that writes send. */
export const bodiesChange =
  (change: (body: Thing, path: string) => Thing): Exchange =>
  async (request, next) => {
    if (!isWrite(request) || !request.body) return next()
    const body = jsonOf(request)
    const changed = Array.isArray(body) ? body : change(body, pathOf(request))
    return next({ ...request, body: JSON.stringify(changed) })
  }

/** Wraps the resource in successful responses to writes. */
export const rewrapped =
  (wrap: (item: Thing, key: string, request: WireRequest) => unknown, headers = {}): Exchange =>
  async (request, next) => {
    const response = await next()
    if (!isWrite(request) || response.status !== 200) return response
    const [key = '', item] = Object.entries(jsonOf(response))[0] ?? []
    return isThing(item) ? answer(200, wrap(item, key, request), headers) : response
  }

/** Changes the text of successful responses to writes. */
export const writesSay =
  (change: (text: string) => string): Exchange =>
  async (request, next) =>
    isWrite(request) ? reworded(await next(), change) : next()

/** Changes the resources in successful responses to writes. Executes no write if `executes` is false. */
export const writesShow =
  (executes: boolean, change: (item: Thing, request: WireRequest) => unknown): Exchange =>
  async (request, next) => {
    if (!isWrite(request)) return next()
    const response = executes ? await next() : await pretended(request, next)
    return edited(response, (body) =>
      mapItems(body, (item) => (typeof item === 'object' ? change(item, request) : item)),
    )
  }

async function pretended(request: WireRequest, next: Next): Promise<WireResponse> {
  if (request.method === 'PUT' || request.method === 'DELETE')
    return next({ ...request, method: 'GET', body: undefined })
  const path = pathOf(request)
  const key = path.endsWith('/members') ? 'member' : path === '/users' ? 'user' : 'room'
  if (!/^\/(rooms|users|rooms\/[^/]+\/members)$/.test(path)) return answer(200, {})
  const body = JSON.parse(String(request.body))
  return answer(200, { [key]: { id: '0123456789abcdef01234567', ...body } })
}

export function mapItems(body: any, change: (item: any) => unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (key === 'paging' || key === 'message') return [key, value]
      return [key, Array.isArray(value) ? value.map(change) : change(value)]
    }),
  )
}

/** Changes each item in successful responses, both in lists and alone. */
export const itemsShow =
  (change: (item: Thing) => unknown): Exchange =>
  async (_, next) =>
    edited(await next(), (body) => mapItems(body, (item) => (isThing(item) ? change(item) : item)))

export const listsShow =
  (change: (item: Thing) => unknown): Exchange =>
  async (request, next) =>
    isList(request) ? edited(await next(), (body) => mapItems(body, change)) : next()

function isThing(value: unknown): value is Thing {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export interface ListBounds {
  limit: number
  offset: number
}

/** Changes the bounds and the bodies of lists. */
export const lists =
  (
    bounds: (asked: ListBounds) => ListBounds,
    change: (body: any, key: string, asked: ListBounds) => unknown = (body) => body,
  ): Exchange =>
  async (request, next) => {
    if (!isList(request)) return next()
    const url = new URL(request.url)
    const asked = {
      limit: Number(url.searchParams.get('limit') ?? 30),
      offset: Number(url.searchParams.get('offset') ?? 0),
    }
    const given = bounds(asked)
    // Added bounds would page a list of sessions, which is otherwise not paged.
    if (given !== asked) {
      url.searchParams.set('limit', String(given.limit))
      url.searchParams.set('offset', String(given.offset))
    }
    return edited(await next({ ...request, url: url.href }), (body) => {
      const key = Object.keys(body).find((name) => Array.isArray(body[name])) ?? ''
      return change(body, key, asked)
    })
  }

export const asAsked = (asked: ListBounds) => asked

export const total = (change: (real: number, page: number) => unknown): Exchange =>
  lists(asAsked, (body, key) =>
    body.paging
      ? { ...body, paging: { ...body.paging, total: change(body.paging.total, body[key].length) } }
      : body,
  )

/** Responds without the embedded service to the requests that `which` selects. */
export const instead =
  (which: (request: WireRequest) => boolean, response: (request: WireRequest) => WireResponse): Exchange =>
  async (request, next) =>
    which(request) ? response(request) : next()

/** Changes the failure responses of the embedded service. */
export const failures =
  (response: (given: WireResponse) => WireResponse): Exchange =>
  async (_, next) => {
    const given = await next()
    return given.status === 200 ? given : response(given)
  }

export const encoded =
  (name: 'gzip' | 'br' | 'deflate'): Exchange =>
  async (_, next) => {
    const response = await next()
    const encode = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateRawSync }[name]
    return bytes(response, encode(response.body), { 'content-encoding': name })
  }

export const limitOf = ({ url }: WireRequest) => Number(new URL(url).searchParams.get('limit') ?? 0)
export { answer, isList }
