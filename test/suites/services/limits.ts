import type { FakeService } from './fake.ts'
import type { ReadScenario } from './reads.ts'

/**
 * A wrong result of a read that no client can detect. The same limit of writes is the worth `claims` of an answer
 * (`proof.ts`): a service that echoes a request without executing it answers as one that has executed it, and only a
 * read of each item would tell them apart. The suite counts such verdicts.
 */
interface Limit {
  /** Services by their names. */
  readonly services: RegExp
  /** Words of commands. */
  readonly leaves: RegExp
  /** The command with its flags. */
  readonly line?: RegExp
  readonly reason: string
}

const limits: readonly Limit[] = [
  {
    services: /^(caps pages at \d+|ignores offsets, with pages of 10) and (shows )?no paging$/,
    leaves: /^(sessions |usage)/,
    reason: 'the API has no paging of sessions: a list without paging is the whole list',
  },
  {
    services: /counts the rows$/,
    leaves: /list$/,
    line: /--count:/,
    reason: 'a number is printed without its items, and the total of the service is the last row',
  },
]

/** Whether the wrong result of a command cannot be detected. */
export function knownLimit(fake: FakeService, { leaf }: ReadScenario, problem: string): boolean {
  return limits.some(
    ({ services, leaves, line }) =>
      services.test(fake.name) && leaves.test(leaf) && (line?.test(problem) ?? true),
  )
}
