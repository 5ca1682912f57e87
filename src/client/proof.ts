import { type Endpoint, endpoints } from '../api/endpoints.ts'
import { getIdField } from '../api/guards.ts'
import { writeJson } from '../api/json.ts'
import {
  InterruptedError,
  type MeetroomError,
  NotAppliedError,
  toMeetroomError,
  UnknownOutcomeError,
} from '../errors.ts'
import type { Item } from './compare.ts'
import { type Doubt, type Evidence, type ProofReader, readAll, targetId } from './evidence.ts'
import type { ResponseBody } from './parsed-response.ts'
import { type AnyInput, callerId } from './request.ts'
import { type Before, judgeRead } from './verdict.ts'

export type Prove = (doubts: readonly Doubt[]) => Promise<ReadonlyMap<Doubt, Proof>>

/** @throws an error if no read proves the change */
export type Settle = (doubt: Doubt, prove: Prove) => Promise<ResponseBody>

type Proof = { response: ResponseBody } | { error: MeetroomError }
/** Pauses before the reads of an item, in milliseconds, because replicas may lag. */
export const pausesMs = [0, 500, 1500]

export const settleNow: Settle = async (doubt, prove) => {
  const proof = (await prove([doubt])).get(doubt)
  if (proof && 'response' in proof) return proof.response
  throw proof?.error ?? doubt.error
}

export function isReadable(doubt: Omit<Doubt, 'before'>): boolean {
  const { readBack }: Endpoint = endpoints[doubt.name]
  if (readBack === undefined || doubt.error.isFinal) return false
  return readBack === 'listMembers' || targetId(doubt) !== undefined
}

/** Determines the outcome of writes by reading the items. Repeats reads with the verdict `old`. */
export async function prove(doubts: readonly Doubt[], reader: ProofReader): ReturnType<Prove> {
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
    for (const doubt of open) proofs.set(doubt, { error: toInterruption(doubt, cause) })
  }
  for (const doubt of open)
    if (!proofs.has(doubt)) proofs.set(doubt, { error: createUnknownError(doubt, problems.get(doubt) ?? '') })
  return proofs
}

function judge(doubt: Doubt, evidence: Evidence, { onRemark }: ProofReader): Proof | { old: string } {
  if ('error' in evidence)
    return { error: createUnknownError(doubt, `the item cannot be read: ${evidence.error.message}`) }
  const { name, input, before, error } = doubt
  const endpoint: Endpoint = endpoints[name]
  const { item, response } = evidence
  // An item whose ID the service chose is new, so it has no earlier values.
  const isCreated = error.createdId !== undefined
  const verdict = judgeRead(endpoint, input, item, isCreated && item ? null : before)
  switch (verdict.is) {
    case 'done':
      for (const remark of verdict.remarks) onRemark(remark)
      return {
        response:
          endpoint.method === 'DELETE'
            ? createDeletionResponse(endpoint, input, before)
            : (response ?? createResponse(endpoint, verdict.item)),
      }
    case 'old':
      return { old: verdict.problem }
    case 'not applied': {
      const { status, request, body, hint, createdId, possibleId } = error
      if (possibleId !== undefined) return { error: createUnknownError(doubt, verdict.problem) }
      const created = createdId === undefined ? '' : `; it created ${createdId}`
      return {
        error: new NotAppliedError(
          `the service did not make the change as requested: ${verdict.problem}${created}`,
          { status, request, body, hint, createdId, cause: error },
        ),
      }
    }
    default:
      return { error: createUnknownError(doubt, 'problem' in verdict ? verdict.problem : '') }
  }
}

function createUnknownError({ error }: Doubt, problem: string): UnknownOutcomeError {
  const { status, request, body, hint, createdId, accepted, requestId, retryAfter } = error
  const details = { status, request, body, hint, createdId, accepted, requestId, retryAfter, cause: error }
  const text = `${error.message}; a read does not confirm the change: ${problem}`
  return new UnknownOutcomeError(text, details)
}

function toInterruption({ error }: Doubt, cause: unknown): MeetroomError {
  if (!(cause instanceof InterruptedError)) return toMeetroomError(cause)
  return new InterruptedError(cause.signal, { hint: error.hint, request: error.request })
}

export function createDeletionResponse(endpoint: Endpoint, input: AnyInput, before: Before): ResponseBody {
  return createResponse(endpoint, before ?? { [getIdField(endpoint)]: callerId(endpoint, input) })
}

function createResponse({ result }: Endpoint, item: Item | undefined): ResponseBody {
  const value = item ? { [result]: item } : {}
  return { value, bytes: new TextEncoder().encode(writeJson(value)), isPlain: true }
}
