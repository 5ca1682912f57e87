import type { WireRequest } from '../api/wire.ts'

export interface AuditTrail {
  /** Resolves when the change is recorded. Its error prevents the request. */
  begin(request: Pick<WireRequest, 'method' | 'url'>): Promise<void>
  answered(status: number): void
  succeeded(answer: unknown): void
  failed(cause: unknown): void
}

/** Runs a change between the records of its beginning and its outcome. */
export function withAuditTrail<T>(
  trail: AuditTrail | undefined,
  work: (trail: AuditTrail | undefined) => Promise<T>,
): Promise<T> {
  return trail ? recorded(trail, work) : work(undefined)
}

async function recorded<T>(trail: AuditTrail, work: (trail: AuditTrail) => Promise<T>): Promise<T> {
  try {
    const answer = await work(trail)
    trail.succeeded(answer)
    return answer
  } catch (cause) {
    trail.failed(cause)
    throw cause
  }
}
