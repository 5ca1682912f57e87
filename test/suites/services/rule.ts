import { type Answers, answersOf, type Kind, type Proof, type Reads, readsOf } from './proof.ts'
import type { Target } from './target.ts'
import type { Truth } from './truth.ts'

/** What a run says about an item. */
export type Outcome = 'done' | 'failed' | 'unknown'

/** Requested fields that the API specification does not list in the resource. */
const unlisted = new Set(['is_blocked', 'max_meeting_seconds', 'members', 'email', 'member.name'])

/** Whether a service shows a requested field nowhere. No response of the API shows the members of a room. */
const isHidden = (field: string, { asked, isMember }: Target, { hides = [], hidesNull }: Proof) =>
  field === 'members' ||
  hides.includes(fieldName(field, isMember)) ||
  (hidesNull === true && field === 'is_terminated' && asked[field] === false)

const fieldName = (field: string, isMember = false) => (isMember && field === 'name' ? 'member.name' : field)

/** A target with the requested fields that a service shows. */
export function visible(target: Target, proof: Proof): Target {
  const asked = Object.entries(target.asked).filter(([field]) => !isHidden(field, target, proof))
  return { ...target, asked: Object.fromEntries(asked) }
}

/** How a command knows an item. */
export interface Knowledge {
  /** The command has read the item before it was written. */
  readonly isSeen: boolean
  /** The command writes so many items that it reads them from a list. */
  readonly isMany: boolean
  /** A missing item counts as deleted. */
  readonly ignoresMissing: boolean
  /** The command adds no request. */
  readonly isRaw: boolean
}

/** The requested fields that the service does not show. */
export const hiddenFields = (target: Target, proof: Proof): string[] =>
  Object.keys(target.asked).filter((field) => field !== 'members' && isHidden(field, target, proof))

/**
 * The verdicts that are right by the rule “what the service holds decides”.
 * @param truth what became of the fields that the service shows
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
  // Only the embedded service has this operation.
  if (kind === 'redelivery') return ['done', 'unknown']
  // Nothing can be read of these.
  if (kind === 'message' || kind === 'pages') {
    if (answers === 'shows') return it.truth === 'done' ? ['done'] : ['unknown']
    return answers === 'acknowledges' || answers === 'names' ? ['done'] : ['unknown']
  }
  if (answers === 'misses') return it.isSeen || it.ignoresMissing ? ['done'] : ['done', 'unknown']
  if (isRaw && answers !== 'shows') return answers === 'names' ? ['done', 'unknown'] : ['unknown']
  if (answers === 'shows' && isShown(it)) return shown(it)
  // The command adds no read, so that a value which the answer does not show stays unknown.
  if (isRaw) return [...shown(it), 'unknown']
  // Acknowledged: no service must show these fields. An offboarding reads the item nevertheless.
  if (answers === 'names' && isUnlistedOnly(target)) return ['done', ...shown(it)]
  // A room whose ID is not known cannot be read.
  if (kind === 'room' && answers !== 'names' && answers !== 'shows') return ['unknown']
  if (it.read === 'never' || (it.read === 'listed' && !it.isMany)) return ['unknown']
  return it.read === 'maybe' ? [...shown(it), 'unknown'] : shown(it)
}

/** The answer proves all of it. */
const isShown = ({ truth, proof, target }: Case) =>
  (truth === 'done' || truth === 'equal') && !hidesListed(target, proof)

const hidesListed = (target: Target, proof: Proof) =>
  Object.keys(target.asked).some(
    (field) => isHidden(field, target, proof) && !unlisted.has(fieldName(field, target.isMember)),
  )

const isUnlistedOnly = ({ kind, asked, isMember }: Target) =>
  kind === 'change' && Object.keys(asked).every((field) => unlisted.has(fieldName(field, isMember)))

/** The verdicts where the state is seen, in the answer or by a read. */
function shown({ truth, kind, isSeen, proof, target }: Case): readonly Outcome[] {
  if (hidesListed(target, proof)) return ['unknown']
  const isCreation = kind === 'room' || kind === 'user' || kind === 'member'
  // Only a command that has read the item before can tell a third value from the old one.
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
