import { TransportError } from '../../../../src/api/wire.ts'
import {
  answer,
  type Exchange,
  type FakeService,
  isWrite,
  service,
  writesAnswer,
  writesLost,
} from '../fake.ts'
import type { Proof } from '../proof.ts'

const text = { 'content-type': 'text/plain' }
const page = { 'content-type': 'text/html' }
const inHtml = (title: string) =>
  `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`

/** Failures with status 5xx, sent after the execution of a write or instead of the execution. */
const failures: readonly (readonly [
  name: string,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
])[] = [
  ['504 of nginx', 504, inHtml('504 Gateway Time-out'), page],
  ['503 of Envoy', 503, 'upstream connect error or disconnect/reset before headers. reset reason: x', text],
  ['520 of Cloudflare', 520, 'error code: 520', text],
  ['524 of Cloudflare', 524, inHtml('524: A timeout occurred'), page],
  ['530 of Cloudflare', 530, 'error code: 1016', text],
  ['504 of an API gateway', 504, { message: 'Endpoint request timed out' }],
  [
    '502 of Kong',
    502,
    { message: 'An invalid response was received from the upstream server', request_id: '1' },
  ],
  [
    '503 of Heroku',
    503,
    '<!DOCTYPE html><iframe src="//www.herokucdn.com/error-pages/application-error.html">',
    page,
  ],
  ['502 of Traefik', 502, 'Bad Gateway', text],
  [
    '504 of Spring',
    504,
    { timestamp: '2026-01-02T03:04:05.678+00:00', status: 504, error: 'Gateway Timeout' },
  ],
  ['500 in text', 500, 'Internal Server Error', text],
  ['500 with a list', 500, '[{"message":"deadlock detected"}]'],
  ['500 without a body', 500, ''],
  ['507', 507, { error: 'insufficient storage' }],
  ['529', 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
  ['598', 598, ''],
]

const losing = failures.flatMap(([name, status, body, headers]) => [
  service(`executes writes and responds with ${name}`, writesAnswer(true, status, body, headers), {
    answers: { delete: 'misses', other: 'loses' },
    isBusy: status === 503,
  }),
  service(`does not execute writes and responds with ${name}`, writesAnswer(false, status, body, headers), {
    answers: 'loses',
    isBusy: status === 503,
  }),
])

const lost = [true, false].map((executes) =>
  service(
    executes
      ? 'executes writes and closes the connection'
      : 'closes the connection before it executes writes',
    writesLost(executes),
    { answers: { delete: executes ? 'misses' : 'loses', other: 'loses' } },
  ),
)

/** Firewalls, captive portals and other services that execute no write. */
const refusing: readonly FakeService[] = (
  [
    ['responds with 403 and a firewall page to writes', 403, inHtml('Attention Required!'), page, 'denies'],
    ['responds with 405 and a CAPTCHA page to writes', 405, inHtml('Human Verification'), page, 'denies'],
    [
      'responds with 202 and a challenge to writes',
      202,
      '',
      { 'x-amzn-waf-action': 'challenge' },
      'acknowledges',
    ],
    ['responds with 503 and “Just a moment” to writes', 503, inHtml('Just a moment...'), page, 'loses'],
    ['responds with 511 of a captive portal to writes', 511, inHtml('Network Authentication'), page, 'loses'],
    ['redirects writes to a captive portal', 302, '', { location: 'http://portal.test/' }, 'denies'],
    ['responds with 423 to writes', 423, { error: 'locked' }, {}, 'denies'],
    ['responds with 428 to writes', 428, { title: 'Precondition Required' }, {}, 'denies'],
    ['responds with 451 to writes', 451, 'Unavailable For Legal Reasons', text, 'denies'],
  ] as const
).map(([name, status, body, headers, answers]) =>
  service(name, writesAnswer(false, status, body, headers), { answers }),
)

/** Refusals of executed writes, as after a retry by a gateway (409, 412, 422) or a lost connection (499). */
const denying: readonly FakeService[] = (
  [
    ['409', 409, { error: 'version conflict' }],
    ['412', 412, { error: 'the resource has changed' }],
    ['422', 422, { detail: 'already processed' }],
    ['499', 499, ''],
  ] as const
).map(([name, status, body]) =>
  service(`executes writes and responds with ${name}`, writesAnswer(true, status, body), {
    answers: 'denies',
  }),
)

/**
 * Creates a service that resets the connection of the first attempt of each write, after executing the write
 * if `executes` is true.
 */
function firstAttempt(name: string, executes: boolean, proof: Proof): FakeService {
  return {
    name,
    ...proof,
    make(): Exchange {
      const seen = new Set<string>()
      return async (request, next) => {
        const key = `${request.method} ${request.url} ${request.body}`
        if (!isWrite(request) || seen.has(key)) return next()
        seen.add(key)
        if (executes) await next()
        throw new TransportError('the connection was reset', true)
      }
    },
  }
}

const retried: readonly FakeService[] = [
  firstAttempt('executes writes and loses the first response to each write', true, {
    // Commands retry the creation of a user, because a repetition only overwrites the user. `api` does not.
    answers: { delete: 'misses', change: 'shows', user: ['shows', 'loses'], other: 'loses' },
  }),
  firstAttempt('loses the first attempt of each write', false, {
    answers: { delete: 'shows', change: 'shows', user: ['shows', 'loses'], other: 'loses' },
  }),
  {
    name: 'executes writes twice and sends the first response',
    make: () => async (request, next) => {
      if (!isWrite(request)) return next()
      const first = await next()
      await next()
      return first
    },
  },
  {
    name: 'executes writes twice and sends the second response',
    // The embedded service refuses a second deletion and a second redelivery.
    answers: { redelivery: 'denies', delete: ['denies', 'claims'] },
    make: () => async (request, next) => {
      if (isWrite(request)) await next()
      return next()
    },
  },
  {
    name: 'limits the rate of reads after writes',
    answers: 'acknowledges',
    make(): Exchange {
      let refusals = 0
      return async (request, next) => {
        if (isWrite(request)) {
          refusals = 1
          const done = await next()
          return done.status === 200 ? answer(202, { queued: 1 }) : done
        }
        return refusals-- > 0 ? answer(429, { error: 'slow down' }, { 'retry-after': '1' }) : next()
      }
    },
  },
]

export const gateways: readonly FakeService[] = [...losing, ...lost, ...refusing, ...denying, ...retried]
