import { parseRetryAfter } from '../../api/retry-after.ts'
import { InterruptedError, MeetroomError, UnknownOutcomeError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Gate } from './gate.ts'

/** How often something is tried again that the service is too busy for. */
const patience = 10
/** The longest that everybody is held back at once, whatever the service asks for. */
const longestHoldMs = 300_000

interface Run {
  /** Held back as long as the service is busy. */
  gate: Gate
  /** Aborted: nothing is tried again. */
  stop: AbortSignal
  clock: Pick<Host, 'now'>
}

/**
 * Asks again, and holds everybody back, as long as the service says that it is busy.
 * @throws {UnknownOutcomeError} when an attempt before the last may have changed something
 */
export async function patiently<T>(ask: () => Promise<T>, { gate, stop, clock }: Run): Promise<T> {
  let lost = false
  for (let attempt = 0; ; attempt++)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof MeetroomError)) throw error
      lost ||= error.afterLostAttempt || error instanceof UnknownOutcomeError
      if (!isBusy(error.status) || attempt >= patience || stop.aborted)
        throw lost && !saysSo(error) ? new UnknownOutcomeError(error.message, { cause: error }) : error
      const asked = parseRetryAfter(error.retryAfter, clock.now())
      gate.hold(Math.min(longestHoldMs, asked ?? 500 * 2 ** attempt))
      await gate.pass(stop)
    }
}

/** The error says itself that something may have been done. */
function saysSo(error: MeetroomError): boolean {
  return error instanceof UnknownOutcomeError || error instanceof InterruptedError
}

/** The service takes no more for now. */
export function isBusy(status: number | undefined): boolean {
  return status === 429 || status === 503
}

/** What people are told of it. */
export function busy(seconds: number): string {
  return `the service is busy; nothing is sent for ${seconds} s`
}
