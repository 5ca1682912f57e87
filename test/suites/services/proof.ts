/** Kind of a write. */
export type Kind = 'room' | 'user' | 'member' | 'change' | 'delete' | 'message' | 'pages' | 'redelivery'

/**
 * Information in the response to a write.
 * - `shows`: the resource as stored
 * - `names`: the ID of the resource, and no proof of other fields
 * - `acknowledges`: a 2xx response without a body, or with an object that holds neither the resource nor a
 * recognized error
 * - `garbles`: any other 2xx response that is unusable
 * - `denies`: a refusal, by the status or by an error without the resource
 * - `loses`: a status that leaves the outcome open, or no response
 * - `misses`: “not found” for the repetition of a deletion
 * - `claims`: an apparent success, whatever the service stores
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
 * - `maybe`: the stored state or an old state
 * - `listed`: the stored state only in lists, from which a command reads many items
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
  /** True if every write gets a 503 response, so that a run over many items may end early. */
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

export const answersOf = ({ answers }: Proof, kind: Kind): readonly Answers[] => of(answers, kind, 'shows')

export const readsOf = ({ reads }: Proof, kind: Kind): readonly Reads[] => of(reads, kind, 'true')
