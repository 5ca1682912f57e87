import { ConfirmationError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { Redact } from '../output/redaction/redact.ts'
import { own, visible } from '../output/terminal/visible.ts'

/** Why nobody can be asked anything; undefined where somebody can. */
export function whyNotInteractive({ env, stdin, stderr }: Host): string | undefined {
  const { MEETROOM_NO_INPUT, CI = '' } = env
  if (MEETROOM_NO_INPUT) return 'MEETROOM_NO_INPUT forbids asking'
  if (stdin.isTTY !== true || !stderr.isTTY) return 'there is no terminal to ask on'
  if (!['', '0', 'false'].includes(CI)) return 'CI forbids asking'
  // After ^D a terminal gives no more answers.
  return stdin.readable ? undefined : 'standard input has been read to its end'
}

/** Whether there is a person to ask. */
export function isInteractive(host: Host): boolean {
  return whyNotInteractive(host) === undefined
}

/** The person to ask, and how. */
export interface Prompter {
  host: Host
  flags: { yes?: boolean; dryRun?: boolean; curl?: boolean }
  /** A name that a service sends may hold the key. */
  redact: Redact
  /** Aborted by SIGINT and SIGTERM. */
  interrupt: AbortSignal
}

/** A change that needs confirmation. */
export interface Change {
  /** What it does, with its object: `deleting rooms`. */
  doing: string
  /** What would happen, ids and names included; asked only when somebody will read it. */
  describe: () => Promise<string>
  /** Number of items that it affects. */
  count?: number
  /** Number of items that the command line allows. */
  max?: number | undefined
}

/** Number of items that `--yes` covers without `--max`. */
const mostByYes = 20

/**
 * Asks before something that cannot be undone. `--yes` confirms in advance, many items only together with `--max`;
 * without a terminal the answer is never assumed.
 * @throws {ConfirmationError} when nobody can be asked, the answer is no, or more items are affected than allowed
 */
export async function confirm(asker: Prompter, { doing, describe, count = 1, max }: Change): Promise<void> {
  const { flags, host } = asker
  if (flags.dryRun || flags.curl || count === 0) return
  if (flags.yes) {
    if (count <= mostByYes || max !== undefined) return
    throw new ConfirmationError(`${doing} would affect ${count} items, and --yes alone covers ${mostByYes}`, {
      hint: `pass --max ${count} if that is what you mean`,
    })
  }
  const why = whyNotInteractive(host)
  if (why !== undefined)
    throw new ConfirmationError(`${doing} needs confirmation, and ${why}`, {
      hint: 'pass --yes to confirm in advance',
    })
  const what = visible(asker.redact(await describe()))
  const { askLine, askConfirmation } = await import('./ask.ts')
  // Typing the count proves that they read it.
  const typed = async () =>
    (await askLine(asker, own`${what}.\n  Type ${count} to continue:`, trimmed)) === String(count)
  const answer = count === 1 ? await askConfirmation(asker, own`${what}?`) : await typed()
  if (!answer) throw new ConfirmationError('not confirmed; nothing was done')
}

const trimmed = (line: string) => line.trim()
