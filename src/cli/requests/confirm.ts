import { ConfirmationError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Redact } from '../output/redaction/redaction.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { PromptContext } from './ask-plain.ts'

/** Returns the reason why no prompt is possible; undefined if a prompt is possible. */
export function explainNotInteractive({ env, stdin, stderr }: Host): string | undefined {
  const { MEETROOM_NO_INPUT, CI = '' } = env
  if (MEETROOM_NO_INPUT) return 'MEETROOM_NO_INPUT forbids asking'
  if (stdin.isTTY !== true || !stderr.isTTY) return 'there is no terminal to ask on'
  if (!['', '0', 'false'].includes(CI)) return 'CI forbids asking'
  // After ^D, the terminal provides no more input.
  return stdin.readable ? undefined : 'standard input has been read to its end'
}

export function isInteractive(host: Host): boolean {
  return explainNotInteractive(host) === undefined
}

interface ConfirmDeps extends PromptContext {
  flags: { yes?: boolean; dryRun?: boolean; curl?: boolean }
  redact: Redact
}

export interface Change {
  activity: string
  describe: () => Promise<string>
  count?: number
  max?: number | undefined
}

const maxByYes = 20

/**
 * Asks for confirmation of a destructive change. `--yes` confirms in advance, for more than 20 items only with `--max`.
 * @throws {ConfirmationError} when no prompt is possible, the user declines, or `--yes` does not cover the items
 */
export async function confirm(
  deps: ConfirmDeps,
  { activity, describe, count = 1, max }: Change,
): Promise<void> {
  const { flags, host } = deps
  if (flags.dryRun || flags.curl || count === 0) return
  if (flags.yes) {
    if (count <= maxByYes || max !== undefined) return
    throw new ConfirmationError(
      `${activity} would affect ${count} items, and --yes alone covers ${maxByYes}`,
      {
        hint: `pass --max ${count} if that is what you mean`,
      },
    )
  }
  const reason = explainNotInteractive(host)
  if (reason !== undefined)
    throw new ConfirmationError(`${activity} needs confirmation, and ${reason}`, {
      hint: 'pass --yes to confirm in advance',
    })
  const text = await describe()
  const question = visible(deps.redact(text.charAt(0).toUpperCase() + text.slice(1)))
  const { askLine, askConfirmation } = await import('./ask.ts')
  // A typed count proves that the user has read the count.
  const confirmByCount = async () =>
    (await askLine(deps, own`${question}.\n  Type ${count} to continue:`, trimLine)) === String(count)
  const answer = count === 1 ? await askConfirmation(deps, own`${question}?`) : await confirmByCount()
  if (!answer) throw new ConfirmationError('not confirmed; nothing was done')
}

/** @throws {ConfirmationError} when a change would affect more items than `--max` allows */
export function requireWithinMax(
  count: number,
  nouns: string,
  max = Number.POSITIVE_INFINITY,
  verb = 'affect',
): void {
  if (count > max)
    throw new ConfirmationError(
      `that would ${verb} ${count} ${nouns}, and --max allows ${max}; nothing was done`,
    )
}

const trimLine = (line: string) => line.trim()
