import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WireRequest, WireResponse } from '../../src/api/wire.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { testNow } from './host.ts'
import { withSchema } from './new-database.ts'

/** Example request and its expected response, with placeholders. */
export interface WireCase {
  name: string
  request: { method: string; path: string; headers?: Record<string, string>; body?: unknown }
  response: { status: number; body?: unknown }
}

export interface Fixture {
  /** Null for requests with a refused key. */
  operation: string | null
  cases: WireCase[]
}

const folder = join(import.meta.dirname, '../fixtures/wire')

const readFixture = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'))

export function loadFixtures(): Fixture[] {
  return readdirSync(folder)
    .filter((file) => file !== 'webhook.json')
    .map(readFixture)
}

/** Loads the webhook bodies (API specification, “Webhook”). */
export function loadWebhookEvents(): { name: string; body: unknown }[] {
  return readFixture('webhook.json').cases
}

/** Values of the placeholders in braces. */
export interface Names {
  room_id: string
  private_room_id: string
  member_id: string
  private_member_id: string
}

/** Replaces the placeholders of `Names`. Other braces are literal. */
export function fillCase(wireCase: WireCase, names: Names): WireCase {
  return JSON.parse(JSON.stringify(wireCase), (_, value) =>
    typeof value === 'string'
      ? value.replace(
          /\{(room_id|private_room_id|member_id|private_member_id)\}/g,
          (_, name: keyof Names) => names[name],
        )
      : value,
  )
}

const isString = (value: unknown) => typeof value === 'string'
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isUrl = (value: unknown) => typeof value === 'string' && URL.canParse(value)
const isTimestamp = (value: unknown) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(value) &&
  !Number.isNaN(Date.parse(value))
const orNull = (holds: (value: unknown) => boolean) => (value: unknown) => value === null || holds(value)

/** Accepted values of placeholders such as `<id>`, each with an example. */
const placeholders: Record<string, { holds(value: unknown): boolean; sample: unknown }> = {
  '<id>': { holds: isText, sample: '0123456789abcdef01234567' },
  '<string>': { holds: isString, sample: 'text' },
  '<string?>': { holds: orNull(isString), sample: 'text' },
  '<number>': { holds: Number.isFinite, sample: 1 },
  '<boolean>': { holds: (value) => typeof value === 'boolean', sample: true },
  '<url?>': { holds: orNull(isUrl), sample: 'https://example.com/a.png' },
  '<timestamp>': { holds: isTimestamp, sample: '2024-05-06T07:08:09.123Z' },
  '<timestamp?>': { holds: orNull(isTimestamp), sample: '2024-05-06T07:08:09.123Z' },
}

function placeholderOf(expected: unknown) {
  if (typeof expected !== 'string' || !/^<.*>$/.test(expected)) return undefined
  const placeholder = placeholders[expected]
  if (!placeholder) throw new Error(`no such placeholder: ${expected}`)
  return placeholder
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Lists the differences between a value and an expectation, one line each. Additional fields are accepted.
 */
function mismatches(actual: unknown, expected: unknown, path: string): string[] {
  const wrong = [`${path}: expected ${JSON.stringify(expected)}, received ${JSON.stringify(actual)}`]
  const placeholder = placeholderOf(expected)
  if (placeholder) return placeholder.holds(actual) ? [] : wrong
  if (isObject(expected) && '<each>' in expected) {
    if (!Array.isArray(actual) || actual.length < Number(expected['<min>'] ?? 0)) return wrong
    return actual.flatMap((item, i) => mismatches(item, expected['<each>'], `${path}[${i}]`))
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return wrong
    return expected.flatMap((item, i) => mismatches(actual[i], item, `${path}[${i}]`))
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return wrong
    return Object.entries(expected).flatMap(([key, value]) =>
      mismatches(actual[key], value, `${path}.${key}`),
    )
  }
  return Object.is(actual, expected) ? [] : wrong
}

export function expectMatch(actual: unknown, expected: unknown): void {
  expect(mismatches(actual, expected, '')).toEqual([])
}

/** Creates a value with every field that an expectation names. */
export function sampleOf(expected: unknown): unknown {
  const placeholder = placeholderOf(expected)
  if (placeholder) return placeholder.sample
  if (Array.isArray(expected)) return expected.map(sampleOf)
  if (!isObject(expected)) return expected
  if ('<each>' in expected)
    return Array.from({ length: Math.max(1, Number(expected['<min>'] ?? 0)) }, () =>
      sampleOf(expected['<each>']),
    )
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, sampleOf(value)]))
}

