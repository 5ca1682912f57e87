import { type Hint, UsageError } from '../../errors.ts'
import type { Context } from './context.ts'

/**
 * Refuses `--curl` in a command whose requests depend on responses.
 * @param unknown what a response would show, such as `the rooms of the users`
 */
export function refuseCurl({ flags }: Context, unknown: string, hint?: Hint): void {
  if (flags.curl) throw new UsageError(`--curl sends nothing, so ${unknown} are unknown`, { hint })
}
