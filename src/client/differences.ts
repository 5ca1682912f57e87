import type { Endpoint } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { isScalar } from '../api/json.ts'
import { findOtherIds, isSameId } from '../api/named-item.ts'
import { parseBoolean, parseTimestamp } from '../api/readings.ts'
import type { Field, Fields } from '../api/resource.ts'
import { resources } from '../api/resources.ts'
import { toText } from '../api/to-text.ts'
import { deprecated } from '../api/vocabulary.ts'
import type { AnyInput } from './request.ts'

export interface Change {
  /** Path in the item, such as `entities[0].src`. */
  field: string
  sent: unknown
  received: unknown
  /** True when `resources.ts` lists the field. Values of other fields may be secret. */
  isListed: boolean
}

export interface Differences {
  /** Differences in states and IDs, as sentences. */
  contradictions: string[]
  /** Differences in texts and numbers, which services may trim, encode or round. */
  changes: Change[]
}

type Item = Readonly<Record<string, unknown>>

/**
 * Compares the item in a response with the request. Missing and unreadable fields count as equal.
 * @param found collects the differences
 */
export function compareItem(
  endpoint: Endpoint,
  { params, body }: AnyInput,
  item: Item,
  found: Differences,
): void {
  const { resource, many } = endpoint
  const { fields }: { fields: Fields } = resources[resource]
  if (!many)
    for (const { field, received, named } of findOtherIds(endpoint, params, item))
      found.contradictions.push(formatContradiction(field, received, named))
  if (!isRecord(body)) return
  if (resource !== 'room') compareFields(fields, body, item, '', found)
  else {
    const { is_terminated, ...settings } = body
    compareTermination(parseBoolean(is_terminated) ?? undefined, item, found)
    compareFields(fields, settings, item, '', found)
  }
}

/** Compares `terminated_at`, because `is_terminated` has no value in responses (API specification, section 2.1). */
function compareTermination(sent: boolean | undefined, item: Item, found: Differences): void {
  const { terminated_at, is_terminated } = item
  const reported = parseBoolean(is_terminated)
  const hasEndTime = Object.hasOwn(item, 'terminated_at') ? isTime(terminated_at) : undefined
  if (sent === undefined) return
  if (sent && hasEndTime === false)
    found.contradictions.push(`terminated_at is ${quoted(terminated_at)}, not a time`)
  else if (reported === !sent && hasEndTime === undefined)
    found.contradictions.push(formatContradiction('is_terminated', is_terminated, sent))
  else if (!sent && hasEndTime) {
    if (reported) found.contradictions.push(formatContradiction('is_terminated', is_terminated, sent))
    // Some services keep `terminated_at` in a reopened room, because the API specification does not allow null for it.
    else if (reported !== false)
      found.changes.push({ field: 'terminated_at', sent: null, received: terminated_at, isListed: true })
  }
}

function isTime(value: unknown): boolean | undefined {
  const time = parseTimestamp(value)
  // A small number may be a boolean instead of a time.
  const isUnclear = time === undefined || (time === null && typeof value === 'number' && value > 0)
  return isUnclear ? undefined : time !== null
}

function compareFields(fields: Fields, sent: Item, item: Item, path: string, found: Differences): void {
  for (const name of Object.keys(sent)) {
    const value = sent[name]
    if (value === item[name] || value === undefined || !Object.hasOwn(item, name)) continue
    if (item[name] === deprecated) continue
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const change = { field: path + name, sent: value, received: item[name], isListed: field !== undefined }
    compareField(field, change, found)
  }
}

function compareField(field: Field | undefined, change: Change, found: Differences): void {
  const { field: name, sent, received } = change
  const type = field?.type ?? typeof sent
  if (field?.presence === 'never' || type === 'time') return
  if (type === 'boolean') compareStates(change, parseBoolean, found)
  else if (Array.isArray(type)) compareStates(change, normalizeChoice, found)
  else if (type === 'id' && field?.write) compareIds(name, sent, received, found)
  else if (typeof type === 'object' && 'object' in type) {
    if (isRecord(sent) && isRecord(received)) compareFields(type.object, sent, received, `${name}.`, found)
  } else if (typeof type === 'object' && 'list' in type) compareLists(type.list, change, found)
  else if (isScalar(sent) && isScalar(received) && !isSame(sent, received)) found.changes.push(change)
}

/** Converts a choice to lowercase, because some services send choices in capitals. */
function normalizeChoice(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined
}

/** @param read returns null or undefined for an unreadable value */
function compareStates(
  { field, sent, received }: Change,
  read: (value: unknown) => string | boolean | null | undefined,
  { contradictions }: Differences,
): void {
  const [expected, reported] = [read(sent) ?? undefined, read(received) ?? undefined]
  if (expected !== undefined && reported !== undefined && expected !== reported)
    contradictions.push(formatContradiction(field, received, sent))
}

function compareIds(field: string, sent: unknown, received: unknown, { contradictions }: Differences): void {
  if (!isSameId(sent, received)) contradictions.push(formatContradiction(field, received, sent))
}

function compareLists(fields: Fields, { field, sent, received }: Change, found: Differences): void {
  if (!Array.isArray(sent) || !Array.isArray(received) || sent.length !== received.length) return
  for (const [i, one] of sent.entries())
    if (isRecord(one) && isRecord(received[i]))
      compareFields(fields, one, received[i], `${field}[${i}].`, found)
}

/** Compares texts and numbers. Null equals empty text, and numbers equal their text, because services convert them. */
function isSame(sent: unknown, received: unknown): boolean {
  const [one, other] = [sent, received].map((value) => (value === null ? '' : toText(value)))
  return one === other || (typeof sent === 'number' && other !== '' && sent === Number(other))
}

function formatContradiction(field: string, received: unknown, sent: unknown): string {
  return `${field} is ${quoted(received)}, not ${quoted(sent)}`
}

const maxQuotedLength = 60

export function quoted(value: unknown): string {
  const text = value === null ? 'null' : toText(value)
  const cut = text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength).toWellFormed()}…` : text
  return typeof value === 'string' ? `“${cut}”` : cut
}
