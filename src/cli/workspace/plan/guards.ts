import { ConfirmationError } from '../../../errors.ts'
import { kindPlurals } from './items.ts'
import type { Plan, PruneKind } from './plan.ts'

/** @throws {ConfirmationError} if `--allow-large` lacks a guarded kind, or a number differs from the plan */
export function requireAllowedRemovals(
  { guards, items }: Plan,
  allowed: ReadonlyMap<PruneKind, number> = new Map(),
): void {
  for (const { kind, count, recorded } of guards)
    if (allowed.get(kind) !== count)
      throw new ConfirmationError(
        `${count} of ${recorded} ${kind} in the lock file would be removed; nothing was changed`,
        { hint: `check that the file is complete, or pass --allow-large ${kind}=${count} to remove them` },
      )
  for (const [kind, count] of allowed) {
    const planned = items.filter((item) => item.action === 'remove' && kindPlurals[item.kind] === kind).length
    if (planned !== count)
      throw new ConfirmationError(
        `--allow-large ${kind}=${count} does not match the plan, which removes ${planned}; nothing was changed`,
      )
  }
}
