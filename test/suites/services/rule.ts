import { type Answers, answersOf, type Kind, type Proof, type Reads, readsOf } from './proof.ts'
import type { Target } from './target.ts'
import type { Truth } from './truth.ts'

export type Outcome = 'done' | 'failed' | 'unknown'

/** Requested fields that the API specification does not list in the resource. */
const unlisted = new Set(['is_blocked', 'max_meeting_seconds', 'members', 'email', 'member.name'])

/** Returns true if no response shows a requested field. A room never shows its members. */
const isHidden = (field: string, { asked, isMember }: Target, { hides = [], hidesNull }: Proof) =>
  field === 'members' ||
  hides.includes(fieldName(field, isMember)) ||
  (hidesNull === true && field === 'is_terminated' && asked[field] === false)

const fieldName = (field: string, isMember = false) => (isMember && field === 'name' ? 'member.name' : field)

/** Returns the target with only the requested fields that a service shows. */
export function visible(target: Target, proof: Proof): Target {
  const asked = Object.entries(target.asked).filter(([field]) => !isHidden(field, target, proof))
  return { ...target, asked: Object.fromEntries(asked) }
}

export interface Knowledge {
  /** True if the command read the item before writing it. */
  readonly isSeen: boolean
  /** True if the command writes so many items that it reads them from a list. */
  readonly isMany: boolean
  /** True if a missing item counts as deleted. */
  readonly ignoresMissing: boolean
  /** True if the command sends only the given request, as `api` does. */
  readonly isRaw: boolean
}

/** Returns the hidden requested fields, except `members`. */
export const hiddenFields = (target: Target, proof: Proof): string[] =>
  Object.keys(target.asked).filter((field) => field !== 'members' && isHidden(field, target, proof))

/**
 * Returns the verdicts that are correct for a stored state.
 * @param truth outcome of the fields that the service shows
 */
export function verdicts(
  target: Target,
  truth: Truth,
  proof: Proof,
  knowledge: Knowledge,
): ReadonlySet<Outcome> {
  if (target.kind === 'keep') return new Set(['done'])
  const { kind } = target
  const reads = readsOf(proof, kind)
  return new Set(
    answersOf(proof, kind).flatMap((answers) =>
      reads.flatMap((read) => verdictsOf({ target, kind, truth, answers, read, proof, ...knowledge })),
    ),
  )
}

interface Case extends Knowledge {
  readonly target: Target
  readonly kind: Kind
  readonly truth: Truth
  readonly answers: Answers
  readonly read: Reads
  readonly proof: Proof
}

function verdictsOf(it: Case): readonly Outcome[] {
  const { kind, answers, isRaw, target } = it
  if (answers === 'denies') return ['failed']
  if (answers === 'claims') return ['done']
  // Only the embedded service has redeliveries, so other responses allow both verdicts.
  if (kind === 'redelivery') return ['done', 'unknown']
  // No read confirms messages and pages.
  if (kind === 'message' || kind === 'pages') {
    if (answers === 'shows') return it.truth === 'done' ? ['done'] : ['unknown']
    return answers === 'acknowledges' || answers === 'names' ? ['done'] : ['unknown']
  }
  if (answers === 'misses') return it.isSeen || it.ignoresMissing ? ['done'] : ['done', 'unknown']
  if (isRaw && answers !== 'shows') return answers === 'names' ? ['done', 'unknown'] : ['unknown']
  if (answers === 'shows' && isShown(it)) return shown(it)
  // Without a read, a value that the response does not show may stay unknown.
  if (isRaw) return [...shown(it), 'unknown']
  // A service need not show unlisted fields, so the ID is an acknowledgement. An offboarding reads the item
  // anyway.
  if (answers === 'names' && isUnlistedOnly(target)) return ['done', ...shown(it)]
  // A room without a known ID cannot be read.
  if (kind === 'room' && answers !== 'names' && answers !== 'shows') return ['unknown']
  if (it.read === 'never' || (it.read === 'listed' && !it.isMany)) return ['unknown']
  return it.read === 'maybe' ? [...shown(it), 'unknown'] : shown(it)
}

/** Returns true if the response proves every listed field. */
const isShown = ({ truth, proof, target }: Case) =>
  (truth === 'done' || truth === 'equal') && !hidesListed(target, proof)

const hidesListed = (target: Target, proof: Proof) =>
  Object.keys(target.asked).some(
    (field) => isHidden(field, target, proof) && !unlisted.has(fieldName(field, target.isMember)),
  )

const isUnlistedOnly = ({ kind, asked, isMember }: Target) =>
  kind === 'change' && Object.keys(asked).every((field) => unlisted.has(fieldName(field, isMember)))

/** Returns the verdicts for a state that a response or a read shows. */
function shown({ truth, kind, isSeen, proof, target }: Case): readonly Outcome[] {
  if (hidesListed(target, proof)) return ['unknown']
  const isCreation = kind === 'room' || kind === 'user' || kind === 'member'
  // Only a command that has read the item before can distinguish a third value from the old value.
  const changedOtherwise = isSeen ? (['failed'] as const) : (['failed', 'unknown'] as const)
  switch (truth) {
    case 'done':
    case 'equal':
      return ['done']
    case 'similar':
      return isCreation || isSeen ? ['done'] : ['unknown']
    case 'longer':
      return isCreation ? ['done'] : changedOtherwise
    case 'partly':
      return ['failed']
    case 'misnamed':
      return kind === 'room' ? ['unknown'] : isCreation ? ['unknown', 'failed'] : changedOtherwise
    case 'other':
      return isCreation ? ['unknown', 'failed'] : changedOtherwise
    case 'not':
      return ['unknown']
  }
}
