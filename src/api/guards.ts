import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'

/**
 * Whether an answer fits the schema of its operation, without zod: loading that takes longer than the request. A test holds
 * these tables against the schemas; `validate.ts` says what is wrong where something is.
 */
export function fits(name: OperationName, value: unknown): boolean {
  const { result }: Endpoint = endpoints[name]
  if (!isRecord(value)) return false
  if (result === 'message') return typeof value['message'] === 'string'
  const shape = shapes[result.replace(/s$/, '') as keyof typeof shapes]
  const found = value[result]
  const items = result.endsWith('s') ? found : [found]
  return (
    Array.isArray(items) && items.every((item) => hasShape(item, shape)) && hasPaging(name, value['paging'])
  )
}

type Check = (value: unknown) => boolean

const nullish =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined || check(value)
const text: Check = (value) => typeof value === 'string'
const optionalText = nullish(text)
const optionalNumber = nullish(Number.isFinite)
const optionalBoolean = nullish((value) => typeof value === 'boolean')

const entity = { type: optionalText, src: optionalText }
const timestamps = { created_at: optionalText, updated_at: optionalText }

const shapes = {
  room: {
    id: text,
    type: text,
    name: optionalText,
    application_id: optionalText,
    thumbnail_url: optionalText,
    layout: optionalText,
    record: optionalBoolean,
    meeting_time: optionalNumber,
    started_at: optionalText,
    terminated_at: optionalText,
    ...timestamps,
  },
  member: { id: text, user_id: optionalText, room_id: optionalText, type: optionalText },
  user: {
    user_id: text,
    name: optionalText,
    profile_url: optionalText,
    default_member_type: optionalText,
    access_token: optionalText,
    ...timestamps,
    id: optionalText,
  },
  session: {
    id: text,
    member_id: optionalText,
    user_id: optionalText,
    connected_at: optionalText,
    disconnected_at: optionalText,
  },
  page: {
    id: text,
    entities: nullish((value) => Array.isArray(value) && value.every((item) => hasShape(item, entity))),
  },
} satisfies Record<string, Record<string, Check>>

const paging = { limit: optionalNumber, offset: optionalNumber, total: optionalNumber }
const paged: readonly string[] = [
  'listRooms',
  'createRoom',
  'listMembers',
  'listUsers',
] satisfies OperationName[]

function hasPaging(name: OperationName, value: unknown): boolean {
  return !paged.includes(name) || value === null || value === undefined || hasShape(value, paging)
}

function hasShape(value: unknown, shape: Readonly<Record<string, Check>>): boolean {
  if (!isRecord(value)) return false
  for (const field in shape) if (!shape[field]?.(value[field])) return false
  return true
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
