import { readJson, writeJson } from '../../api/json.ts'
import { deliveryStates, endReasons, memberTypes, roomTypes, webhookActions } from '../../api/vocabulary.ts'
import { isObject, requireWebUrl } from '../common/values.ts'
import { requireWebhook } from '../handlers/rooms.ts'
import { maxTotal } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { WebhookTarget } from '../webhooks/outbox.ts'

/** Conversion of a backup's value to an accepted value; undefined if impossible. */
type Rule = (value: unknown) => Value | undefined

/** Greatest distance of a `Date` from 1970, in milliseconds. A wrong clock can store any time. */
const maxTime = 8.64e15
/** Maximum length of a text, in bytes and in characters. */
export const maxText = 10 * 1024 * 1024
const maxUnlisted = 64 * 1024

const whole =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? (value as number)
      : undefined

const text =
  (min = 0, max = maxText): Rule =>
  (value) =>
    typeof value === 'string' && value.length >= min && value.length <= max && value.isWellFormed()
      ? value.replaceAll('\0', '')
      : undefined

const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : undefined

const oneOf =
  (values: readonly string[]): Rule =>
  (value) =>
    values.includes(value as string) ? (value as string) : undefined

const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? null : rule(value)

/** @param convert returns the new value, `accepted` to keep the text, or undefined for `otherwise` */
const json =
  (convert: (value: unknown) => unknown, otherwise: Value | undefined): Rule =>
  (value) => {
    if (typeof value !== 'string' || value.length > maxText) return undefined
    const converted = convert(readValue(value))
    if (converted === undefined) return otherwise
    return converted === accepted ? value : writeJson(converted)
  }

const accepted = Symbol('accepted')
const acceptIf = (isValid: boolean) => (isValid ? accepted : undefined)

function readValue(value: string): unknown {
  try {
    return readJson(value)
  } catch {
    return undefined
  }
}

const passes = (check: () => void) => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

/** Removes the headers that this version refuses. Returns undefined for any other fault. */
function convertWebhook(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const { url, headers = {}, secret } = value as Record<keyof WebhookTarget, unknown>
  if (typeof url !== 'string' || !isObject(headers) || !['undefined', 'string'].includes(typeof secret))
    return undefined
  const target = { url, ...(secret !== undefined && { secret: secret as string }) }
  if (!passes(() => requireWebhook(target))) return undefined
  const entries = Object.entries(headers as Record<string, string>)
  const valid = entries.filter(
    ([name, text]) =>
      typeof text === 'string' && passes(() => requireWebhook({ url, headers: { [name]: text } })),
  )
  if (valid.length === entries.length) return accepted
  return { ...target, headers: Object.fromEntries(valid) }
}

function convertEntities(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const valid = value.filter(
    (entity) =>
      isObject(entity) &&
      typeof entity['type'] === 'string' &&
      (entity['type'] !== 'Image' || entity['src'] !== undefined) &&
      (entity['src'] === undefined ||
        (typeof entity['src'] === 'string' && passes(() => requireWebUrl('src', entity['src'] as string)))),
  )
  return valid.length === value.length ? accepted : valid
}

const isAction = (value: unknown) => webhookActions.some((action) => action === value)

const isChange = (value: unknown) =>
  isObject(value) &&
  isAction(value['action']) &&
  [value['sessionId'], value['memberId']].every((id) => typeof id === 'string') &&
  (value['userId'] === null || typeof value['userId'] === 'string') &&
  [value['sessionsCount'], value['membersCount']].every((number) => count(number) !== undefined) &&
  time(value['at']) !== undefined

const isEvent = (value: unknown) =>
  isObject(value) &&
  isAction(value['action']) &&
  isObject(value['payload']) &&
  ['undefined', 'string'].includes(typeof value['payload']['userId'])

/** Row number. `copyRows` replaces numbers above `maxSeq`. */
const seq = whole(1, maxTotal)
const time = whole(-maxTime, maxTime)
const count = whole(0, Number.MAX_SAFE_INTEGER)
/** Accumulating value. Earlier versions had no maximum. */
const total: Rule = (value) => (count(value) === undefined ? undefined : Math.min(value as number, maxTotal))
const flag = whole(0, 1)
const finite: Rule = (value) => (Number.isFinite(value) ? (value as number) : undefined)
/** ID chosen by the program or a seed. */
const id = matching(/^\P{C}{1,1000}$/u)
/** ID chosen by a client. */
const userId = text(1)
const unlisted = orNull((value) =>
  typeof value === 'string' && value.length > maxUnlisted
    ? null
    : json((found) => acceptIf(isObject(found)), null)(value),
)
const target = json(convertWebhook, undefined)

/** Rules of the copied columns, by table. The migrations fill other tables and columns. */
export const storedValues: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  workspace: { application_id: matching(/^[0-9a-f]{24}$/), alive_at: time },
  rooms: {
    ...{ seq, id, unlisted, created_at: time, updated_at: time },
    type: oneOf(roomTypes),
    name: text(),
    layout: text(),
    record: flag,
    max_meeting_seconds: orNull(count),
    meeting_ms: total,
    meeting_from_ms: total,
    webhook: orNull(json(convertWebhook, null)),
    webhook_gone: flag,
    started_at: orNull(time),
    terminated_at: orNull(time),
  },
  users: {
    ...{ seq, id, unlisted, created_at: time, updated_at: time },
    user_id: userId,
    name: orNull(text()),
    profile_url: orNull(text()),
    default_member_type: oneOf(memberTypes),
    email: orNull(text()),
    access_token: text(1),
  },
  members: {
    ...{ seq, id, unlisted, created_at: time, updated_at: time },
    room_id: id,
    user_id: orNull(userId),
    type: oneOf(memberTypes),
    name: orNull(text()),
    is_blocked: flag,
    access_token: orNull(text(1)),
  },
  sessions: {
    ...{ seq, id, room_id: id, member_id: id },
    user_id: orNull(userId),
    type: oneOf(memberTypes),
    connected_at: time,
    disconnected_at: orNull(time),
    end_reason: orNull(oneOf(endReasons)),
    ip_address: orNull(text()),
    user_agent: orNull(text()),
  },
  pages: {
    ...{ seq, id, unlisted, created_at: time },
    room_id: id,
    position: whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    ...{ width: orNull(finite), height: orNull(finite) },
    entities: json(convertEntities, '[]'),
  },
  deliveries: {
    ...{ seq, id, target, room_id: id, created_at: time },
    body: json((value) => acceptIf(isEvent(value)), undefined),
    state: oneOf(deliveryStates),
    ...{ attempts: total, redeliveries: total, round_start: total },
    ...{ round_at: orNull(time), next_at: orNull(time), last_at: orNull(time), finished_at: orNull(time) },
    last_status: orNull(whole(100, 999)),
    ...{ last_error: orNull(text()), last_body: orNull(text()) },
  },
  packed_moves: {
    ...{ seq, target, room_id: id },
    moves: json((value) => acceptIf(Array.isArray(value) && value.every(isChange)), undefined),
  },
  sweeps: { kind: oneOf(['room', 'user']), id: userId },
  ended_sessions: { seq, at: time, reason: orNull(oneOf(endReasons)) },
  ended_members: { seq },
  sqlite_sequence: { name: text(1), seq: whole(0, maxTotal) },
}

/** Tables of webhook events. A restore omits their invalid rows instead of refusing the backup. */
export const optionalRows: ReadonlySet<string> = new Set(['deliveries', 'packed_moves'])
