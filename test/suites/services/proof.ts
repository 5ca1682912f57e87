/** Kind of a write. */
export type Kind = 'room' | 'user' | 'member' | 'change' | 'delete' | 'message' | 'pages' | 'redelivery'

/**
 * Information in the response to a write.
 * - `shows`: the resource as stored
 * - `names`: the ID of the resource, and no other requested field
 * - `acknowledges`: a 2xx response without a body, or with an object that neither reports an error nor holds
 * the resource
 * - `garbles`: any other 2xx response that is unusable
 * - `denies`: a refusal, by the status or by an error without the resource
 * - `loses`: status 303, 408 or 5xx, or no response
 * - `misses`: 404 for a deletion whose first response was lost
 * - `claims`: the resource as requested, whatever the service stores
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
 * Information in reads after a write.
 * - `true`: the stored state, within two seconds
 * - `maybe`: the stored state or an old state, depending on the path
 * - `listed`: the stored state in lists, from which a command reads many items; an old state elsewhere
 * - `never`: an old state, an unreadable response or no response
 */
export type Reads = 'true' | 'maybe' | 'listed' | 'never'

type ByKind<T> = T | readonly T[] | Partial<Record<Kind | 'other', T | readonly T[]>>

/** Information that a client can get from a service. By default, all responses show the stored state. */
export interface Proof {
  readonly answers?: ByKind<Answers>
  readonly reads?: ByKind<Reads>
  /** Fields that no response shows. */
  readonly hides?: readonly string[]
  /** True if null fields are omitted, so that no response shows that a room was reopened. */
  readonly hidesNull?: boolean
  /** True if every write gets a 429 or 503 response, so that a run over many items ends after five pauses. */
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

/** Returns the possible information in responses to writes of a kind. */
export const answersOf = ({ answers }: Proof, kind: Kind): readonly Answers[] => of(answers, kind, 'shows')

/** Returns the possible information in reads after writes of a kind. */
export const readsOf = ({ reads }: Proof, kind: Kind): readonly Reads[] => of(reads, kind, 'true')
