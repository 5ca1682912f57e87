import { gzipSync } from 'node:zlib'
import {
  busy,
  type Command,
  type End,
  type Expected,
  ended,
  endedByCut,
  gaveUp,
  lost,
  perhapsActed,
  perhapsBusy,
  split,
  stoppedWaiting,
  throttled,
} from '../expected.ts'
import { type Fault, good, key } from '../fault.ts'
import { answer, end, repeat, request, reset, send } from '../script.ts'

const json = '{"message":"no"}'
const html = '<!doctype html><html><head><title>No</title></head><body><h1>No</h1></body></html>'
const asHtml = { 'content-type': 'text/html' }
const closing = { connection: 'close' }

const refused = '400 402 406 407 409 411 412 413 414 415 416 417 418 421 422 423 424 425 426 428 431 451'
const numbers = (text: string) => text.split(' ').map(Number)

const but = (expected: Expected, others: Partial<Record<Command, End>>): Expected => ({
  ...expected,
  ...others,
})
const once = (code: number, requests = 1): End => ({ code, requests, connections: 'kept' })

function both(status: number, expect: Expected, more: Partial<Fault> = {}, asPage = expect): Fault[] {
  return [
    { name: `responds with ${status} and JSON`, does: [request, answer(status, json)], expect, ...more },
    {
      name: `responds with ${status} and a page of HTML`,
      does: [request, answer(status, html, asHtml)],
      expect: asPage,
      ...more,
    },
  ]
}

/** The second request, if expected, is a probe. */
const refusals: readonly Fault[] = [
  ...numbers(refused)
    .filter((status) => status !== 400)
    .flatMap((status) => both(status, ended(1), { says: 'the service refuses the request' })),
  ...both(408, stoppedWaiting, { says: '408' }),
  ...both(401, ended(4), { says: 'the service refuses the API key' }),
  ...both(403, ended(4, 2), { says: 'the service refuses the API key' }),
  ...both(400, ended(4, 2), { says: 'the service refuses the API key' }),
  ...both(404, ended(6, 2), { says: 'does not respond as a Meeting Room Service' }),
  ...both(405, ended(6, 2), { says: 'does not respond as a Meeting Room Service' }),
  ...both(410, ended(3, 2), {}, ended(6, 2)),
  // For a request with only an ID, a 400 without an error code means that the item is missing.
  ...knowing(both(400, but(ended(1, 2), { get: once(3, 2), delete: once(3, 2) }))),
  ...knowing(both(403, ended(1, 2), { says: 'the service refuses the request' })),
  ...knowing(both(404, ended(3, 2), { says: /no such room|does not know/ })),
  ...knowing(both(405, ended(1, 2), { says: 'the service refuses the request' })),
  ...knowing(both(410, ended(3, 2), { says: /no such room|does not know/ })),
  {
    name: 'responds with 400 and the code not_found',
    does: [request, answer(400, '{"error":{"code":"not_found"}}')],
    expect: ended(6, 2),
  },
  ...knowing([
    {
      name: 'responds with 400 and the code not_found',
      does: [request, answer(400, '{"error":{"code":"not_found"}}')],
      expect: ended(3, 2),
    },
    {
      name: 'responds with 400 and the code unknown_operation',
      does: [request, answer(400, '{"error":{"code":"unknown_operation"}}')],
      expect: ended(1, 2),
    },
  ]),
  {
    name: 'responds with 400 and the code unauthorized',
    does: [request, answer(400, '{"error":{"code":"unauthorized"}}')],
    expect: ended(4),
  },
]

function knowing(faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({
    ...fault,
    name: `${fault.name}, and accepts the key in a probe`,
    knowsKey: true,
  }))
}

const retryAfters: readonly (readonly [text: string, waits: boolean, busy: Expected])[] = [
  ['0', true, perhapsBusy],
  ['1', true, busy],
  ['-5', true, perhapsBusy],
  ['1.5', true, perhapsBusy],
  ['soon', true, perhapsBusy],
  ['', true, perhapsBusy],
  ['0x10', true, perhapsBusy],
  ['Thu, 01 Jan 1970 00:00:00 GMT', true, perhapsBusy],
  ['Fri, 01 Jan 2100 00:00:00 GMT', false, ended(6)],
  ['86401', false, ended(6)],
  ['99999999999', false, ended(6)],
  ['9'.repeat(400), false, ended(6)],
]

const failures: readonly Fault[] = [
  ...both(429, throttled, { says: 'the service refuses the request (429)' }),
  ...both(503, perhapsBusy, { says: 'the service failed (503)' }),
  ...[502, 504, 520, 522, 524].flatMap((status) =>
    both(status, gaveUp, { says: `the service failed (${status})` }),
  ),
  ...both(500, ended(1), {}, perhapsActed),
  ...numbers('501 505 506 507 508 510 511 521 523 525 526 530 599').flatMap((status) =>
    both(status, perhapsActed, { says: `the service failed (${status})` }),
  ),
  ...retryAfters.flatMap(([text, waits, when503]): Fault[] => {
    const shown = text.length > 40 ? 'a number of 400 digits' : `“${text}”`
    const headers = { 'retry-after': text }
    return [
      {
        name: `responds with 429 and Retry-After ${shown}`,
        does: [request, answer(429, json, headers)],
        expect: waits ? throttled : ended(1),
      },
      {
        name: `responds with 503 and Retry-After ${shown}`,
        does: [request, answer(503, json, headers)],
        expect: when503,
      },
    ]
  }),
  { name: 'responds with 500 and nothing', does: [request, answer(500)], expect: perhapsActed },
  {
    name: 'responds with 500 and JSON nested 100,000 deep',
    does: [request, answer(500, '['.repeat(1e5) + ']'.repeat(1e5))],
    expect: perhapsActed,
  },
  {
    name: 'responds with 500 and half of its body',
    does: [request, send('HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\n{'), end],
    expect: lost,
  },
]

