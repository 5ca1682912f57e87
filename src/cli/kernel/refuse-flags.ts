import type { GlobalFlags } from '../../config/global-flags.ts'
import { UsageError } from '../../errors.ts'
import { type Effect, sendsRequests } from './effect.ts'

export function refuseFlags(
  { command, flags }: { command: string; flags: GlobalFlags },
  effect: Effect,
  isForEachProfile: boolean,
): void {
  const { dryRun, curl, allProfiles, allowIncomplete } = flags
  const refuse = (flag: string, reason = '') =>
    new UsageError(`${flag} cannot be used with “${command}”${reason}`)
  const readsOnly = ', only with commands that read from a service'
  if (allProfiles && !isForEachProfile) throw refuse('--all-profiles', readsOnly)
  if (allowIncomplete && effect !== 'reads') throw refuse('--allow-incomplete', readsOnly)
  if ((dryRun || curl) && !sendsRequests(effect)) throw refuse(dryRun ? '--dry-run' : '--curl')
}
