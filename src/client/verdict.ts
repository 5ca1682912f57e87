import type { Endpoint } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { isScalar, readResponseValue } from '../api/json.ts'
import { type OtherId, readId } from '../api/named-item.ts'
import { parseBoolean, parseNumber } from '../api/readings.ts'
import { resources } from '../api/resources.ts'
import { toText } from '../api/to-text.ts'
import { compareFields, describeMatch, type FieldMatch, findOtherId, type Item } from './compare.ts'
import type { ParsedResponse } from './parsed-response.ts'
import type { AnyInput } from './request.ts'

export interface Remark {
  /** Subject of the remark. The command prints at most one remark of each subject in full. */
  about: string
  text: string
  /** True for fields that the service accepted but does not show. */
  isHidden?: boolean
}

/** Verdict on a write. `open`: a later read of the item may decide. `unknown`: later reads cannot decide. */
export type Verdict =
  | { is: 'done'; item?: Item; remarks: readonly Remark[] }
  | { is: 'refused' }
  | { is: 'not applied'; problem: string; createdId?: string | undefined }
  | { is: 'open'; problem: string; createdId?: string | undefined; possibleId?: string | undefined }
  | { is: 'unknown'; problem: string; createdId?: string | undefined }

/** Item before the write: null if it did not exist, undefined if unknown. */
export type Before = Item | null | undefined

const done = { is: 'done', remarks: [] } as const

/** Judges a write by its 2xx response. The status alone is proof only for an item that cannot be read. */
export function judgeResponse(
  endpoint: Endpoint | undefined,
  input: AnyInput,
  received: ParsedResponse,
  before: Before,
): Verdict {
  const body = isRecord(received.value) ? (readResponseValue(received) as Item) : undefined
  const problem = received.problem ?? 'it is not an object'
  const isRefused = body !== undefined && reportsError(body)
  if (!endpoint?.readBack) return judgeEvent(endpoint, input, body, received.isEmpty, problem)
  const item = body && findItem(endpoint, input, body)
  if (!item)
    return isRefused
      ? { is: 'refused' }
      : openOrUnknown(endpoint, body ? `it does not show the ${endpoint.resource}` : problem, body)
  const createdId = isIdAssigned(endpoint) ? readId(item['id']) : undefined
  const otherId = findOtherId(endpoint, input, item)
  if (otherId) return judgeOtherId(otherId) ?? openOrUnknown(endpoint, describeOtherId(otherId))
  if (!isRefused && isExactly(item, input.body)) return { is: 'done', item, remarks: [] }
  const fields = compareFields(endpoint, input.body, item)
  const others = fields.filter(({ match }) => match === 'other')
  const isOtherItem = others.some(({ field }) => field === 'name' || field === 'type')
  if (endpoint.readBack === 'getRoom' && createdId !== undefined && isOtherItem)
    return { is: 'unknown', problem: others.map(describeMatch).join(', '), createdId }
  if (isRefused) return { is: 'open', problem: 'it reports an error', createdId }
  const doubtful = fields.filter((field) => isDoubtful(field, endpoint, before))
  if (doubtful.length > 0) return { is: 'open', problem: doubtful.map(describeDoubt).join(', '), createdId }
  return { is: 'done', item, remarks: listRemarks(fields) }
}

/** Check for requests of texts and numbers, because `compareFields` takes a tenth of the time of a write. */
function isExactly(item: Item, sent: unknown): boolean {
  if (!isRecord(sent)) return true
  for (const field in sent) {
    const value = sent[field]
    if ((typeof value !== 'string' && typeof value !== 'number') || item[field] !== value) return false
  }
  return true
}

export function judgeRead(
  endpoint: Endpoint,
  input: AnyInput,
  item: Item | undefined,
  before: Before,
): Verdict | { is: 'old'; problem: string } {
  const noun = endpoint.resource
  if (endpoint.method === 'DELETE') return item ? { is: 'old', problem: `the ${noun} still exists` } : done
  if (!item) return { is: 'old', problem: `there is no such ${noun}` }
  const otherId = findOtherId(endpoint, input, item)
  const isOther = otherId && judgeOtherId(otherId)
  if (isOther) return isOther
  const fields = compareFields(endpoint, input.body, item)
  const others = fields.filter(({ match }) => match === 'other')
  const doubtful = fields.filter((field) => field.match === 'similar' && isDoubtful(field, endpoint, before))
  const shown = fields.filter(({ match }) => match === 'same' || match === 'equal' || match === 'similar')
  const problem = [...others, ...doubtful].map(describeMatch).join(', ')
  if (others.length === 0 && doubtful.length === 0) {
    const hidden = fields.filter(
      ({ match }) => match === 'hidden' || (shown.length === 0 && match === 'unlisted'),
    )
    if (hidden.length === 0) return { is: 'done', item, remarks: listRemarks(fields) }
    const names = hidden.map(({ field }) => field).join(', ')
    return { is: 'unknown', problem: `the ${noun} does not show ${names}` }
  }
  const applied = shown.filter(
    (field) => !doubtful.includes(field) && wasOther(field, field.sent, before) !== false,
  )
  const isThird = (field: FieldMatch) => wasOther(field, field.received, before) === true
  if (others.length > 0 && (applied.length > 0 || before === null || others.some(isThird))) {
    const names = applied.map(({ field }) => field).join(', ')
    return { is: 'not applied', problem: `${problem}${names && `; applied: ${names}`}` }
  }
  return { is: 'old', problem }
}

