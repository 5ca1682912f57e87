import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { getIdField } from '../api/guards.ts'
import { writeJson } from '../api/json.ts'
import { toText } from '../api/to-text.ts'
import {
  InterruptedError,
  type MeetroomError,
  NotAppliedError,
  toMeetroomError,
  UnknownOutcomeError,
} from '../errors.ts'
import { compareFields, type Item } from './compare.ts'
import type { ResponseBody } from './parsed-response.ts'
import { type AnyInput, callerId } from './request.ts'
import { type Before, judgeRead, type Remark, type Verdict } from './verdict.ts'

/** Operation that reads one item by its ID. */
export type LookupName = {
  [N in OperationName]: (typeof endpoints)[N] extends { method: 'GET'; many: false } ? N : never
}[OperationName]

/** Write whose response does not prove it. */
export interface Doubt {
  name: OperationName
  input: AnyInput
  before: Before
  error: UnknownOutcomeError
}

export type ProofList = 'listRooms' | 'listUsers' | 'listMembers'

/** Reads a whole list by pages. */
export type ReadList = (name: ProofList, input: AnyInput) => AsyncIterable<readonly Item[]>

export interface FoundItem {
  /** Undefined if the item does not exist. */
  item: Item | undefined
  /** Response with the item, if it has the form of the API specification. */
  answer?: ResponseBody | undefined
}

export interface ProofReader {
  /** @throws when the item cannot be read */
  readItem(name: LookupName, input: AnyInput): Promise<FoundItem>
  readList: ReadList
  /** Rejects when the run is interrupted. */
  sleep(ms: number): Promise<void>
  onRemark(remark: Remark): void
  /** Maximum number of concurrent reads. */
  readonly concurrency: number
}

export type Prove = (doubts: readonly Doubt[]) => Promise<ReadonlyMap<Doubt, Proof>>

/** @throws the error of the write, if it is not proved */
export type Settle = (doubt: Doubt, prove: Prove) => Promise<ResponseBody>

type Proof = { answer: ResponseBody } | { error: MeetroomError }
type Evidence = FoundItem | { error: MeetroomError }

/** Pauses before the reads of an item that still has its old values, in milliseconds. Replicas lag. */
export const pausesMs = [0, 500, 1500]

/** Proves one write immediately. */
export const settleNow: Settle = async (doubt, prove) => {
  const proof = (await prove([doubt])).get(doubt)
  if (proof && 'answer' in proof) return proof.answer
  throw proof?.error ?? doubt.error
}

/** Returns true when a read can show whether a write took effect. */
export function isReadable({ name, input, error }: Omit<Doubt, 'before'>): boolean {
  const { readBack }: Endpoint = endpoints[name]
  return (
    readBack !== undefined &&
    !error.isFinal &&
    (readBack === 'listMembers' || targetId(name, input, error) !== undefined)
  )
}

/** Decides writes by what the service holds. Reads the items, and those with old values again. */
export async function prove(
  doubts: readonly Doubt[],
  reader: ProofReader,
): Promise<ReadonlyMap<Doubt, Proof>> {
  const proofs = new Map<Doubt, Proof>()
  const problems = new Map<Doubt, string>()
  let open = doubts
  try {
    for (const pauseMs of pausesMs) {
      if (open.length === 0) break
      if (pauseMs > 0) await reader.sleep(pauseMs)
      const found = await readAll(open, reader)
      for (const doubt of open) {
        const evidence = found.get(doubt) ?? { item: undefined }
        const proof = judge(doubt, evidence, reader)
        if ('old' in proof) problems.set(doubt, proof.old)
        else proofs.set(doubt, proof)
      }
      open = open.filter((doubt) => !proofs.has(doubt))
    }
  } catch (cause) {
    // An interruption ends all reads.
    for (const doubt of open) proofs.set(doubt, { error: toInterruption(doubt, cause) })
  }
  for (const doubt of open)
    if (!proofs.has(doubt)) proofs.set(doubt, { error: createUnknownError(doubt, problems.get(doubt) ?? '') })
  return proofs
}

function judge(doubt: Doubt, evidence: Evidence, { onRemark }: ProofReader): Proof | { old: string } {
  if ('error' in evidence)
    return { error: createUnknownError(doubt, `it cannot be read: ${evidence.error.message}`) }
  const { name, input, before, error } = doubt
  const endpoint: Endpoint = endpoints[name]
  const { item, answer } = evidence
  // The values of a new item that the service chose the ID of are not those from before.
  const isCreated = error.createdId !== undefined
  const verdict = judgeRead(endpoint, input, item, isCreated && item ? null : before)
  switch (verdict.is) {
    case 'done':
      for (const remark of verdict.remarks) onRemark(remark)
      return { answer: toAnswer(doubt, verdict, answer) }
    case 'old':
      return { old: verdict.problem }
    case 'not applied': {
      const { status, request, body, hint, createdId, possibleId } = error
      if (possibleId !== undefined) return { error: createUnknownError(doubt, verdict.problem) }
      const created = createdId === undefined ? '' : `; it created ${createdId}`
      return {
        error: new NotAppliedError(
          `the service did not make the change as requested: ${verdict.problem}${created}`,
          {
            ...{ status, request, body, hint, createdId, cause: error },
          },
        ),
      }
    }
    default:
      return { error: createUnknownError(doubt, 'problem' in verdict ? verdict.problem : '') }
  }
}

function createUnknownError({ error }: Doubt, problem: string): UnknownOutcomeError {
  const { status, request, body, hint, createdId, accepted, requestId, retryAfter } = error
  return new UnknownOutcomeError(`${error.message}; a read does not prove it either: ${problem}`, {
    ...{ status, request, body, hint, createdId, accepted, requestId, retryAfter, cause: error },
  })
}

