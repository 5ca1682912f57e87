import { diagnosis } from '../../../client/no-response.ts'
import { type Hint, MeetroomError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { RowOf } from '../../output/views/rows.ts'

export type Finding = RowOf<'checks'>

/** Details of a passed check, or the problem of a failed check. */
export type CheckResult = string | { details: string; hint: Hint } | { problem: string; hint: Hint }

interface CheckLimits {
  timeoutMs?: number
  /** Hint for an error without its own hint. */
  hint?: Hint
}

/**
 * Runs a check. A timeout or an interrupt aborts the signal.
 * @throws the interrupt reason after an interrupt
 */
export async function runCheck(
  context: Context,
  check: string,
  work: (signal: AbortSignal) => Promise<CheckResult> | CheckResult,
  { timeoutMs: mostMs = 5000, hint }: CheckLimits = {},
): Promise<Finding> {
  const { interrupt } = context
  const ending = new AbortController()
  const stop = () => ending.abort(interrupt.reason)
  interrupt.addEventListener('abort', stop, { once: true })
  const ended = new Promise<never>((_, reject) =>
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason)),
  )
  const late = new CheckTimeout(`no response within ${mostMs / 1000} s`)
  // A timer of the host would not keep the process running.
  const timer = setTimeout(() => ending.abort(late), mostMs)
  try {
    interrupt.throwIfAborted()
    return await toFinding(context, check, await Promise.race([work(ending.signal), ended]))
  } catch (error) {
    if (interrupt.aborted) throw interrupt.reason
    return toFinding(context, check, describeFailure(error, hint))
  } finally {
    clearTimeout(timer)
    interrupt.removeEventListener('abort', stop)
  }
}

export function skipCheck(check: string, why: string): Finding {
  return { check, status: 'skipped', message: why, hint: null }
}

class CheckTimeout extends Error {}

async function toFinding(context: Context, check: string, found: CheckResult): Promise<Finding> {
  if (typeof found === 'string') return { check, status: 'ok', message: found, hint: null }
  const hint = (await context.hintText(found.hint)) || null
  return 'details' in found
    ? { check, status: 'ok', message: found.details, hint }
    : { check, status: 'failed', message: found.problem, hint }
}

export function describeFailure(error: unknown, hint: Hint = ''): CheckResult {
  if (error instanceof CheckTimeout)
    return { problem: error.message, hint: hint || 'retry, or ask the administrator of the network' }
  if (error instanceof MeetroomError && error.hint === diagnosis)
    return { problem: error.message, hint: 'read the log of the service, or ask its administrator' }
  if (error instanceof MeetroomError) return { problem: error.message, hint: error.hint ?? hint }
  return { problem: error instanceof Error ? error.message : String(error), hint }
}
