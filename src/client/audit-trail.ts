import type { WireRequest } from '../api/wire.ts'

/** What a record of changes hears of one change. */
export interface AuditTrail {
  /** Before it is sent; resolves when that is on record. What it throws is thrown instead of sending. */
  begin(request: Pick<WireRequest, 'method' | 'url'>): Promise<void>
  /** The service has answered, whatever it said. */
  answered(status: number): void
  /** @param answer that of the service, where there is one */
  succeeded(answer: unknown): void
  failed(cause: unknown): void
}

/** Does what is on record, if it is, and records what became of it. */
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