function toInterruption({ error }: Doubt, cause: unknown): MeetroomError {
  if (!(cause instanceof InterruptedError)) return toMeetroomError(cause)
  return new InterruptedError(cause.signal, { hint: error.hint, request: error.request })
}

function toAnswer(
  { name, input, before }: Doubt,
  { item }: Extract<Verdict, { is: 'done' }>,
  answer?: ResponseBody,
): ResponseBody {
  const endpoint: Endpoint = endpoints[name]
  if (endpoint.method === 'DELETE') return createDeletionAnswer(endpoint, input, before)
  return answer ?? createAnswer(endpoint, item)
}

/** Creates the response to a deletion that is proved: the item as this run has read it, or else only its ID. */
export function createDeletionAnswer(endpoint: Endpoint, input: AnyInput, before: Before): ResponseBody {
  return createAnswer(endpoint, before ?? { [getIdField(endpoint)]: callerId(endpoint, input) })
}

function createAnswer({ result }: Endpoint, item: Item | undefined): ResponseBody {
  const value = item ? { [result]: item } : {}
  return { value, bytes: new TextEncoder().encode(writeJson(value)), isPlain: true }
}

/** Returns the ID of the item to read. */
function targetId(
  name: OperationName,
  input: AnyInput,
  { createdId, possibleId }: UnknownOutcomeError,
): string | undefined {
  return callerId(endpoints[name], input) ?? createdId ?? possibleId
}

const listOf = {
  getRoom: 'listRooms',
  getUser: 'listUsers',
  getMember: 'listMembers',
  listMembers: 'listMembers',
} as const

/** Minimum number of items that are read from a list instead of one by one. */
const minListed = 10

async function readAll(doubts: readonly Doubt[], reader: ProofReader): Promise<Map<Doubt, Evidence>> {
  const found = new Map<Doubt, Evidence>()
  const groups = new Map<string, Doubt[]>()
  for (const doubt of doubts) {
    const list = `${listNameOf(doubt)} ${doubt.input.params?.['room_id'] ?? ''}`
    groups.set(list, [...(groups.get(list) ?? []), doubt])
  }
  const listed = [...groups.values()]
    .map((group) => (group.length < minListed ? group.filter(isOnlyListed) : group))
    .filter((group) => group.length > 0)
  await runConcurrently(listed, reader.concurrency, (group) => readFromList(group, reader, found))
  const others = doubts.filter((doubt) => !found.has(doubt))
  await runConcurrently(others, reader.concurrency, (doubt) => readOne(doubt, reader, found))
  return found
}

function listNameOf({ name }: Doubt): ProofList {
  const { readBack = 'getRoom' }: Endpoint = endpoints[name]
  return listOf[readBack]
}

/** Returns true for a new member, whose ID is not known. */
function isOnlyListed({ name }: Doubt): boolean {
  const { readBack }: Endpoint = endpoints[name]
  return readBack === 'listMembers'
}

async function readFromList(
  group: readonly Doubt[],
  reader: ProofReader,
  found: Map<Doubt, Evidence>,
): Promise<void> {
  const [first] = group
  if (!first) return
  const list = listNameOf(first)
  const room_id = first.input.params?.['room_id']
  const open = new Map<string, Doubt[]>()
  for (const doubt of group) open.set(keyOf(doubt), [...(open.get(keyOf(doubt)) ?? []), doubt])
  const missing = new Set(open.keys())
  const isNeeded = group.some(isOnlyListed)
  const id = getIdField(endpoints[list])
  let pages = 0
  let settled = 0
  try {
    for await (const items of reader.readList(list, room_id === undefined ? {} : { params: { room_id } })) {
      // A list that settles fewer items than it has pages would cost more than reading the items.
      if (settled < pages++ && !isNeeded) return
      for (const item of items)
        for (const key of [toText(item[id]), userKey(item)]) {
          missing.delete(key)
          for (const doubt of open.get(key) ?? [])
            if (isOnlyListed(doubt) || showsAll(doubt, item)) {
              found.set(doubt, { item })
              settled++
            }
        }
    }
    for (const key of missing) for (const doubt of open.get(key) ?? []) found.set(doubt, { item: undefined })
  } catch (cause) {
    const evidence = toEvidence(cause)
    for (const doubt of group.filter(isOnlyListed)) if (!found.has(doubt)) found.set(doubt, evidence)
  }
}

function keyOf(doubt: Doubt): string {
  const { name, input, error } = doubt
  return isOnlyListed(doubt) ? userKey(Object(input.body)) : (targetId(name, input, error) ?? '')
}

function userKey({ user_id }: Item): string {
  return `user ${toText(user_id)}`
}

/** Returns true when an item of a list shows all fields of a write. Some services show less in lists. */
function showsAll({ name, input }: Doubt, item: Item): boolean {
  return compareFields(endpoints[name], input.body, item).every(
    ({ match }) => match !== 'hidden' && match !== 'unlisted',
  )
}

async function runConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = items.values()
  const worker = async () => {
    for (const item of source) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
}

async function readOne(doubt: Doubt, reader: ProofReader, found: Map<Doubt, Evidence>): Promise<void> {
  const { name, input, error } = doubt
  const { readBack }: Endpoint = endpoints[name]
  if (readBack === undefined || readBack === 'listMembers') return
  const id = targetId(name, input, error) ?? ''
  const params = readBack === 'getRoom' ? { id } : readBack === 'getUser' ? { user_id: id } : input.params
  found.set(doubt, await reader.readItem(readBack, params ? { params } : {}).catch(toEvidence))
}

function toEvidence(cause: unknown): Evidence {
  const error = toMeetroomError(cause)
  if (error instanceof InterruptedError) throw error
  return { error }
}
