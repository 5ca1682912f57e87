import type { FakeService } from './fake.ts'
import type { Scenario } from './scenarios.ts'

/** A wrong result that no client can detect. */
interface Limit {
  /** Services by their names. */
  readonly services: RegExp
  /** Words of commands. */
  readonly leaves: RegExp
  readonly reason: string
}

const limits: readonly Limit[] = [
  {
    services: /^answers ((\{.*\}|no body) to writes without executing them|200 with \{\} about everything)$/,
    // Offboarding reads each member again, and a room without an ID is no proof.
    leaves: /^(?!users offboard|rooms create|rooms import|members add|pages create)/,
    reason: 'the service says that the write is done, and the response shows nothing to compare',
  },
  {
    services: /^does not execute writes and (returns the unchanged resource|shows another role)$/,
    leaves:
      /^(rooms (create|import|update|reopen|delete)|members (add|import)|users |workspace apply|message send|api)/,
    reason:
      'the response is valid: a deletion shows the item, a new item has an ID, services change texts, and some keep terminated_at of an open room',
  },
  {
    services: /^does not execute writes and shows another ID$/,
    leaves: /^(rooms create|rooms import|message send)/,
    reason: 'the service chooses the IDs of rooms',
  },
  {
    services: /^(caps pages at \d+|ignores offsets, with pages of 10) and (shows )?no paging$/,
    leaves: /^(sessions |usage)/,
    reason: 'the API has no paging of sessions: a list without paging is the whole list',
  },
]

/** Whether the wrong result of a command cannot be detected. */
export function knownLimit(fake: FakeService, { leaf }: Scenario): boolean {
  return limits.some(({ services, leaves }) => services.test(fake.name) && leaves.test(leaf))
}
