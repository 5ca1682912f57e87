import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { WireRequest, WireResponse } from '../../src/api/wire.ts'
import { allCalls, filesOf, prepare, stays } from '../helpers/calls.ts'
import { type KeyShape, keyShapes, spellings, tracesOf } from '../helpers/canary.ts'
import { journalOf } from '../helpers/imports.ts'
import { answer, type Run } from '../helpers/world.ts'
import { counted, full } from './size.ts'

// Each case runs a command with a new key, which most faults repeat. Afterwards, only the settings, the
// authorization header and the unchanged output for programs may contain the key.

const { add } = counted('canary')

const echo = (key: string) => spellings.map((spell) => spell(key)).join(' ')

/** Returns texts in which a limit of 200, 2,000, 4,096 or 10,000 characters cuts the key. */
const cutWithin = (key: string) =>
  [200, 2000, 4096, 10_000].map((at) => `${'w '.repeat((at >> 1) - 4 - (key.length >> 2))}${key}`)

type Fault = (key: string, request: WireRequest, next: () => Promise<WireResponse>) => Promise<WireResponse>

const refused =
  (
    status: number,
    body: (key: string) => unknown,
    headers: (key: string) => Record<string, string> = () => ({}),
  ): Fault =>
  async (key) =>
    answer(status, body(key.trim()), headers(key.trim()))

const inJson = (key: string) => ({ error: { code: key, message: echo(key) }, [key]: [{ [key]: echo(key) }] })
const inHtml = (key: string) => `<html><title>${key} ${echo(key)}</title><body>${key}</body>`
const asHtml = () => ({ 'content-type': 'text/html' })

const faults: Record<string, Fault> = {
  nothing: (_, __, next) => next(),
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 422, 429, 500, 502, 503].map((status) => [
      `${status} in JSON`,
      refused(status, inJson),
    ]),
  ),
  'a problem of RFC 9457': refused(400, (key) => ({ title: key, detail: echo(key), instance: `/${key}` })),
  'a list of errors': refused(500, (key) => ({ errors: [{ [key]: echo(key) }, key] })),
  'errors by field': refused(400, (key) => ({ errors: { [key]: [echo(key)] } })),
  'JSON that says nothing': refused(400, (key) => ({ a: { b: [key, echo(key)] } })),
  'a page': refused(502, inHtml, asHtml),
  'a page with tags in it': refused(400, (key) => `<p class="${key}">${echo(key)}</p>`, asHtml),
  'plain text': refused(500, echo, () => ({ 'content-type': 'text/plain' })),
  'text cut off': refused(500, (key) => cutWithin(key)[2], asHtml),
  'a page cut off': refused(500, (key) => cutWithin(key)[3], asHtml),
  'words cut off': refused(400, (key) => ({ message: cutWithin(key)[1] })),
  'unnamed words cut off': refused(400, (key) => ({ a: cutWithin(key)[0] })),
  'a redirect': refused(
    302,
    () => '',
    (key) => ({ location: `https://x.test/?key=${key}&${echo(key)}` }),
  ),
  'a time to wait': refused(429, inJson, (key) => ({ 'retry-after': key })),
  headers: refused(500, inJson, (key) => ({ 'x-key': key, 'content-type': `text/${key}` })),
  'success, as a page': refused(200, inHtml, asHtml),
  'success, of an unusual type': refused(200, inHtml, (key) => ({ 'content-type': key })),
  'success without a result': refused(200, inJson),
  'success with the wrong shape': refused(200, (key) => ({
    rooms: key,
    room: [key],
    users: { [key]: key },
    message: key,
  })),
  'success cut off': refused(200, (key) => `{"rooms":[{"id":"${key}`),
  fields: async (key, _, next) => withKey(await next(), key.trim()),
  'a crash': async (key) => {
    throw Object.assign(new TypeError(`Headers: Bearer ${key}`), {
      code: key,
      stack: `TypeError: ${key}\n at ${echo(key)}`,
    })
  },
}

/** Inserts the key into a response, but keeps IDs, which later requests may contain. */
function withKey(given: WireResponse, key: string): WireResponse {
  const change = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((item) => change(item))
    if (typeof value === 'object' && value !== null)
      return {
        ...Object.fromEntries(Object.entries(value).map(([field, held]) => [field, change(held, field)])),
        [`${key}_at`]: key,
      }
    return /(^|_)id$/.test(name) || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : echo(key)
  }
  return answer(given.status, change(JSON.parse(new TextDecoder().decode(given.body))))
}

interface Output {
  flags: string
  tty: boolean
}

/** Returns true for output that may contain the key, because programs receive values unchanged. */
const isForPrograms = (call: string, fault: string, { flags, tty }: Output) =>
  !tty && (flags !== '' || /^api| export/.test(call)) && /^(fields|success)/.test(fault)

