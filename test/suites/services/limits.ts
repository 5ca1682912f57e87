import type { FakeService } from './fake.ts'
import type { ReadScenario } from './reads.ts'

/**
 * Wrong result of a read that no client can detect. For writes, `claims` in `proof.ts` is the corresponding
 * limit.
 */
interface Limit {
  readonly services: RegExp
  readonly leaves: RegExp
  /** Pattern of the text of the problem; if undefined, any text. */
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

/** Returns true if the wrong result of a command cannot be detected. */
export function knownLimit(fake: FakeService, { leaf }: ReadScenario, problem: string): boolean {
  return limits.some(
    ({ services, leaves, line }) =>
      services.test(fake.name) && leaves.test(leaf) && (line?.test(problem) ?? true),
  )
}
