import { toText } from '../../api/to-text.ts'
import { type MeetroomError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { WorkspaceDocument } from './document/document.ts'
import type { Section } from './lock/lock.ts'
import { lockFileOf, readLockFile } from './lock/lock-file.ts'
import { selectSection, type WorkspaceIdentity } from './lock/section.ts'
import type { Plan, PlanOptions, WorkspaceState } from './plan/plan.ts'
import { findLostRooms } from './plan/plan-rooms.ts'
import { planWorkspace } from './plan/plan-workspace.ts'
import { type PlanFlags, readPlanOptions } from './plan-flags.ts'
import { identifyWorkspace, type RoomList, WorkspaceReader } from './read/read-state.ts'

export interface PreparedPlan {
  plan: Plan
  section: Section
  identity: WorkspaceIdentity
  state: WorkspaceState
  /** First error of an incomplete or unread list. */
  problem: MeetroomError | undefined
}

interface PlanRequest {
  /** Name of the lock file, for errors. */
  lock: string
  document: WorkspaceDocument
  sections: readonly Section[]
  options: PlanOptions
  /** Returns the section to use instead of one from `sections`. */
  sectionOf?: (rooms: RoomList, identity: WorkspaceIdentity) => Section
}

/** Plans with the lock file of a workspace file, without acquiring it. */
export function previewPlan(
  context: Context,
  file: string,
  document: WorkspaceDocument,
  flags: PlanFlags & PaceFlags,
): Promise<PreparedPlan> {
  const lock = lockFileOf(file, flags.lock)
  const sections = readLockFile(lock, context.host)
  return preparePlan(context, { lock, document, sections, options: readPlanOptions(flags) }, flags)
}

/** @throws {UsageError} as `selectSection` and `requireCreatable` do, both skipped with `sectionOf` */
export async function preparePlan(
  context: Context,
  { lock, document, sections, options, sectionOf }: PlanRequest,
  flags: PaceFlags,
): Promise<PreparedPlan> {
  const reader = new WorkspaceReader(context, flags)
  const rooms = await reader.readRooms(document.rooms !== undefined)
  const identity = await identifyWorkspace(context, rooms)
  const section =
    sectionOf?.(rooms, identity) ??
    selectSection(sections, identity, {
      name: lock,
      document,
      host: context.host,
      isRoom: (id) => rooms.items.has(id) || !document.rooms,
      prunesUsers: options.prune.has('users'),
    })
  if (!sectionOf) await requireCreatable(document, section, options.recreate)
  const lost = findLostRooms(rooms.items, section)
  const idOf = (key: string) => lost.get(key) ?? section.rooms.get(key)?.id
  const [users, declared] = await Promise.all([
    reader.readUsers(document),
    reader.readDeclared(document, rooms, idOf),
  ])
  const state = { users, ...declared }
  const plan = planWorkspace(document, section, state, options)
  return { plan, section, identity, state, problem: reader.problem }
}

/** @throws {UsageError} if a room to create lacks a type or a unique name, or a key to recreate is unknown */
async function requireCreatable(
  { rooms = [], describePlace }: WorkspaceDocument,
  { rooms: locked }: Section,
  recreate: ReadonlySet<string>,
): Promise<void> {
  const keys = new Set(rooms.map(({ key }) => key))
  const unknownKey = [...recreate].find((key) => !keys.has(key))
  if (unknownKey !== undefined)
    throw new UsageError(`--recreate: no room in the file has the key “${unknownKey}”`)
  const counts = new Map<unknown, number>()
  for (const { fields } of rooms) counts.set(fields['name'], (counts.get(fields['name']) ?? 0) + 1)
  for (const [i, { key, fields, creationDefaults }] of rooms.entries()) {
    if (locked.has(key) && !recreate.has(key)) continue
    for (const field of ['name', 'type'])
      if (fields[field] === undefined && creationDefaults?.[field] === undefined)
        throw new UsageError(
          `${await describePlace(['rooms', i])} (${key}) has no ${field}, which a room without an ID in the lock file needs`,
        )
    if ((counts.get(fields['name']) ?? 0) > 1)
      throw new UsageError(
        `${await describePlace(['rooms', i])} (${key}): another room in the file is also named “${toText(fields['name'])}”`,
        { hint: 'give each room without an ID in the lock file a unique name' },
      )
  }
}
