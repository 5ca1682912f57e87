import type { Route } from '../../../api/endpoints.ts'
import type { AuditTrail } from '../../../client/audit-trail.ts'
import type { AnyInput } from '../../../client/request.ts'
import type { Host } from '../../../host.ts'
import type { Redact } from '../../output/redaction/redact.ts'
import { readCiRun } from './ci-run.ts'
import { AuditLog } from './log.ts'
import { MemberUsers } from './member-users.ts'
import { createTrail } from './record.ts'

export interface Audit {
  /** @param place origin of the service, or directory of the local workspace */
  trail(place: string, endpoint: Route, input: AnyInput): AuditTrail
  /** Records the users of the members in a response, for later changes of those members. */
  seen(input: AnyInput, answer: unknown): void
}

interface AuditDeps {
  profile: string
  command: string
  host: Host
  redact: Redact
  notice: (text: string) => Promise<void>
}

export async function openAudit(
  path: string,
  { profile, command, host, redact, notice }: AuditDeps,
): Promise<Audit & { close(): Promise<void> }> {
  let hasWarned = false
  const log = new AuditLog(path, ({ message }) => {
    if (!hasWarned) void notice(`warning: ${message}; it lacks the outcome of the change`)
    hasWarned = true
  })
  const users = new MemberUsers()
  const actor = { profile, command, user: await host.userName(), ci: readCiRun(host.env) }
  return {
    trail: (origin, endpoint, input) =>
      createTrail(log, { ...actor, origin }, { now: () => host.now(), redact, users }, endpoint, input),
    seen: ({ params }, answer) => users.note(params?.['room_id'] ?? '', answer),
    close: () => log.close(),
  }
}
