import { randomUUID } from 'node:crypto'
import type { Endpoint, Route } from '../../../api/endpoints.ts'
import { getIdField, isId, isRecord } from '../../../api/guards.ts'
import type { Fields, FieldType } from '../../../api/resource-types.ts'
import { resources } from '../../../api/resources.ts'
import type { AuditTrail } from '../../../client/audit-trail.ts'
import { toFailure } from '../../../client/outcome.ts'
import type { AnyInput } from '../../../client/request.ts'
import { toMeetroomError } from '../../../errors.ts'
import type { Redact } from '../../output/redaction/redaction.ts'
import { visibleJson } from '../../output/terminal/visible.ts'
import type { AuditLog } from './log.ts'

export interface Origin {
  profile: string
  origin: string
  user: string
  ci: string | undefined
  command: string
}

const maxMessageLength = 500

/** Creates the audit trail of a change: an intent before and an outcome after the request. */
export function createTrail(
  log: AuditLog,
  origin: Origin,
  { now, redact, users }: { now: () => number; redact: Redact; users: MemberUsers },
  endpoint: Route,
  input: AnyInput,
): AuditTrail {
  const id = randomUUID()
  const requestIds = withUser(collectIds(input), users)
  const change = describeChange(input.body)
  let request: { method: string; path: string } | undefined
  let hasBegun = false
  let status: number | undefined
  const line = (event: string, ids: object, more: object) => {
    const { user, ci, command, ...where } = origin
    const time = new Date(now()).toISOString()
    const record = {
      time,
      id,
      event,
      ...where,
      operation: endpoint.id,
      ids,
      ...change,
      ...request,
      ...more,
      user,
      command,
      ci,
    }
    return `${visibleJson(redact(JSON.stringify(record)))}\n`
  }
  return {
    async begin({ method, url }) {
      const { pathname, search } = new URL(url)
      request = { method, path: pathname + search }
      await log.appendSynced(line('intent', requestIds, {}))
      hasBegun = true
    },
    recordResponse(response) {
      status = response
    },
    recordSuccess(response) {
      if (!hasBegun) return
      if (isRecord(response)) users.add(input.params?.['room_id'] ?? '', response['value'])
      const ids = withUser({ ...requestIds, ...createdId(endpoint, response) }, users)
      log.append(line('outcome', ids, { outcome: 'ok', status }))
    },
    recordFailure(cause) {
      if (!hasBegun) return
      const error = toMeetroomError(cause)
      const { code, exitCode: exit_code, message } = error
      log.append(
        line('outcome', requestIds, {
          outcome: toFailure(error).status === 'unknown' ? 'unknown' : 'failed',
          ...{ status: error.status ?? status, code, exit_code },
          message: redact(message).slice(0, maxMessageLength),
        }),
      )
    },
  }
}

function collectIds({ params, query, body }: AnyInput): Record<string, unknown> {
  const named = { ...query, ...(isRecord(body) ? body : {}), ...params }
  const ids = Object.entries(named).filter(([name, value]) => /(^|_)id$/.test(name) && isId(value))
  // The path parameter `id` is always a room ID.
  return Object.fromEntries(ids.map(([name, id]) => [name === 'id' && params?.[name] ? 'room_id' : name, id]))
}

function withUser(ids: Record<string, unknown>, users: MemberUsers): Record<string, unknown> {
  const { room_id, member_id, user_id = users.userOf(room_id, member_id) } = ids
  return user_id === undefined ? ids : { ...ids, user_id }
}

function createdId(endpoint: Route, response: unknown): Record<string, unknown> {
  const value = isRecord(response) ? response['value'] : undefined
  if (!isEndpoint(endpoint) || endpoint.bare || !isRecord(value)) return {}
  const item = value[endpoint.result]
  const id = isRecord(item) ? item[getIdField(endpoint)] : undefined
  return isId(id) ? { [`${endpoint.resource}_id`]: id } : {}
}

const isEndpoint = (endpoint: Route): endpoint is Endpoint => 'resource' in endpoint

function findTypes(name: string): FieldType[] {
  const tables: Fields[] = Object.values(resources).map(({ fields }) => fields)
  return tables.filter((fields) => Object.hasOwn(fields, name)).map((fields) => fields[name]?.type ?? 'text')
}

interface Change {
  changed?: readonly string[]
  values?: Readonly<Record<string, unknown>>
}

function describeChange(body: unknown): Change {
  if (!isRecord(body)) return {}
  const changed = Object.entries(body).filter(([name]) => !/(^|_)id$/.test(name))
  if (changed.length === 0) return {}
  const recordable = changed.filter(([name, value]) =>
    findTypes(name).some((type) => isRecordable(type, value)),
  )
  return {
    changed: changed.map(([name]) => name),
    ...(recordable.length > 0 ? { values: Object.fromEntries(recordable) } : {}),
  }
}

function isRecordable(type: FieldType, value: unknown): boolean {
  return Array.isArray(type) ? type.includes(value) : type === 'boolean' && typeof value === 'boolean'
}

const maxCached = 100_000

export class MemberUsers {
  readonly #users = new Map<string, string | number>()

  add(room_id: string, response: unknown): void {
    if (!isRecord(response)) return
    const { members, member } = response
    for (const entry of Array.isArray(members) ? members : [member]) {
      if (!isRecord(entry) || !isId(entry['id']) || !isId(entry['user_id'])) continue
      if (this.#users.size >= maxCached) this.#users.clear()
      this.#users.set(memberKey(room_id, entry['id']), entry['user_id'])
    }
  }

  userOf(room_id: unknown, member_id: unknown): string | number | undefined {
    return this.#users.get(memberKey(room_id, member_id))
  }
}

const memberKey = (room_id: unknown, member_id: unknown) => `${room_id}\0${member_id}`
