import { dirname, resolve } from 'node:path'
import { omitUndefined } from '../../api/defined.ts'
import { counted, plural } from '../../api/plural.ts'
import { PartialError, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import { rowKinds } from '../output/views/rows.ts'
import { isInteractive } from '../requests/confirm.ts'
import { confirmItems } from '../run/confirm-items.ts'
import { printRun } from '../run/print-run.ts'
import { readDesired } from './document/read-document.ts'
import { LockFile, lockFileOf, readLockFile } from './lock/lock-file.ts'
import { requireOwnLock } from './other-lock.ts'
import { kindPlurals } from './plan/items.ts'
import { isUnresolved, isWrite, type Plan } from './plan/plan.ts'
import { requireAllowedRemovals } from './plan/plan-workspace.ts'
import { describeSummary, describeWrites, summarizePlan } from './plan/summary.ts'
import { formatPlanFlags, type PlanFlags, readPlanOptions } from './plan-flags.ts'
import { type PreparedPlan, preparePlan } from './prepare-plan.ts'
import { describeItemLine, printPlan, suggestNextStep, toRow } from './print-plan.ts'
import { applyItems, openApplyRun } from './run/apply-run.ts'
import { LockKeeper } from './run/lock-keeper.ts'

interface ApplyFlags extends PlanFlags, PaceFlags {
  max?: number
  plan?: string
}

/**
 * Applies a workspace file, or prints the plan with `--dry-run`.
 * @throws {ConditionError} if the plan differs from the file of `--plan`
 * @throws {ConfirmationError} if the changes are not confirmed or not allowed
 * @throws {PartialError} without `--dry-run`, if items are unresolved
 */
export async function applyWorkspace(context: Context, file: string, given: ApplyFlags): Promise<void> {
  context.refuseCurl('the contents of the service')
  const printer = await context.printer()
  printer.check(rowKinds.applied, true)
  const { host } = context
  const { flags, review } = await readReview(context, file, given)
  const document = await readDesired(context, file, flags)
  // A preview reads the lock file without acquiring it.
  const name = lockFileOf(file, flags.lock)
  const lock = context.flags.dryRun ? undefined : await LockFile.open(name, host)
  try {
    const sections = lock?.sections ?? readLockFile(name, host)
    const request = { lock: name, document, sections, options: readPlanOptions(flags) }
    const prepared = await preparePlan(context, request, flags)
    const { plan, problem } = prepared
    if (!lock) await printPlan(context, plan)
    requireOwnLock(context, file, flags, prepared)
    await review?.(prepared)
    requireAllowedRemovals(plan, flags.allowLarge)
    if (lock) {
      await confirmPlan(context, file, plan, flags)
      await saveRemoved(context, file, plan, flags)
      await runPlan(context, prepared, new LockKeeper(lock, prepared.section, document), flags)
    }
    if (problem) throw problem
    if (lock) requireResolved(file, plan, flags)
  } finally {
    await lock?.close()
  }
}

/** Reads the file of `--plan`, which contains the plan flags. */
async function readReview(context: Context, workspace: string, given: ApplyFlags) {
  const { plan: file } = given
  if (file === undefined) return { flags: given, review: undefined }
  const { readPlanFile, readPlanFlags, requireNoPlanFlags, requireReviewedPlan } = await import(
    './plan-file.ts'
  )
  requireNoPlanFlags(given)
  const reviewed = await readPlanFile(context, file)
  const flags = { ...given, ...readPlanFlags(reviewed) }
  const renewal = ['workspace', 'diff', workspace, ...formatPlanFlags(flags), '--out', file]
  return {
    flags,
    review: ({ plan, identity }: PreparedPlan) =>
      requireReviewedPlan(context, file, reviewed, plan, identity, renewal),
  }
}

const maxPlanLines = 50

async function confirmPlan(context: Context, file: string, plan: Plan, flags: ApplyFlags): Promise<void> {
  const summary = summarizePlan(plan)
  const count = plan.items.filter(isWrite).length
  const items = { count, nouns: plural(count, 'item'), max: flags.max, verb: 'write' }
  await confirmItems(context, items)
  if (isInteractive(context.host) && !context.flags.yes) {
    const shown = plan.items.filter((item) => isWrite(item) || isUnresolved(item))
    for (const item of shown.slice(0, maxPlanLines)) await context.notice(describeItemLine(item))
    if (shown.length > maxPlanLines)
      await context.notice([
        `… ${shown.length - maxPlanLines} more; see all with: `,
        suggestDiff(file, flags),
      ])
  }
  for (const line of describeSummary(plan)) await context.notice(line)
  await confirmItems(context, items, {
    activity: `applying ${file}`,
    describe: async () => `Apply ${file}: ${describeWrites(summary)}`,
  })
}

async function runPlan(
  context: Context,
  { plan, state, identity }: PreparedPlan,
  keeper: LockKeeper,
  flags: ApplyFlags,
) {
  const isIds = (await context.printer()).options.format === 'ids'
  await keeper.begin(plan.adopted, state, identity.applicationId)
  const writes = plan.items.filter(isWrite)
  const run = await openApplyRun(context, writes, flags)
  const summary = summarizePlan(plan)

  async function* pages(): AsyncGenerator<Page> {
    for await (const { item, status, reason } of applyItems(context, run, writes, keeper)) {
      const row = { ...toRow(item), status, reason: reason ?? item.reason }
      if (!isIds || status === 'ok') yield { items: [row], rest: { summary } }
    }
    for (const item of plan.items)
      if (!isIds && (isUnresolved(item) || item.action === 'cannot'))
        yield { items: [{ ...toRow(item), status: null }], rest: { summary } }
    await keeper.finish()
  }

  await printRun(context, run, {
    ...{ view: rowKinds.applied, key: 'results', pages: pages() },
    advise: () =>
      run.tally.count('unknown') > 0 ? 'run the command again to complete the changes' : undefined,
    // A conflict is a partial failure, because someone else changed the workspace during the run.
    conclude: (error) =>
      error && run.tally.conflicts > 0 && error.exitCode === 1
        ? new PartialError(error.message, { hint: error.hint })
        : error,
  })
}

const suggestDiff = (file: string, flags: PlanFlags) =>
  suggest(['workspace', 'diff', ...formatPlanFlags(flags)], file)

function requireResolved(file: string, plan: Plan, flags: ApplyFlags): void {
  const unresolved = plan.items.filter(isUnresolved)
  if (unresolved.length === 0) return
  throw new PartialError(
    `${counted(unresolved.length, 'item')} of ${file} ${plural(unresolved.length, 'is', 'are')} unresolved`,
    {
      hint: suggestNextStep(file, plan, flags) ?? ['show the items with: ', suggestDiff(file, flags)],
    },
  )
}

/**
 * Saves the rooms and users that the plan removes, unless `--no-save` is given.
 * @throws {UsageError} if one `--save` file would contain both kinds
 */
async function saveRemoved(
  context: Context,
  file: string,
  { items }: Plan,
  { concurrency, rate }: PaceFlags,
): Promise<void> {
  const idsOf = (kind: 'room' | 'user') =>
    items.flatMap((item) =>
      item.action === 'remove' && item.kind === kind ? [item.room_id ?? item.key] : [],
    )
  const removed = (['room', 'user'] as const).map((kind) => ({ kind: kindPlurals[kind], ids: idsOf(kind) }))
  const kinds = removed.filter(({ ids }) => ids.length > 0)
  const { save } = context.flags
  if (save === false || kinds.length === 0) return
  if (save !== undefined && kinds.length > 1)
    throw new UsageError(
      '--save cannot be used if the plan deletes both users and rooms, because its file contains one kind of record',
      {
        hint: 'omit --save: the records are saved in the directory of the workspace file, one file per kind',
        lineEdit: {
          before: 'save the records in the directory of the workspace file, one file per kind: ',
          omit: ['--save'],
        },
      },
    )
  const { FileBackup } = await import('../backup/backup.ts')
  for (const { kind, ids } of kinds) {
    const dir = dirname(resolve(context.host.cwd, file))
    // A second backup beside the context's backup would save records twice.
    const backup = (await context.backup()) ?? new FileBackup(context, { dir })
    await backup.save({ kind: kind as 'rooms' | 'users', ids, flags: omitUndefined({ concurrency, rate }) })
    if (backup !== (await context.backup())) await backup.close()
  }
}
