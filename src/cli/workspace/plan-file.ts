import * as z from 'zod'
import { readJson } from '../../api/json.ts'
import { ConditionError, suggest, UsageError } from '../../errors.ts'
import { readInput } from '../../files/input-file.ts'
import { OutputFile, requireSameKind } from '../../files/output-file.ts'
import type { Context } from '../kernel/context.ts'
import type { WorkspaceIdentity } from './lock/section.ts'
import { type Plan, type PruneKind, pruneKinds } from './plan/plan.ts'
import type { PlanFlags } from './plan-flags.ts'
import { describeItemLine, toRow } from './print-plan.ts'

const planSchema = z.object({
  version: z.literal(1),
  base_url: z.string(),
  application_id: z.string().nullable(),
  prune: z.array(z.enum(pruneKinds)),
  recreate: z.array(z.string()),
  reblock: z.boolean().default(false),
  allow_large: z.record(z.string(), z.int()),
  items: z.array(z.string()),
})

type PlanFile = z.output<typeof planSchema>

/** Returns the lines of a plan without `not_in_file` items, which change nothing. */
function linesOf({ items }: Plan): string[] {
  const changing = items.filter(({ action }) => action !== 'not_in_file')
  return changing.map((item) => `${describeItemLine(item)}\t${JSON.stringify(toRow(item))}`)
}

export async function writePlanFile(
  context: Context,
  file: string,
  plan: Plan,
  identity: WorkspaceIdentity,
  { prune = [], recreate = [], reblock = false, allowLarge = new Map() }: PlanFlags,
): Promise<void> {
  const document: PlanFile = {
    version: 1,
    base_url: identity.baseUrl,
    application_id: identity.applicationId ?? null,
    prune: [...prune],
    recreate: [...recreate],
    reblock,
    allow_large: Object.fromEntries(allowLarge),
    items: linesOf(plan),
  }
  const output = await OutputFile.open(file, context.host)
  await output.close(`${JSON.stringify(document, null, 2)}\n`)
  await context.notice(`wrote the plan to ${file}`)
}

/** @throws {UsageError} if `diff --out` would replace a file that is not a plan */
export async function requirePlanFile(context: Context, file: string): Promise<void> {
  await requireSameKind(file, context.host, 'a plan', () =>
    readPlanFile(context, file).then(
      () => true,
      () => false,
    ),
  )
}

/** @throws {UsageError} if the file cannot be read or is not a plan */
export async function readPlanFile({ host }: Context, file: string): Promise<PlanFile> {
  const text = (await readInput(file, host)).toString()
  try {
    return planSchema.parse(readJson(text))
  } catch {
    throw new UsageError(`${file} is not a plan`)
  }
}

export function readPlanFlags({ prune, recreate, reblock, allow_large }: PlanFile): PlanFlags {
  const allowLarge = new Map(Object.entries(allow_large) as [PruneKind, number][])
  return { prune, recreate, reblock, allowLarge }
}

/**
 * @throws {UsageError} if the reviewed plan belongs to another workspace
 * @throws {ConditionError} if the plans differ in any item other than `not_in_file` items
 */
export async function requireReviewedPlan(
  context: Context,
  file: string,
  reviewed: PlanFile,
  plan: Plan,
  { baseUrl, applicationId }: WorkspaceIdentity,
  renewal: readonly string[],
): Promise<void> {
  // Only rooms show the application ID.
  const { application_id = null } = reviewed
  const isOther = application_id !== null && applicationId !== undefined && application_id !== applicationId
  if (reviewed.base_url !== baseUrl || isOther)
    throw new UsageError(`${file} is the plan of another workspace, at ${reviewed.base_url}`)
  const present = new Set(linesOf(plan))
  const before = new Set(reviewed.items)
  const shown = (line: string) => line.split('\t')[0]
  for (const line of before) if (!present.has(line)) await context.notice(`only in ${file}: ${shown(line)}`)
  for (const line of present)
    if (!before.has(line)) await context.notice(`only in the current plan: ${shown(line)}`)
  if (present.size !== before.size || [...present].some((line) => !before.has(line)))
    throw new ConditionError(`the current plan differs from ${file}; nothing was changed`, {
      hint: ['write and review a new plan: ', suggest(renewal)],
    })
}

export function requireNoPlanFlags({ prune, recreate, reblock, allowLarge }: PlanFlags): void {
  if (prune || recreate || reblock || allowLarge)
    throw new UsageError(
      '--plan cannot be used with --prune, --recreate, --reblock or --allow-large: pass them to “workspace diff --out”',
    )
}
