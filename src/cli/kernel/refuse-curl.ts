import { type Hint, UsageError } from '../../errors.ts'
import type { Context } from './context.ts'

/**
 * @param unread data on which the requests depend, such as `the rooms of the users`
 * @throws {UsageError} with `--curl`
 */
export function refuseCurl({ flags }: Context, unread: string, hint?: Hint): void {
  if (flags.curl) throw new UsageError(`--curl cannot be used, because it does not read ${unread}`, { hint })
}
