import { UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'

/** @throws {UsageError} with `--curl`, because the requests depend on the responses before them */
export function refuseCurl({ flags }: Context): void {
  if (flags.curl) throw new UsageError('--curl sends nothing, so the contents of the service are unknown')
}