interface Thing {
  id: string
  [field: string]: unknown
}

/** Response body with some of these fields. */
export interface AnswerBody {
  room: Thing
  rooms: Thing[]
  member: Thing
  members: Thing[]
  user: Omit<Thing, 'id'>
  users: Thing[]
  sessions: Thing[]
  pages: Thing[]
  message: string
  paging: { limit: number; offset: number; total: number }
  error: { code: string; message: string }
}

export const localUrl = 'http://localhost/v1'

export const decodeBody = (answer: WireResponse): AnswerBody =>
  JSON.parse(new TextDecoder().decode(answer.body))

/**
 * Opens the embedded service, in memory or in a directory. The clock advances one second each time it is
 * read.
 */
export async function openTestWorkspace(dir?: string) {
  let time = testNow
  const workspace = await openWorkspace({
    dir,
    host: {
      now: () => {
        time += 1000
        return time
      },
      quietly: dir === undefined ? withSchema : (load) => load(),
    },
  })
  let isOpen = true
  const close = () => {
    if (isOpen) workspace.close()
    isOpen = false
  }
  onTestFinished(close)
  return {
    ...workspace,
    close,
    async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: AnswerBody }> {
      const answer = await workspace.service(wireRequest(localUrl, workspace.apiKey, { method, path, body }))
      return { status: answer.status, body: decodeBody(answer) }
    },
  }
}

export type TestWorkspace = Awaited<ReturnType<typeof openTestWorkspace>>

/** Creates a workspace in memory with the items that the fixtures refer to. */
export async function seedWorkspace(): Promise<{ workspace: TestWorkspace; names: Names }> {
  const workspace = await openTestWorkspace()
  const make = async (path: string, body: object) => {
    const answer = await workspace.send('POST', path, body)
    expect(answer.status).toBe(200)
    return answer.body
  }
  await make('/users', { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' })
  await make('/users', { user_id: 'grace' })
  const room_id = (await make('/rooms', { name: 'Weekly sync', type: 'open', layout: 'default' })).room.id
  const private_room_id = (await make('/rooms', { name: 'Board', type: 'private' })).room.id
  const invite = async (room: string) =>
    (await make(`/rooms/${room}/members`, { user_id: 'ada', type: 'guest' })).member.id
  return {
    workspace,
    names: {
      room_id,
      private_room_id,
      member_id: await invite(room_id),
      private_member_id: await invite(private_room_id),
    },
  }
}

/** Creates the request of a case, with the key unless the case has its own headers. */
export function wireRequest(
  baseUrl: string,
  apiKey: string,
  { method, path, headers, body }: WireCase['request'],
): WireRequest {
  return {
    method,
    url: baseUrl + path,
    headers: {
      ...(headers ?? { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

/**
 * Returns the expected body of a refusal by the embedded service. The API specification (“Errors”) defines no
 * error body.
 */
function refusalOf({ status }: WireCase['response'], operation: string | null) {
  const code = operation === null ? 'unauthorized' : status === 500 ? 'validation_exception' : '<string>'
  return { error: { code, message: '<string>' } }
}

export interface Connection {
  baseUrl: string
  exchange(request: WireRequest): Promise<WireResponse>
}

/** Declares a test for each case of each fixture, each with a new workspace. */
export function replayFixtures(connect: (workspace: TestWorkspace) => Promise<Connection>): void {
  for (const { operation, cases } of loadFixtures())
    describe(`for ${operation ?? 'authentication'}`, () => {
      for (const wireCase of cases)
        test(`the service responds to ${operation ?? 'a refused key'} as documented: ${wireCase.name}`, async () => {
          const { workspace, names } = await seedWorkspace()
          const { baseUrl, exchange } = await connect(workspace)
          const { request, response } = fillCase(wireCase, names)
          const answer = await exchange(wireRequest(baseUrl, workspace.apiKey, request))
          expectMatch(
            {
              status: answer.status,
              type: answer.headers['content-type']?.split(';')[0],
              body: decodeBody(answer),
            },
            {
              status: response.status,
              type: 'application/json',
              body: response.body ?? refusalOf(response, operation),
            },
          )
        })
    })
}
