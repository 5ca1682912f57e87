import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { suggest, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Context } from '../kernel/context.ts'
import type { Section } from './lock/lock.ts'
import { lockFileOf, readLockFile } from './lock/lock-file.ts'
import type { WorkspaceIdentity } from './lock/section.ts'
import type { PlanItem } from './plan/plan.ts'
import { formatPlanFlags, type PlanFlags } from './plan-flags.ts'

interface Found {
  identity: WorkspaceIdentity
  section: Section
  plan: { items: readonly Partial<Pick<PlanItem, 'candidates'>>[] }
}

/**
 * Returns an error if, without `--lock`, the own lock file records no rooms but another one beside it records
 * rooms of the plan. With the own lock file, `--prune` would ignore the members that the other one records.
 */
export function findOtherLock(
  context: Context,
  file: string,
  flags: PlanFlags,
  { identity, section, plan }: Found,
): UsageError | undefined {
  if (flags.lock !== undefined || section.rooms.size > 0) return undefined
  const ids = new Set(plan.items.flatMap(({ candidates = [] }) => candidates))
  if (ids.size === 0) return undefined
  const own = lockFileOf(file)
  const recordsRooms = ({ base_url, rooms }: Section) =>
    base_url === identity.baseUrl && [...rooms.values()].some(({ id }) => ids.has(id))
  const other = listLockFiles(dirname(own), context.host).find(
    (name) => basename(name) !== basename(own) && readSections(name, context.host).some(recordsRooms),
  )
  if (other === undefined) return undefined
  const use = (lock: string) =>
    suggest([...context.command.split(' '), ...formatPlanFlags({ ...flags, lock })], file)
  return new UsageError(`rooms of ${file} already belong to the lock file ${other}; nothing was changed`, {
    hint: ['if the file was renamed: ', use(other), '; for a separate lock file: ', use(own)],
  })
}

/** @throws {UsageError} if `findOtherLock` finds another lock file */
export function requireOwnLock(...given: Parameters<typeof findOtherLock>): void {
  const other = findOtherLock(...given)
  if (other) throw other
}

function listLockFiles(dir: string, host: Host): string[] {
  const names = readdirSync(resolve(host.cwd, dir)).filter((name) => name.endsWith('.lock'))
  return names.sort().map((name) => join(dir, name))
}

/** Returns no sections for an unreadable file, such as the lock file of another program. */
function readSections(name: string, host: Host): Section[] {
  try {
    return readLockFile(name, host)
  } catch {
    return []
  }
}