/** Returns true if the field had a value other than `value` before; undefined if unknown. */
function wasOther({ shownAs }: FieldMatch, value: unknown, before: Before): boolean | undefined {
  if (!before || !Object.hasOwn(before, shownAs)) return undefined
  return toText(before[shownAs]) !== toText(value)
}

/** Judges a write whose item cannot be read. */
function judgeEvent(
  endpoint: Endpoint | undefined,
  { body: sent }: AnyInput,
  body: Item | undefined,
  isEmpty: boolean,
  problem: string,
): Verdict {
  if (!body) return isEmpty ? done : { is: 'unknown', problem }
  const shown = endpoint && body[endpoint.result]
  if (reportsError(body)) {
    // In a response with an error, “message” usually describes the error.
    const isShown = endpoint?.bare ? isRecord(sent) && sent[endpoint.result] === shown : isRecord(shown)
    return isShown ? { is: 'unknown', problem: 'it reports an error' } : { is: 'refused' }
  }
  if (Array.isArray(sent) && Array.isArray(shown)) {
    const count = shown.filter(isRecord).length
    if (count < sent.length)
      return { is: 'unknown', problem: `it shows ${count} of ${sent.length} ${endpoint?.result}` }
  }
  return done
}

const isIdAssigned = ({ method, repeatable }: Endpoint) => method === 'POST' && !repeatable

function findItem(endpoint: Endpoint, input: AnyInput, body: Item): Item | undefined {
  const { result } = endpoint
  const data = isRecord(body['data']) ? body['data'] : {}
  const named = [body[result], data[result]].find(isRecord)
  return named ?? [data, body].find((item) => isItem(endpoint, input, item))
}

function isItem(endpoint: Endpoint, input: AnyInput, item: Item): boolean {
  if (findOtherId(endpoint, input, item)) return false
  return !isIdAssigned(endpoint) || Object.hasOwn(item, resources[endpoint.resource].label ?? 'id')
}

/** Returns null if the response contains null instead of the item. */
export function findReadItem(endpoint: Endpoint, input: AnyInput, value: unknown): Item | null | undefined {
  if (value === null) return null
  if (!isRecord(value)) return undefined
  if (value[endpoint.result] === null || (value['data'] === null && !Object.hasOwn(value, endpoint.result)))
    return null
  return findItem(endpoint, input, value)
}

/** Returns true if a 2xx response reports an error. Many services always send an empty `error`. */
export function reportsError(body: Item): boolean {
  const { ok, success, error, errors, status, statusCode } = body
  if (parseBoolean(ok) === false || parseBoolean(success) === false) return true
  const isFailure = typeof status === 'string' && status.trim().toLowerCase() === 'error'
  return isFailure || isErrorStatus(statusCode) || isError(error) || isError(errors)
}

function isErrorStatus(value: unknown): boolean {
  const status = parseNumber(value)
  return typeof status === 'number' && status >= 400 && status < 600
}

function isError(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isError)
  if (isRecord(value) && !isScalar(value)) return Object.values(value).some(isError)
  if (typeof value === 'string' && value.trim() === '') return false
  return value !== undefined && value !== null && parseBoolean(value) !== false
}

function isDoubtful(field: FieldMatch, endpoint: Endpoint, before: Before): boolean {
  const { match, received } = field
  if (match === 'other' || match === 'hidden') return true
  if (match !== 'similar' || endpoint.method === 'POST') return false
  return wasOther(field, received, before) !== true
}

function describeDoubt(field: FieldMatch): string {
  return field.match === 'hidden' ? `it does not show ${field.field}` : describeMatch(field)
}

function listRemarks(fields: readonly FieldMatch[]): Remark[] {
  const respelled = fields.filter(({ match }) => match === 'equal' || match === 'similar')
  // The members of a new room are separate items, so the room need not show them.
  const hidden = fields.filter(({ match, sent }) => match === 'unlisted' && !Array.isArray(sent))
  const names = hidden.map(({ field }) => field).join(', ')
  const remarks: Remark[] = respelled.map((match) => ({
    about: match.field,
    text: `the service returns a different spelling: ${describeMatch(match)}`,
  }))
  if (names === '') return remarks
  const text = `the service accepted ${names}, but does not show ${hidden.length > 1 ? 'them' : 'it'}`
  return [...remarks, { about: 'hidden fields', text, isHidden: true }]
}

function judgeOtherId({ field, named, received }: OtherId): Verdict | undefined {
  const id = readId(received)
  if (id === undefined || id.toLowerCase() !== named.toLowerCase()) return undefined
  return { is: 'not applied', problem: describeOtherId({ field, named, received }) }
}

function describeOtherId({ field, named, received }: OtherId): string {
  const id = readId(received)
  if (id === undefined) return `it does not show ${field}`
  return describeMatch({ field, sent: named, received: id, isListed: true })
}

/** Returns `unknown` for a new room without an ID, because the room cannot be read. */
function openOrUnknown(endpoint: Endpoint, problem: string, body?: Item): Verdict {
  if (endpoint.readBack !== 'getRoom' || !isIdAssigned(endpoint)) return { is: 'open', problem }
  const possibleId = readId(Object(body?.['data']).id) ?? readId(body?.['id'])
  return possibleId === undefined ? { is: 'unknown', problem } : { is: 'open', problem, possibleId }
}