const outputs: readonly Output[] = [
  { flags: '--verbose', tty: true },
  { flags: '', tty: false },
  { flags: '--json --verbose', tty: true },
  { flags: '--json', tty: false },
  { flags: '-o ndjson', tty: true },
  { flags: '-o csv', tty: false },
  { flags: '-o ids', tty: true },
]

const calls = await allCalls()
const names = Object.keys(faults)
const shapes = Object.keys(keyShapes) as KeyShape[]

const completed = (call: string) => `${call}${/ import /.test(call) ? ' --failed-out failed.csv' : ''} --yes`

async function start(call: string) {
  const { world, argvOf } = await prepare()
  const settings = filesOf(world.configDir)['config.json'] ?? ''

  async function run(key: string, name: string, output: Output, stored: boolean) {
    const audit = join(world.dir, 'audit.ndjson')
    const [kind = ''] = call.split(' ')
    for (const file of [audit, join(world.dir, journalOf(`${kind}.csv`, kind))]) rmSync(file, { force: true })
    world.requests.length = 0
    const ours = stored ? settings.replaceAll(world.apiKey, json(key.trim())) : settings
    writeFileSync(join(world.configDir, 'config.json'), ours)
    world.intercept = async (request, next) => {
      const headers = { ...request.headers, authorization: `Bearer ${world.apiKey}` }
      return faults[name]?.(key, request, () => next({ ...request, headers })) ?? next()
    }
    const { host, done } = world.start(argvOf(`${completed(call)} ${output.flags}`.trim()), {
      tty: output.tty,
      env: {
        MEETROOM_AUDIT_LOG: audit,
        ...(stored
          ? { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
          : { MEETROOM_API_KEY: key }),
      },
      ...(call.startsWith('auth login') ? { stdin: key } : {}),
    })
    if (stays.test(call)) setTimeout(() => host.signal('SIGINT'), 20).unref()
    const ended = await done
    return {
      ...ended,
      sent: world.requests.length,
      left: leftOf(key, ended, isForPrograms(call, name, output)),
    }
  }

  function leftOf(key: string, { stdout, stderr }: Run, isResult: boolean): string[] {
    const find = tracesOf(key)
    const log = world.requests.map(({ method, url, headers: { authorization, ...headers }, body }) =>
      JSON.stringify({ method, url, headers, body }),
    )
    const places = {
      ...filesOf(world.dir),
      ...(isResult ? {} : { stdout }),
      stderr,
      'the log of the service': log.join('\n'),
    }
    return Object.entries(places).flatMap(([place, text]) => {
      // In the settings, only `api_key` may contain the key.
      const isSettings = place === 'config/config.json'
      const searched = isSettings ? text.replace(/"api_key": ?"(?:[^"\\]|\\.)*"/g, '') : text
      return find(`${place} ${searched}`).map((trace) => `${trace} in ${place}`)
    })
  }
  return run
}

const json = (text: string) => JSON.stringify(text).slice(1, -1)

/** Names of faults after which a command printed a redacted key. */
const shown = new Set<string>()

describe.each(calls.map((call, i) => ({ call, i })))('$call redacts the key', ({ call, i }) => {
  test(`${call} redacts the key in the responses of the service`, async () => {
    const run = await start(call)
    for (const [j, name] of names.entries()) {
      const cases = full ? shapes.length : isQuick(call, i, j) ? 1 : 0
      for (let k = 0; k < cases; k++) {
        const shape = (j === 0 && !full ? 'usual' : shapes[(((i + j) >> 2) + k) % shapes.length]) as KeyShape
        const output = outputs[(i + j + k) % outputs.length] as Output
        const { left, sent, stdout, stderr, code } = await run(
          keyShapes[shape](),
          name,
          output,
          (j + k) % 2 === 1,
        )
        if (`${stdout}${stderr}`.includes('[API key]')) shown.add(name)
        if (left.length > 0) expect({ name, shape, output, code, stdout, stderr, left }).toEqual({ left: [] })
        add('runs in process')
        // A command without requests prints no response.
        if (!full && j === 0 && sent === 0) return
      }
    }
  })
})

/** Returns true if a quick run includes the case. Imports have more such cases, because they write files. */
function isQuick(call: string, i: number, j: number): boolean {
  return j === 0 || (i + j) % (/ import /.test(call) ? 12 : 24) === 0
}

test('commands redact the key in each kind of response that they print', () => {
  const silent = [
    'nothing',
    'success, of an unusual type',
    'success without a result',
    'success cut off',
    'a page cut off',
  ]
  expect(names.filter((name) => !shown.has(name) && !silent.includes(name))).toEqual([])
})
