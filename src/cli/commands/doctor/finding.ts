import { type Hint, MeetroomError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'

/** Result of one check. */
export interface Finding {
  check: string
  status: 'ok' | 'failed' | 'skipped'
  message: string
  hint: string | null
}

/** Result of a check: details if it passed, otherwise the problem. */
export type CheckResult = string | { wrong: string; hint: Hint }

interface Limits {
  /** Timeout, in milliseconds. */
  mostMs?: number
  /** Hint for failures without a hint of their own. */
  hint?: Hint
}

/**
 * Runs a check with a timeout. `work` must stop when its signal is aborted.
 * @throws the reason of an interruption
 */
export async function runCheck(
  context: Context,
  check: string,
  work: (signal: AbortSignal) => Promise<CheckResult> | CheckResult,
  { mostMs = 5000, hint }: Limits = {},
): Promise<Finding> {
  const { interrupt } = context
  const ending = new AbortController()
  const stop = () => ending.abort(interrupt.reason)
  interrupt.addEventListener('abort', stop, { once: true })
  const ended = new Promise<never>((_, reject) =>
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason)),
  )
  const late = new TooLate(`no answer within ${mostMs / 1000} s`)
  // Unlike the timers of the host, this one keeps the process running.
  const timer = setTimeout(() => ending.abort(late), mostMs)
  try {
    interrupt.throwIfAborted()
    return findingOf(context, check, await Promise.race([work(ending.signal), ended]))
  } catch (error) {
    if (interrupt.aborted) throw interrupt.reason
    return findingOf(context, check, failedCheck(error, hint))
  } finally {
    clearTimeout(timer)
    interrupt.removeEventListener('abort', stop)
  }
}

export function skipped(check: string, why: string): Finding {
  return { check, status: 'skipped', message: why, hint: null }
}

class TooLate extends Error {}

function findingOf(context: Context, check: string, found: CheckResult): Finding {
  return typeof found === 'string'
    ? { check, status: 'ok', message: found, hint: null }
    : { check, status: 'failed', message: found.wrong, hint: context.hintText(found.hint) || null }
}

export function failedCheck(error: unknown, hint: Hint = ''): CheckResult {
  if (error instanceof TooLate)
    return { wrong: error.message, hint: hint || 'try again, or ask who runs the network' }
  if (error instanceof MeetroomError) return { wrong: error.message, hint: error.hint ?? hint }
  return { wrong: error instanceof Error ? error.message : String(error), hint }
}
