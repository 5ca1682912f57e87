import type { Host } from '../../host.ts'
import type { Redact } from '../output/redact.ts'
import type { Audit } from '../service.ts'
import { ciRun } from './ci-run.ts'
import { AuditLog } from './log.ts'
import { MemberUsers } from './member-users.ts'
import { trailOf } from './record.ts'

interface Surroundings {
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
  { profile, command, host, redact, notice }: Surroundings,
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
