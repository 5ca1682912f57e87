import { ConfirmationError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Redact } from '../output/redaction/redact.ts'
import { own, visible } from '../output/terminal/visible.ts'

/** Returns the reason why no question can be asked; undefined if one can. */
export function whyNotInteractive({ env, stdin, stderr }: Host): string | undefined {
  const { MEETROOM_NO_INPUT, CI = '' } = env
  if (MEETROOM_NO_INPUT) return 'MEETROOM_NO_INPUT forbids asking'
  if (stdin.isTTY !== true || !stderr.isTTY) return 'there is no terminal to ask on'
  if (!['', '0', 'false'].includes(CI)) return 'CI forbids asking'
  // After ^D, a terminal provides no more input.
  return stdin.readable ? undefined : 'standard input has been read to its end'
}

export function isInteractive(host: Host): boolean {
  return whyNotInteractive(host) === undefined
}

export interface Prompter {
  host: Host
  flags: { yes?: boolean; dryRun?: boolean; curl?: boolean }
  redact: Redact
  interrupt: AbortSignal
}

export interface Change {
  doing: string
  /** Describes the change with IDs and names; called only if a prompt is shown. */
  describe: () => Promise<string>
  count?: number
  max?: number | undefined
}

const maxByYes = 20

/**
 * Asks for confirmation of a destructive change. `--yes` confirms in advance; above 20 items it needs `--max`.
 * @throws {ConfirmationError} when no prompt is possible, the answer is no, or the items exceed the limit
 */
export async function confirm(asker: Prompter, { doing, describe, count = 1, max }: Change): Promise<void> {
  const { flags, host } = asker
  if (flags.dryRun || flags.curl || count === 0) return
  if (flags.yes) {
    if (count <= maxByYes || max !== undefined) return
    throw new ConfirmationError(`${doing} would affect ${count} items, and --yes alone covers ${maxByYes}`, {
      hint: `pass --max ${count} if that is what you mean`,
    })
  }
  const reason = whyNotInteractive(host)
  if (reason !== undefined)
    throw new ConfirmationError(`${doing} needs confirmation, and ${reason}`, {
      hint: 'pass --yes to confirm in advance',
    })
  const question = visible(asker.redact(await describe()))
  const { askLine, askConfirmation } = await import('./ask.ts')
  // Typing the count shows that the user has read it.
  const confirmByCount = async () =>
    (await askLine(asker, own`${question}.\n  Type ${count} to continue:`, trimmed)) === String(count)
  const answer = count === 1 ? await askConfirmation(asker, own`${question}?`) : await confirmByCount()
  if (!answer) throw new ConfirmationError('not confirmed; nothing was done')
}

const trimmed = (line: string) => line.trim()
