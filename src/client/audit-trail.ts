import type { WireRequest } from '../api/wire.ts'

export interface AuditTrail {
  /** Resolves when the trail contains the request. A rejection cancels the request. */
  begin(request: Pick<WireRequest, 'method' | 'url'>): Promise<void>
  recordResponse(status: number): void
  recordSuccess(response: unknown): void
  recordFailure(cause: unknown): void
}

export async function withAuditTrail<T>(
  trail: AuditTrail | undefined,
  work: (trail: AuditTrail | undefined) => Promise<T>,
): Promise<T> {
  try {
    const response = await work(trail)
    trail?.recordSuccess(response)
    return response
  } catch (cause) {
    trail?.recordFailure(cause)
    throw cause
  }
}
