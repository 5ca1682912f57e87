import type { Report } from '../report.ts'
import type { School } from '../school.ts'
import type { Target, targetsOf } from '../target.ts'

export type Targets = ReturnType<typeof targetsOf>

/** Command line that writes, and its items. */
export interface WriteScenario {
  /** Command without arguments, such as `rooms create`. */
  readonly leaf: string
  readonly argv: (school: School) => readonly string[]
  /** Content of the file `in.csv`. */
  readonly file?: string
  /** Prepares the state with the embedded service. */
  readonly prepare?: (school: School) => Promise<void>
  readonly targets: (to: Targets, school: School) => readonly Target[]
  readonly report?: Report
  /** True if the command reads its items before it writes them. */
  readonly isSeen?: boolean
  readonly ignoresMissing?: boolean
  /** True if the command sends only the given request, as `api` does. */
  readonly isRaw?: boolean
  /** Field that the command needs to find the items. */
  readonly findsBy?: string
  /** Reads that the command needs before it writes. */
  readonly needs?: readonly ((school: School) => readonly string[])[]
  /** Next command after an incomplete run: unchanged, with `--resume`, or the suggested command. */
  readonly again?: 'same' | 'resume' | 'hint'
}

/** Name with parts that services change, such as decomposed letters, markup and two spaces. */
const about = 'Zoe\u0308 & Ren\u00e9 <7a>: Algebra  and Geometry of the second term'
export const [fresh, changed] = [`New ${about}`, `Other ${about}`]
export const [one, two] = [`1 ${about}`, `2 ${about}`]
export const [userOne, userTwo] = ['New.One', 'New.Two']
export const image = ['--image', 'https://i.test/a.png']
export const ndjson = ['-o', 'ndjson']
export const yes = '--yes'
export const rows = { report: 'rows', isSeen: true } as const

export const roomsOf = () => ['rooms', 'list', '--all']
export const roomsWhere = (condition: string) => () => ['rooms', 'list', '--where', condition]
export const roomsNamed = (name: string) => () => ['rooms', 'list', '--all', '--name', name]
export const usersOf = () => ['users', 'list', '--all']
export const user = (id: string) => () => ['users', 'get', id]
export const membersOf =
  (name: string) =>
  ({ room }: School) => ['members', 'list', room(name), '--all']
export const access = () => ['members', 'export', '--all-rooms']
export const roomGet =
  (name: string) =>
  ({ room }: School) => ['rooms', 'get', room(name)]

export const importing = (kind: string, ...flags: string[]) => [kind, 'import', 'in.csv', ...flags, ...ndjson]
const inRow = (row: number, target: Target): Target => ({
  ...target,
  isIn: (result) => result['row'] === row,
})
export const inRows = (targets: readonly Target[]) => targets.map((target, i) => inRow(i + 1, target))