/** Unsuccessful responses with unusual contents. */
const words: readonly Fault[] = [
  {
    name: 'responds with 403 and quotes the key',
    does: [request, answer(403, JSON.stringify({ message: `Bearer ${key} is wrong` }))],
    expect: ended(4, 2),
    says: 'Bearer [API key] is wrong',
  },
  {
    name: 'responds with 422 and a page that quotes the key',
    does: [request, answer(422, `<title>${key}</title>`, asHtml)],
    expect: ended(1),
    says: '[API key]',
  },
  {
    name: 'responds with 422 and the key in a header',
    does: [request, answer(422, json, { 'x-key': key, 'retry-after': key })],
    expect: ended(1),
  },
  {
    name: 'responds with 302 to a URL with the key',
    does: [request, answer(302, '', { location: `http://elsewhere.test/?key=${key}` })],
    expect: ended(6),
    says: 'http://elsewhere.test/?key=[API key]',
  },
  {
    name: 'responds with 422 and several lines',
    does: [request, answer(422, '{"message":"a\\nb\\r\\nerror: c\\u2028d"}')],
    expect: ended(1),
  },
  {
    name: 'responds with 422 and escape sequences',
    does: [request, answer(422, '{"message":"\\u001b]52;c;eA==\\u0007\\u009b2J"}')],
    expect: ended(1),
  },
  {
    name: 'responds with 422 and a message of 5 MB',
    does: [request, answer(422, JSON.stringify({ message: 'x'.repeat(5e6) }))],
    expect: ended(1),
  },
  {
    name: 'responds with 422 and 100 MB',
    does: [
      request,
      send(`HTTP/1.1 422 No\r\ncontent-length: ${100 * 2 ** 20}\r\n\r\n`),
      repeat(' '.repeat(2 ** 16), 1600),
    ],
    expect: endedByCut(1),
  },
  {
    name: 'responds with 422 and damaged compression',
    does: [request, answer(422, gzipSync(json).subarray(5), { 'content-encoding': 'gzip' })],
    expect: ended(1),
  },
]

const places: readonly (readonly [name: string, location: string | undefined])[] = [
  ['itself', '/v1/rooms'],
  ['another origin', 'https://elsewhere.test/v1/rooms'],
  ['another path over http', 'http://127.0.0.1:1/v1/rooms'],
  ['a file', 'file:///etc/passwd'],
  ['something that is not a URL', 'http://'],
  ['nowhere', undefined],
]

const redirects: readonly Fault[] = [
  ...places.map(
    ([where, location]): Fault => ({
      name: `responds with 302 and points to ${where}`,
      does: [request, answer(302, '', location === undefined ? {} : { location })],
      expect: ended(6),
      says: 'redirects are not followed',
    }),
  ),
  ...[301, 307, 308].map(
    (status): Fault => ({
      name: `responds with ${status} and points to itself`,
      does: [request, answer(status, '', { location: '/v1/rooms' })],
      expect: ended(6),
      says: 'redirects are not followed',
    }),
  ),
  {
    name: 'responds with 303 and points to itself',
    does: [request, answer(303, '', { location: '/v1/rooms' })],
    expect: perhapsActed,
    says: 'redirect',
  },
  { name: 'responds with 300', does: [request, answer(300, '')], expect: ended(6) },
  { name: 'responds with 304', does: [request, answer(304, '')], expect: ended(6) },
]

const breaks = [request, reset]
const twice = (code: number, requests = 2, connections: End['connections'] = requests): End => ({
  code,
  requests,
  connections,
})
const sequences: readonly Fault[] = [
  {
    name: 'resets the connection once',
    first: breaks,
    does: [request, answer(200, good)],
    expect: split(twice(0), twice(0), once(7)),
  },
  {
    name: 'resets the connection once, and then does not find the room',
    first: breaks,
    does: [request, answer(400, '{"error":{"code":"not_found"}}')],
    // This command or another client may have deleted the room.
    expect: split(twice(6, 3, 'kept'), twice(7), once(7)),
  },
  {
    name: 'resets the connection once, and then responds with 503',
    first: breaks,
    does: [request, answer(503, json)],
    expect: split(twice(6, 3, 'kept'), twice(7, 3, 'kept'), once(7)),
  },
  {
    name: 'resets the connection once, and then refuses the request',
    first: breaks,
    does: [request, answer(422, json)],
    expect: split(twice(1), twice(7), once(7)),
  },
  {
    name: 'responds with 502 once, and then does not find the room',
    first: [request, answer(502, html, closing), end],
    does: [request, answer(400, '{"error":{"code":"not_found"}}')],
    expect: split(twice(6, 3, 'kept'), twice(7), once(7)),
  },
  {
    name: 'responds with 503 once',
    first: [request, answer(503, json, closing), end],
    does: [request, answer(200, good)],
    expect: split(twice(0), twice(0), once(7)),
  },
  {
    name: 'responds with 503 and Retry-After once',
    first: [request, answer(503, json, { ...closing, 'retry-after': '1' }), end],
    does: [request, answer(200, good)],
    expect: split(twice(0), twice(0), twice(0)),
  },
  {
    name: 'responds with 429 once',
    first: [request, answer(429, json, closing), end],
    does: [request, answer(200, good)],
    expect: split(twice(0), twice(0), twice(0)),
  },
  {
    name: 'responds with 429 once, and then resets the connection',
    first: [request, answer(429, json, closing), end],
    does: breaks,
    expect: split(twice(5, 3), twice(7, 3), twice(7)),
  },
]

export const statuses: readonly Fault[] = [...refusals, ...failures, ...words, ...redirects, ...sequences]
