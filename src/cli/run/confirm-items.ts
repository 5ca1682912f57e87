import { ConfirmationError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Change } from '../requests/running-command.ts'

/** Maximum number of items that `--yes` confirms without `--max`. */
const maxByYes = 20

interface ChangedItems {
  count: number
  nouns: string
  max: number | undefined
  verb?: string
}

/**
 * @param question question for the prompt; undefined if only `--max` matters
 * @throws {ConfirmationError} if there are too many items, or the change is not confirmed
 */
export async function confirmItems(
  context: Context,
  { count, nouns, max, verb = 'affect' }: ChangedItems,
  question?: Change,
): Promise<void> {
  const hint = `pass --max ${count} to affect all items`
  if (max !== undefined && count > max)
    throw new ConfirmationError(
      `the command would ${verb} ${count} ${nouns}, but --max allows ${max}; nothing was changed`,
      { hint },
    )
  if (!question) return
  const { yes, dryRun, curl } = context.flags
  if (yes && !dryRun && !curl && max === undefined && count > maxByYes) {
    await question.requireItems?.()
    throw new ConfirmationError(
      `${question.activity} would affect ${count} items, but --yes alone allows ${maxByYes}`,
      { hint },
    )
  }
  await context.confirm({ ...question, count })
}
