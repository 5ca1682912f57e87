import { randomUUID } from 'node:crypto'
import type { Endpoint, Route } from '../../../api/endpoints.ts'
import { idField, isId, isRecord } from '../../../api/guards.ts'
import type { AuditTrail } from '../../../client/audit-trail.ts'
import { toFailure } from '../../../client/outcome.ts'
import type { AnyInput } from '../../../client/request.ts'
import { toMeetroomError } from '../../../errors.ts'
import type { Redact } from '../../output/redaction/redact.ts'
import { visibleJson } from '../../output/terminal/visible.ts'
import { changeOf } from './changed-fields.ts'
import type { AuditLog } from './log.ts'
import type { MemberUsers } from './member-users.ts'

/** Who changes what, and where: the same for all changes of a run at one service. */
export interface Origin {
  profile: string
  /** Of the service, or the folder of the local workspace. */
  origin: string
  /** On this machine. */
  user: string
  /** Where to find the run of the CI service. */
  ci: string | undefined
  /** The words of the command: `members block`. */
  command: string
}

/** An error that quotes a page of a service is cut off behind so many characters. */
const longestMessage = 500

/** Records a change: a line before it, and one that says what became of it, with the same id. */
export function trailOf(
  log: AuditLog,
  from: Origin,
  { now, redact, users }: { now: () => number; redact: Redact; users: MemberUsers },
  endpoint: Route,
  input: AnyInput,
): AuditTrail {
  const id = randomUUID()
  const named = withUser(idsOf(input), users)
  const change = changeOf(input.body)
  let request: { method: string; path: string } | undefined
  let isBegun = false
  let status: number | undefined
  const line = (event: string, ids: object, more: object) => {
    const { user, ci, command, ...where } = from
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
      await log.synced(line('intent', named, {}))
      isBegun = true
    },
    answered(answer) {
      status = answer
    },
    succeeded(answer) {
      if (!isBegun) return
      if (isRecord(answer)) users.note(input.params?.['room_id'] ?? '', answer['value'])
      const ids = withUser({ ...named, ...createdId(endpoint, answer) }, users)
      log.written(line('outcome', ids, { outcome: 'ok', status }))
    },
    failed(cause) {
      if (!isBegun) return
      const error = toMeetroomError(cause)
      const { code, exitCode: exit_code, message } = error
      log.written(
        line('outcome', named, {
          outcome: toFailure(error).status === 'unknown' ? 'unknown' : 'failed',
          ...{ status: error.status ?? status, code, exit_code },
          message: redact(message).slice(0, longestMessage),
        }),
      )
    },
  }
}

/** The ids that a request names, wherever it does. */
function idsOf({ params, query, body }: AnyInput): Record<string, unknown> {
  const named = { ...query, ...(isRecord(body) ? body : {}), ...params }
  const ids = Object.entries(named).filter(([name, value]) => /(^|_)id$/.test(name) && isId(value))
  // In a path, an id without a name is that of a room.
  return Object.fromEntries(ids.map(([name, id]) => [name === 'id' && params?.[name] ? 'room_id' : name, id]))
}

/** The same with the user behind a member, where that is known. */
function withUser(ids: Record<string, unknown>, users: MemberUsers): Record<string, unknown> {
  const { room_id, member_id, user_id = users.userOf(room_id, member_id) } = ids
  return user_id === undefined ? ids : { ...ids, user_id }
}

/** The id of what was created or changed, which the service may have chosen. */
function createdId(endpoint: Route, answer: unknown): Record<string, unknown> {
  const value = isRecord(answer) ? answer['value'] : undefined
  if (!isEndpoint(endpoint) || endpoint.bare || !isRecord(value)) return {}
  const item = value[endpoint.result]
  const id = isRecord(item) ? item[idField(endpoint)] : undefined
  return isId(id) ? { [`${endpoint.resource}_id`]: id } : {}
}

function isEndpoint(endpoint: Route): endpoint is Endpoint {
  return 'resource' in endpoint
}
