import { createFlagConflict } from '../../api/flag-conflict.ts'
import { toText } from '../../api/to-text.ts'
import { ConditionError, type Hint, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import { requireKnownProfile } from '../kernel/profile.ts'
import { groupByName } from '../matching/match.ts'
import { rowKinds } from '../output/views/rows.ts'
import type { DiffFlags } from './diff-workspace.ts'
import type { WorkspaceDocument } from './document/document.ts'
import { readWorkspace } from './export-workspace.ts'
import { createSection, type Section } from './lock/lock.ts'
import { isUnresolved, isWrite } from './plan/plan.ts'
import { preparePlan } from './prepare-plan.ts'
import { printPlan } from './print-plan.ts'
import type { RoomList } from './read/read-state.ts'

/**
 * Prints the changes that would make the workspace of `against` match the selected workspace. Matches rooms
 * by exact name.
 * @throws {ConditionError} if the workspaces differ
 */
export async function diffServices(context: Context, against: string, flags: DiffFlags): Promise<void> {
  context.refuseCurl('the contents of the service')
  const printer = await context.printer()
  printer.check(rowKinds.plan)
  requireProfiles(context, flags)
  requireKnownProfile(await context.storedConfig(), { value: against, from: '--against' })
  const { profile } = await context.settings()
  const { users, rooms } = await readWorkspace(context, {}, [], '')
  const document: WorkspaceDocument = {
    workspace: undefined,
    users,
    rooms,
    describePlace: async (path) => path.join('.'),
  }
  const options = { prune: new Set<never>(), recreate: new Set<string>(), reblocks: false }
  const sectionOf = (
    list: RoomList,
    { baseUrl, applicationId }: { baseUrl: string; applicationId: string | undefined },
  ) => matchByName(document, list, createSection(baseUrl, applicationId, undefined))
  const other = context.withFlags({ ...context.flags, profile: against, local: false })
  const prepared = await other.run(() =>
    preparePlan(other, { lock: '', document, sections: [], options, sectionOf }, flags),
  )
  const { plan, problem } = prepared
  const sides = { holds: `${profile.value} has`, onlyThere: `only in ${against}`, rest: '' }
  await printPlan(context, plan, sides)
  if (problem) throw problem
  const different = plan.items.filter(
    (item) => isWrite(item) || isUnresolved(item) || item.action === 'not_in_file',
  )
  if ((flags.strict ? plan.items : different).length > 0)
    throw new ConditionError(
      `the workspace of the profile ${against} differs from the workspace of ${profile.value}`,
      { hint: plan.items.some(isWrite) ? suggestCopy(profile.value, against) : undefined },
    )
}

function suggestCopy(from: string, to: string): Hint {
  const file = `${from}.yaml`
  return [
    'make the changes with: ',
    suggest(['workspace', 'export', '--profile', from, '--out', file]),
    '; then: ',
    suggest(['workspace', 'adopt', file, '--members', '--profile', to]),
    '; then: ',
    suggest(['workspace', 'apply', file, '--profile', to]),
  ]
}

function requireProfiles({ flags: { baseUrl }, host: { env } }: Context, flags: DiffFlags): void {
  const given = {
    '--base-url': baseUrl,
    MEETROOM_BASE_URL: env['MEETROOM_BASE_URL'],
    MEETROOM_API_KEY: env['MEETROOM_API_KEY'],
  }
  const [name] = Object.entries(given).find(([, value]) => value) ?? []
  if (name !== undefined)
    throw createFlagConflict('--against', name, {
      because: `${name} replaces the ${name === 'MEETROOM_API_KEY' ? 'key' : 'service'} of both profiles`,
    })
  if (flags.out ?? flags.prune ?? flags.recreate ?? flags.allowLarge ?? flags.reblock ?? flags.lock)
    throw new UsageError(
      '--against cannot be used with --out, --prune, --recreate, --reblock, --allow-large or --lock',
    )
}

/** Records the room of each key if exactly one room has the name. Each room gets at most one key. */
function matchByName({ rooms = [] }: WorkspaceDocument, { items }: RoomList, section: Section): Section {
  const byName = groupByName(items)
  const taken = new Set([...section.rooms.values()].map(({ id }) => id))
  for (const { key, fields } of rooms) {
    const ids = byName.get(toText(fields['name'])) ?? []
    const [id] = ids
    if (id === undefined || ids.length > 1 || taken.has(id)) continue
    taken.add(id)
    section.rooms.set(key, { id, values: {}, isProtected: false, members: new Map(), blocks: new Set() })
  }
  return section
}
