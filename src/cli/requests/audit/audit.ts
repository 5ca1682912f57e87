import type { Route } from '../../../api/endpoints.ts'
import type { AuditTrail } from '../../../client/audit-trail.ts'
import type { AnyInput } from '../../../client/request.ts'
import type { Host } from '../../../host.ts'
import type { Redact } from '../../output/redaction/redact.ts'
import { ciRun } from './ci-run.ts'
import { AuditLog } from './log.ts'
import { MemberUsers } from './member-users.ts'
import { trailOf } from './record.ts'

/** The audit log of a run. */
export interface Audit {
  /** @param place the origin of the service, or the folder of the local workspace */
  trail(place: string, endpoint: Route, input: AnyInput): AuditTrail
  /** Given each answer of the service: it may tell which users the members are that a later change names. */
  seen(input: AnyInput, answer: unknown): void
}

/** Facts about the run and the machine for each record. */
interface AuditDeps {
  profile: string
  /** The words of the command. */
  command: string
  host: Host
  redact: Redact
  notice: (text: string) => Promise<void>
}

/** Puts the changes of a run on record, in a file. */
export async function openAudit(
  path: string,
  { profile, command, host, redact, notice }: AuditDeps,
): Promise<Audit & { close(): Promise<void> }> {
  let isTold = false
  const log = new AuditLog(path, ({ message }) => {
    if (!isTold) void notice(`warning: ${message}; it lacks what became of the change`)
    isTold = true
  })
  const users = new MemberUsers()
  const who = { profile, command, user: await host.userName(), ci: ciRun(host.env) }
  return {
    trail: (origin, endpoint, input) =>
      trailOf(log, { ...who, origin }, { now: () => host.now(), redact, users }, endpoint, input),
    seen: ({ params }, answer) => users.note(params?.['room_id'] ?? '', answer),
    close: () => log.close(),
  }
}
