import { quoteForShell } from '../../../api/quote-for-shell.ts'
import type { Host } from '../../../host.ts'
import type { Audit, RunningCommand } from '../running-command.ts'
import { AuditLog, type AuditLogHandlers } from './log.ts'
import { createTrail, MemberUsers } from './record.ts'

export async function openAudit(
  path: string,
  profile: string,
  context: RunningCommand,
): Promise<Audit & { close(): Promise<void> }> {
  const { command, host, redact } = context
  const warned = new Set<string>()
  const warnOnce = (kind: keyof AuditLogHandlers, text: string) => {
    if (!warned.has(kind)) void context.notice(`warning: ${text}`)
    warned.add(kind)
  }
  const log = new AuditLog(path, host.effectiveUid, {
    onLost: ({ message }) => warnOnce('onLost', `${message}; the outcome of the change is not logged`),
    onShared: () =>
      warnOnce(
        'onShared',
        `other accounts of this machine can change the audit log ${path}; run: chmod go-w ${quoteForShell(path)}`,
      ),
  })
  const users = new MemberUsers()
  const actor = { profile, command, user: await host.userName(), ci: readCiRun(host.env) }
  return {
    trail: (origin, endpoint, input) =>
      createTrail(log, { ...actor, origin }, { now: () => host.now(), redact, users }, endpoint, input),
    noteMembers: ({ params }, response) => users.add(params?.['room_id'] ?? '', response),
    close: () => log.close(),
  }
}

const urlVariables = [
  'CI_JOB_URL',
  'CIRCLE_BUILD_URL',
  'BUILDKITE_BUILD_URL',
  'TRAVIS_BUILD_WEB_URL',
  'CI_PIPELINE_URL',
  'BUILD_URL',
]

function readCiRun(env: Host['env']): string | undefined {
  const { GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = env
  if (run) return server && repository ? `${server}/${repository}/actions/runs/${run}` : `GitHub run ${run}`
  const url = urlVariables.map((name) => env[name]).find(Boolean)
  // The URL may contain credentials, which some CI services add.
  return url?.replace(/\/\/[^/]*@/, '//')
}
