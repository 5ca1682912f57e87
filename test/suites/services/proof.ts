/** What a write does. */
export type Kind = 'room' | 'user' | 'member' | 'change' | 'delete' | 'message' | 'pages' | 'redelivery'

/**
 * What the answers to writes are worth.
 * - `shows`: the resource as the service holds it
 * - `names`: the ID of the resource, and nothing else that was asked for
 * - `acknowledges`: a 2xx without a body, or with an object that neither says no nor holds the resource
 * - `garbles`: any other 2xx that is no use
 * - `denies`: a no, by the status or in words without the resource
 * - `loses`: 303, 408, a 5xx or no answer at all
 * - `misses`: 404 for a deletion whose first answer was lost
 * - `claims`: the resource as it was asked for, whatever the service holds
 */
export type Answers =
  | 'shows'
  | 'names'
  | 'acknowledges'
  | 'garbles'
  | 'denies'
  | 'loses'
  | 'misses'
  | 'claims'

/**
 * What reads after a write are worth.
 * - `true`: the state, within two seconds
 * - `maybe`: the state or an old one, depending on what is read
 * - `listed`: the state in lists, from which a command reads many items, and else an old one
 * - `never`: an old state, something unreadable or nothing
 */
export type Reads = 'true' | 'maybe' | 'listed' | 'never'

type ByKind<T> = T | readonly T[] | Partial<Record<Kind | 'other', T | readonly T[]>>

/** What a client can know from a service. Without it, all answers and reads show what the service holds. */
export interface Proof {
  readonly answers?: ByKind<Answers>
  readonly reads?: ByKind<Reads>
  /** Fields that neither answers nor reads show. */
  readonly hides?: readonly string[]
  /** Fields that are null are left out, so that no response shows that a room was reopened. */
  readonly hidesNull?: boolean
  /** Answers 429 or 503 to every write: a run over many items ends after five pauses. */
  readonly isBusy?: boolean
}

function of<T extends string>(worth: ByKind<T> | undefined, kind: Kind, usual: T): readonly T[] {
  if (worth === undefined) return [usual]
  if (typeof worth === 'string') return [worth]
  if (isList<T>(worth)) return worth
  const asMessage = kind === 'redelivery' ? worth.message : undefined
  return of<T>(worth[kind] ?? asMessage ?? worth.other, kind, usual)
}

const isList = <T>(worth: unknown): worth is readonly T[] => Array.isArray(worth)

/** What the answers to writes of a kind are worth: one of these. */
export const answersOf = ({ answers }: Proof, kind: Kind): readonly Answers[] => of(answers, kind, 'shows')

/** What reads after writes of a kind are worth: one of these. */
export const readsOf = ({ reads }: Proof, kind: Kind): readonly Reads[] => of(reads, kind, 'true')
