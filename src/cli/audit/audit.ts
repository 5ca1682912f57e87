import type { Host } from '../../host.ts'
import type { Redact } from '../output/redact.ts'
import type { Audit } from '../service.ts'
import { ciRun } from './ci-run.ts'
import { AuditLog } from './log.ts'
import { trailOf } from './record.ts'

interface Surroundings {
  profile: string
  host: Host
  redact: Redact
  notice: (text: string) => Promise<void>
}

/** Puts the changes of a run on record, in a file. */
export async function openAudit(
  path: string,
  { profile, host, redact, notice }: Surroundings,
): Promise<{ trail: Audit; close(): Promise<void> }> {
  let isTold = false
  const log = new AuditLog(path, ({ message }) => {
    if (!isTold) void notice(`warning: ${message}; it lacks what became of the change`)
    isTold = true
  })
  const who = { profile, user: await host.userName(), ci: ciRun(host.env) }
  return {
    trail: (origin, endpoint, input) =>
      trailOf(log, { ...who, origin }, { now: () => host.now(), redact }, endpoint, input),
    close: () => log.close(),
  }
}
