import { ConfirmationError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { Change, RunningCommand } from './running-command.ts'

export function explainNotInteractive({ env, stdin, stderr }: Host): string | undefined {
  const { MEETROOM_NO_INPUT, CI = '' } = env
  if (MEETROOM_NO_INPUT) return 'MEETROOM_NO_INPUT disables prompts'
  if (stdin.isTTY !== true || !stderr.isTTY) return 'there is no terminal for a prompt'
  if (!['', '0', 'false'].includes(CI)) return 'CI disables prompts'
  // After ^D, the terminal provides no more input.
  return stdin.readable ? undefined : 'standard input has been read to its end'
}

export const isInteractive = (host: Host): boolean => explainNotInteractive(host) === undefined

/**
 * @throws {ConfirmationError} if no prompt is possible, or the user declines
 * @throws {InterruptedError} if the prompt is interrupted
 */
export async function confirm(
  context: RunningCommand,
  { activity, describe, requireItems, count = 1 }: Change,
): Promise<void> {
  const { flags, host } = context
  if (flags.dryRun || flags.curl || flags.yes || count === 0) return
  const reason = explainNotInteractive(host)
  if (reason !== undefined) {
    await requireItems?.()
    throw new ConfirmationError(`${activity} needs confirmation, and ${reason}`, {
      hint: 'pass --yes to confirm in advance',
    })
  }
  const text = await describe()
  const question = visible(context.redact(text.charAt(0).toUpperCase() + text.slice(1)))
  const { askLine, askConfirmation } = await import('./ask.ts')
  // A typed count proves that the user has read the count.
  const confirmByCount = async () =>
    (await askLine(context, own`${question}.\n  Type ${count} to continue:`, trimLine, {
      mayBeWrong: true,
    })) === String(count)
  const answer = count === 1 ? await askConfirmation(context, own`${question}?`) : await confirmByCount()
  if (!answer) throw new ConfirmationError('not confirmed; nothing was changed')
}

const trimLine = (line: string) => line.trim()
