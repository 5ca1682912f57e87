import type { Endpoint } from '../api/endpoints.ts'
import { idField, isId, isRecord } from '../api/guards.ts'
import { isScalar } from '../api/json.ts'
import { parseBoolean, parseTimestamp } from '../api/readings.ts'
import type { Field, Fields } from '../api/resource.ts'
import { resources } from '../api/resources.ts'
import { textOf } from '../api/text-of.ts'
import { deprecated } from '../api/vocabulary.ts'
import type { AnyInput } from './request.ts'

/** A field that a response carries with another value than the request. */
export interface Change {
  /** Its name, with its place in the item: `entities[0].src`. */
  field: string
  sent: unknown
  received: unknown
  /** Whether `resources.ts` lists the field. The value of any other field may be a secret. */
  isListed: boolean
}

/** How an item in the response to a write differs from the request. */
export interface Differences {
  /** Differences in states and identities, in words. */
  contradictions: string[]
  /** Differences in texts and numbers, which services trim, encode and round. */
  changes: Change[]
}

type Item = Readonly<Record<string, unknown>>

/** Compares an item in the response to a write with the request. A field that is absent or unreadable does not differ. */
export function differencesOf(endpoint: Endpoint, { params = {}, body }: AnyInput, item: Item): Differences {
  const { resource, many } = endpoint
  const { fields }: { fields: Fields } = resources[resource]
  const found: Differences = { contradictions: [], changes: [] }
  for (const [param, id] of many ? [] : Object.entries(params)) {
    const field = endpoint.path.endsWith(`{${param}}`) ? idField(endpoint) : param
    if (fields[field]?.type === 'id') compareIds(field, id, item[field], found)
  }
  if (!isRecord(body)) return found
  if (resource !== 'room') compareFields(fields, body, item, '', found)
  else {
    const { is_terminated, ...settings } = body
    compareTermination(parseBoolean(is_terminated) ?? undefined, item, found)
    compareFields(fields, settings, item, '', found)
  }
  return found
}

/** `is_terminated` is deprecated in responses (section 2.1): `terminated_at` decides where it is readable. */
function compareTermination(sent: boolean | undefined, item: Item, found: Differences): void {
  const { terminated_at, is_terminated } = item
  const told = parseBoolean(is_terminated)
  const ended = Object.hasOwn(item, 'terminated_at') ? isTime(terminated_at) : undefined
  if (sent === undefined) return
  if (sent && ended === false)
    found.contradictions.push(`terminated_at is ${quoted(terminated_at)}, not a time`)
  else if (told === !sent && ended === undefined)
    found.contradictions.push(contradiction('is_terminated', is_terminated, sent))
  else if (!sent && ended) {
    if (told) found.contradictions.push(contradiction('is_terminated', is_terminated, sent))
    // Some services keep the time of the last termination of a room that is open again.
    else if (told !== false)
      found.changes.push({ field: 'terminated_at', sent: null, received: terminated_at, isListed: true })
  }
}

/** Whether a value is a time; undefined when it is unreadable. */
function isTime(value: unknown): boolean | undefined {
  const time = parseTimestamp(value)
  // A small number may be a flag.
  const isUnclear = time === undefined || (time === null && typeof value === 'number' && value > 0)
  return isUnclear ? undefined : time !== null
}

function compareFields(fields: Fields, sent: Item, item: Item, path: string, found: Differences): void {
  for (const [name, value] of Object.entries(sent)) {
    if (value === undefined || !Object.hasOwn(item, name) || item[name] === deprecated) continue
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const change = { field: path + name, sent: value, received: item[name], isListed: field !== undefined }
    compareField(field, change, found)
  }
}

function compareField(field: Field | undefined, change: Change, found: Differences): void {
  const { field: name, sent, received } = change
  const type = field?.type ?? typeof sent
  if (field?.answer === 'never' || type === 'time') return
  if (type === 'boolean') compareStates(change, parseBoolean, found)
  else if (Array.isArray(type)) compareStates(change, choiceOf, found)
  else if (type === 'id' && field?.write) compareIds(name, sent, received, found)
  else if (typeof type === 'object' && 'object' in type) {
    if (isRecord(sent) && isRecord(received)) compareFields(type.object, sent, received, `${name}.`, found)
  } else if (typeof type === 'object' && 'list' in type) compareLists(type.list, change, found)
  else if (isScalar(sent) && isScalar(received) && !isSame(sent, received)) found.changes.push(change)
}

/** Some services send the few values of a field in capitals. */
function choiceOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined
}

/** @param read gives null or undefined for a value without meaning */
function compareStates(
  { field, sent, received }: Change,
  read: (value: unknown) => string | boolean | null | undefined,
  { contradictions }: Differences,
): void {
  const [wanted, told] = [read(sent) ?? undefined, read(received) ?? undefined]
  if (wanted !== undefined && told !== undefined && wanted !== told)
    contradictions.push(contradiction(field, received, sent))
}

function compareIds(field: string, sent: unknown, received: unknown, { contradictions }: Differences): void {
  // A number with more digits than a double holds is an object here.
  const isReadable = isId(received) || (isScalar(received) && /^\d+$/.test(textOf(received)))
  if (isReadable && textOf(received) !== textOf(sent))
    contradictions.push(contradiction(field, received, sent))
}

function compareLists(fields: Fields, { field, sent, received }: Change, found: Differences): void {
  if (!Array.isArray(sent) || !Array.isArray(received) || sent.length !== received.length) return
  for (const [i, one] of sent.entries())
    if (isRecord(one) && isRecord(received[i]))
      compareFields(fields, one, received[i], `${field}[${i}].`, found)
}

/** Services send null for empty texts, and some send numbers as text. */
function isSame(sent: unknown, received: unknown): boolean {
  const [one, other] = [sent, received].map((value) => (value === null ? '' : textOf(value)))
  return one === other || (typeof sent === 'number' && other !== '' && sent === Number(other))
}

function contradiction(field: string, received: unknown, sent: unknown): string {
  return `${field} is ${quoted(received)}, not ${quoted(sent)}`
}

/** Maximum number of characters that are quoted of a value. */
const longestQuoted = 60

/** A value in words: `“grid”`, `5`, `null`. */
export function quoted(value: unknown): string {
  const text = textOf(value)
  const cut = text.length > longestQuoted ? `${text.slice(0, longestQuoted).toWellFormed()}…` : text
  return typeof value === 'string' ? `“${cut}”` : cut
}
