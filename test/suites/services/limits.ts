import type { FakeService } from './fake.ts'
import type { ReadScenario } from './reads.ts'

/** A wrong result of a read that no client can detect. */
interface Limit {
  /** Services by their names. */
  readonly services: RegExp
  /** Words of commands. */
  readonly leaves: RegExp
  readonly reason: string
}

const limits: readonly Limit[] = [
  {
    services: /^(caps pages at \d+|ignores offsets, with pages of 10) and (shows )?no paging$/,
    leaves: /^(sessions |usage)/,
    reason: 'the API has no paging of sessions: a list without paging is the whole list',
  },
]

/** Whether the wrong result of a command cannot be detected. */
export function knownLimit(fake: FakeService, { leaf }: ReadScenario): boolean {
  return limits.some(({ services, leaves }) => services.test(fake.name) && leaves.test(leaf))
}
