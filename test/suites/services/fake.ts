import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { TransportError, type WireRequest, type WireResponse } from '../../../src/api/wire.ts'
import { answer } from '../../helpers/world.ts'
import type { Proof } from './proof.ts'

export type Thing = Record<string, any>
export type Next = (changed?: WireRequest) => Promise<WireResponse>

/** Answers one request, with or without the embedded service behind it. */
export type Exchange = (request: WireRequest, next: Next) => Promise<WireResponse>

/** What a fake service needs of its world. */
export interface Setting {
  /** The time of the machine that the command runs on, in milliseconds. */
  now(): number
  /** Does this before anybody reads the state of the service directly. */
  atEnd(work: () => Promise<void>): void
}

/** A service that differs from the embedded one in one respect. */
export interface FakeService extends Proof {
  readonly name: string
  /** Made for each world: some count requests. */
  readonly make: (setting: Setting) => Exchange
  /** Another kind of IDs than the embedded service’s. */
  readonly ids?: 'uuid' | 'number'
  /** Its lists can be read as a whole, so commands that read exit 0. */
  readonly isReadable?: boolean
  /** Its lists may stay incomplete after three passes, so commands may end with the code `incomplete`. */
  readonly isUnsettled?: boolean
}

/** A service without memory. */
export const service = (name: string, exchange: Exchange, proof: Proof = {}): FakeService => ({
  name,
  make: () => exchange,
  ...proof,
})

/** The same services, with what a client can know from them. */
export const proving = (proof: Proof, fakes: readonly FakeService[]): readonly FakeService[] =>
  fakes.map((fake) => ({ ...proof, ...fake }))

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

/** A response with another text. */
export const reworded = (response: WireResponse, change: (text: string) => string): WireResponse =>
  response.status === 200 ? bytes(response, new TextEncoder().encode(change(textOf(response)))) : response

/** A response with another JSON body. */
export const edited = (response: WireResponse, change: (body: any) => unknown): WireResponse =>
  reworded(response, (text) => JSON.stringify(change(JSON.parse(text))))

/** Writes are answered so; the embedded service gets them only where `executes` says so. */
export const writesAnswer =
  (executes: boolean, status: number, body: unknown, headers: Record<string, string> = {}): Exchange =>
  async (request, next) => {
    if (!isWrite(request)) return next()
    const done = executes ? await next() : undefined
    return done && done.status !== 200 ? done : answer(status, body, headers)
  }

/** Writes get no answer, as a connection is lost. */
export const writesLost =
  (executes: boolean): Exchange =>
  async (request, next) => {
    if (!isWrite(request)) return next()
    if (executes) await next()
    throw new TransportError('the connection was reset', true)
  }

/** Writes are executed with another body. */
export const bodiesChange =
  (change: (body: Thing, path: string) => Thing): Exchange =>
  async (request, next) => {
    if (!isWrite(request) || !request.body) return next()
    const body = jsonOf(request)
    const changed = Array.isArray(body) ? body : change(body, pathOf(request))
    return next({ ...request, body: JSON.stringify(changed) })
  }

/** Writes are executed, and their answers are made from the resource. */
export const rewrapped =
  (wrap: (item: Thing, key: string, request: WireRequest) => unknown, headers = {}): Exchange =>
  async (request, next) => {
    const response = await next()
    if (!isWrite(request) || response.status !== 200) return response
    const [key = '', item] = Object.entries(jsonOf(response))[0] ?? []
    return isThing(item) ? answer(200, wrap(item, key, request), headers) : response
  }

/** The text of successful responses to writes changes. */
export const writesSay =
  (change: (text: string) => string): Exchange =>
  async (request, next) =>
    isWrite(request) ? reworded(await next(), change) : next()

/** The resource in successful responses to writes changes, and nothing is executed where it contradicts the request. */
export const writesShow =
  (executes: boolean, change: (item: Thing, request: WireRequest) => unknown): Exchange =>
  async (request, next) => {
    if (!isWrite(request)) return next()
    const response = executes ? await next() : await pretended(request, next)
    return edited(response, (body) =>
      mapItems(body, (item) => (typeof item === 'object' ? change(item, request) : item)),
    )
  }

/** What the service shows of the resource of a write that it has not executed. */
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

/** Each item in successful responses changes, in lists and alone. */
export const itemsShow =
  (change: (item: Thing) => unknown): Exchange =>
  async (_, next) =>
    edited(await next(), (body) => mapItems(body, (item) => (isThing(item) ? change(item) : item)))

/** Each item in lists changes. */
export const listsShow =
  (change: (item: Thing) => unknown): Exchange =>
  async (request, next) =>
    isList(request) ? edited(await next(), (body) => mapItems(body, change)) : next()

function isThing(value: unknown): value is Thing {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a list asks for, which a service may answer with other bounds. */
export interface Asked {
  limit: number
  offset: number
}

/** Lists are read in other bounds, and their bodies change. */
export const lists =
  (
    bounds: (asked: Asked) => Asked,
    change: (body: any, key: string, asked: Asked) => unknown = (body) => body,
  ): Exchange =>
  async (request, next) => {
    if (!isList(request)) return next()
    const url = new URL(request.url)
    const asked = {
      limit: Number(url.searchParams.get('limit') ?? 30),
      offset: Number(url.searchParams.get('offset') ?? 0),
    }
    const given = bounds(asked)
    // Sessions are in pages only when asked, and stay so.
    if (given !== asked) {
      url.searchParams.set('limit', String(given.limit))
      url.searchParams.set('offset', String(given.offset))
    }
    return edited(await next({ ...request, url: url.href }), (body) => {
      const key = Object.keys(body).find((name) => Array.isArray(body[name])) ?? ''
      return change(body, key, asked)
    })
  }

export const asAsked = (asked: Asked) => asked

/** Lists show another total. */
export const total = (change: (real: number, page: number) => unknown): Exchange =>
  lists(asAsked, (body, key) =>
    body.paging
      ? { ...body, paging: { ...body.paging, total: change(body.paging.total, body[key].length) } }
      : body,
  )

/** Requests of one kind are answered so instead. */
export const instead =
  (which: (request: WireRequest) => boolean, response: (request: WireRequest) => WireResponse): Exchange =>
  async (request, next) =>
    which(request) ? response(request) : next()

/** Failures of the embedded service are worded differently. */
export const failures =
  (response: (given: WireResponse) => WireResponse): Exchange =>
  async (_, next) => {
    const given = await next()
    return given.status === 200 ? given : response(given)
  }

/** Bodies are sent in another encoding. */
export const encoded =
  (name: 'gzip' | 'br' | 'deflate'): Exchange =>
  async (_, next) => {
    const response = await next()
    const encode = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateRawSync }[name]
    return bytes(response, encode(response.body), { 'content-encoding': name })
  }

export const limitOf = ({ url }: WireRequest) => Number(new URL(url).searchParams.get('limit') ?? 0)
export { answer, isList }
