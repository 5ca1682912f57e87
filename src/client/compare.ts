import type { Endpoint } from '../api/endpoints.ts'
import { getIdField, isRecord } from '../api/guards.ts'
import { isScalar } from '../api/json.ts'
import { findForeignId, listNamedIds, type OtherId, readId } from '../api/named-item.ts'
import { parseBoolean, parseNumber, parseTimestamp } from '../api/readings.ts'
import type { Field, Fields } from '../api/resource-types.ts'
import { resources } from '../api/resources.ts'
import { toText } from '../api/to-text.ts'
import { deprecated } from '../api/vocabulary.ts'
import { type AnyInput, callerId } from './request.ts'

export type Item = Readonly<Record<string, unknown>>

/**
 * Comparison of a requested value with an item. `equal`: in another form, for example rounded. `similar`:
 * possibly adapted, for example truncated. `hidden`: not shown or not comparable. `unlisted`: hidden, and not
 * expected in responses.
 */
export type Match = 'same' | 'equal' | 'similar' | 'hidden' | 'unlisted' | 'other'

export interface FieldMatch {
  /** Path in the item, such as `webhook.url`. */
  field: string
  match: Match
  /** Path of the field that shows the value: `terminated_at` for `is_terminated` of a room. */
  shownAs: string
  sent: unknown
  received: unknown
  /** True if `resources.ts` lists the field. Values of other fields may be secret. */
  isListed: boolean
}

/** Finds a required ID that an item lacks, or an ID that differs from the request. */
export function findOtherId(endpoint: Endpoint, input: AnyInput, item: Item): OtherId | undefined {
  const { params, body } = input
  const isMember = endpoint.readBack === 'listMembers'
  return (
    compareId(getIdField(endpoint), callerId(endpoint, input), item) ??
    (isMember ? compareId('user_id', toText(Object(body).user_id), item) : undefined) ??
    findForeignId(listNamedIds(endpoint, params), item)
  )
}

function compareId(field: string, named: string | undefined, item: Item): OtherId | undefined {
  const received = readId(item[field])
  const isSame = received !== undefined && (named === undefined || named === received)
  return isSame ? undefined : { field, named: named ?? '', received }
}

/** Compares the fields of a request body, except IDs, with an item. */
export function compareFields({ resource, method }: Endpoint, body: unknown, item: Item): FieldMatch[] {
  if (!isRecord(body)) return []
  const { fields }: { fields: Fields } = resources[resource]
  const found = compareAll(fields, body, item, '')
  const name = method === 'POST' ? found.find(({ field }) => field === 'name') : undefined
  if (name?.match === 'other' && hasSuffix(name.sent, name.received)) name.match = 'similar'
  return found
}

function compareAll(fields: Fields, sent: Item, item: Item, path: string): FieldMatch[] {
  const found: FieldMatch[] = []
  for (const name of Object.keys(sent)) {
    const value = sent[name]
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const type = field?.type
    // `findOtherId` compares IDs.
    if (value === undefined || type === 'id') continue
    const received = item[name]
    if (typeof type === 'object' && 'object' in type && isRecord(value) && isRecord(received))
      found.push(...compareAll(type.object, value, received, `${path}${name}.`))
    else {
      const isTermination = name === 'is_terminated' && fields === resources.room.fields
      const match = isTermination
        ? matchTermination(parseBoolean(value), item)
        : matchField(field, name, value, item)
      const isExpected = isTermination || (path === '' && !isUnlisted(field))
      found.push({
        ...{ field: path + name, sent: value, isListed: field !== undefined },
        match: match === 'hidden' && !isExpected ? 'unlisted' : match,
        shownAs: isTermination ? 'terminated_at' : path + name,
        received: isTermination ? item['terminated_at'] : received,
      })
    }
  }
  return found
}

function isUnlisted(field: Field | undefined): boolean {
  return field === undefined || field.presence === 'unlisted' || field.presence === 'never'
}

/** Also reads `terminated_at`, because `is_terminated` is deprecated (API specification, “Room”). */
function matchTermination(sent: boolean | null | undefined, { terminated_at, is_terminated }: Item): Match {
  const time = parseTimestamp(terminated_at)
  const reported = parseBoolean(is_terminated) ?? undefined
  // A small number may be a boolean instead of a time.
  const isUnclear = time === null && typeof terminated_at === 'number' && terminated_at > 0
  const isTerminated =
    typeof time === 'number' && reported !== false ? true : time === null && !isUnclear ? false : reported
  return isTerminated === undefined ? 'hidden' : isTerminated === (sent ?? false) ? 'same' : 'other'
}

function matchField(field: Field | undefined, name: string, sent: unknown, item: Item): Match {
  const received = item[name]
  if (received === sent) return 'same'
  if (!Object.hasOwn(item, name) || received === deprecated) return 'hidden'
  const type = field?.type ?? typeof sent
  // Services may mask secrets, so a different value proves nothing.
  if (field?.secret || name === 'secret') return 'hidden'
  if (toText(sent) === toText(received)) return 'same'
  if (type === 'boolean') return matchRead(parseBoolean(sent), parseBoolean(received) ?? undefined)
  if (Array.isArray(type)) return matchRead(readChoice(sent), readChoice(received))
  if (!isScalar(sent) || !isScalar(received)) return 'hidden'
  return matchTexts(sent, received)
}

function matchRead<T>(sent: T, received: T | undefined): Match {
  if (received === undefined) return 'hidden'
  return sent === received ? 'same' : 'other'
}

/** Converts a choice to lowercase, because some services send choices in capitals. */
function readChoice(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim().toLowerCase() : undefined
}

function matchTexts(sent: unknown, received: unknown): Match {
  const [one, other] = [toText(sent), toText(received)]
  if (typeof sent === 'number') return isRounded(sent, parseNumber(received)) ? 'equal' : 'other'
  if (isSameTime(one, other)) return 'equal'
  const [plain, shown] = [normalize(one), normalize(other)]
  if (plain === shown) return 'equal'
  const isCut = shown !== '' && plain.toLowerCase().startsWith(shown.toLowerCase())
  return isCut ? 'similar' : 'other'
}

/** Accepts fewer decimals or single precision. */
function isRounded(sent: number, received: number | null | undefined): boolean {
  if (typeof received !== 'number') return false
  const [, decimals = ''] = /\.(\d+)$/.exec(String(received)) ?? []
  return Number(sent.toFixed(Math.min(decimals.length, 100))) === received || Math.fround(sent) === received
}

/** Ignores a difference of less than a second. */
function isSameTime(one: string, other: string): boolean {
  if (!/^\d{4}-\d\d-\d\d[T ]\d/.test(one)) return false
  const [sent, received] = [parseTimestamp(one), parseTimestamp(other)]
  return typeof sent === 'number' && typeof received === 'number' && Math.abs(sent - received) < 1000
}

/** Returns true if a service may have made the name unique, as in `Algebra (2)`. */
function hasSuffix(sent: unknown, received: unknown): boolean {
  const [plain, shown] = [normalize(toText(sent)), normalize(toText(received))]
  return plain !== '' && shown.startsWith(plain) && /^[^\p{L}\p{N}]/u.test(shown.slice(plain.length))
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Decodes HTML entities, percent encoding and backslashes, normalizes Unicode, and trims white space. */
function normalize(text: string): string {
  const unescaped = text
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (all, decimal, hex, name) =>
      name === undefined ? toCharacter(decimal, hex) : (entities[name.toLowerCase()] ?? all),
    )
    .replace(/(?:%[\da-f]{2})+/gi, (all) => Buffer.from(all.replaceAll('%', ''), 'hex').toString())
    .replace(/\\(["'/\\])/g, '$1')
  return unescaped.normalize('NFKC').trim()
}

function toCharacter(decimal: string | undefined, hex: string): string {
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

export function describeMatch(match: Omit<FieldMatch, 'match' | 'shownAs'>): string {
  const { field, sent, received, isListed } = match
  if (!isListed) return `${field} has a different value`
  return `${field} is ${quoteDifference(received, sent)}, not ${quoteDifference(sent, received)}`
}

const maxQuotedLength = 60

/** Formats a value. Cuts a long value around its first difference from `other`. */
function quoteDifference(value: unknown, other: unknown): string {
  const text = toQuotedText(value)
  const otherText = toQuotedText(other)
  let same = 0
  while (same < text.length && text[same] === otherText[same]) same++
  const begin = text.length > maxQuotedLength ? Math.max(0, same - maxQuotedLength / 2) : 0
  const end = begin + maxQuotedLength
  const cut = `${begin > 0 ? '…' : ''}${text.slice(begin, end).toWellFormed()}${end < text.length ? '…' : ''}`
  return typeof value === 'string' ? `“${cut}”` : cut
}

const toQuotedText = (value: unknown) => (value === null || value === undefined ? 'null' : toText(value))
