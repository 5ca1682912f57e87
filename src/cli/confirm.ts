import { ConfirmationError, InterruptedError } from '../errors.ts'
import type { Host, Visible } from '../host.ts'
import type { Redact } from './output/redact.ts'
import { own, visible } from './output/visible.ts'

/** Whether there is a person to ask. */
export function canAsk(host: Host): boolean {
  return host.stdin.isTTY === true && host.stderr.isTTY && !host.env['MEETROOM_NO_INPUT']
}

/** The person to ask, and how. */
export interface Asker {
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
export async function confirm(asker: Asker, { doing, describe, count = 1, max }: Change): Promise<void> {
  const { flags, host } = asker
  if (flags.dryRun || flags.curl || count === 0) return
  if (flags.yes) {
    if (count <= mostByYes || max !== undefined) return
    throw new ConfirmationError(`${doing} would affect ${count} items, and --yes alone covers ${mostByYes}`, {
      hint: `pass --max ${count} if that is what you mean`,
    })
  }
  if (!canAsk(host)) {
    const why = host.env['MEETROOM_NO_INPUT']
      ? 'MEETROOM_NO_INPUT forbids asking'
      : 'there is no terminal to ask on'
    throw new ConfirmationError(`${doing} needs confirmation, and ${why}`, {
      hint: 'pass --yes to confirm in advance',
    })
  }
  const what = visible(asker.redact(await describe()))
  const answer = await atTerminal(asker, (streams) =>
    count === 1 ? yesTo(own`${what}?`, streams) : typed(count, what, streams),
  )
  if (!answer) throw new ConfirmationError('not confirmed; nothing was done')
}

type Streams = Parameters<typeof import('@inquirer/confirm').default>[1]

async function yesTo(message: Visible, streams: Streams): Promise<boolean> {
  const { default: ask } = await import('@inquirer/confirm')
  return ask({ message, default: false }, streams)
}

/** Typing the count proves that they read it. */
async function typed(count: number, what: Visible, streams: Streams): Promise<boolean> {
  const { default: ask } = await import('@inquirer/input')
  const answer = await ask({ message: own`${what}.\n  Type ${count} to continue:` }, streams)
  return answer.trim() === String(count)
}

/** Asks for a secret without showing it. */
export async function askSecret(asker: Asker, message: string): Promise<string> {
  const { default: ask } = await import('@inquirer/password')
  return atTerminal(asker, (streams) => ask({ message: visible(message) }, streams))
}

/**
 * Asks something.
 * @throws {InterruptedError} when ^C or ^D leaves the question unanswered
 */
async function atTerminal<T>(
  { host, interrupt }: Asker,
  ask: (streams: NonNullable<Streams>) => Promise<T>,
): Promise<T> {
  const left = new AbortController()
  // Readline closes at ^D, and the question would wait forever.
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === 'd') left.abort()
  }
  host.stdin.on('keypress', onKey)
  try {
    return await ask({
      input: host.stdin,
      output: host.prompt,
      signal: AbortSignal.any([interrupt, left.signal]),
    })
  } catch (error) {
    // Inquirer's own names for ^C at a prompt and for our signal.
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name))
      throw interrupt.aborted ? interrupt.reason : new InterruptedError('SIGINT')
    throw error
  } finally {
    host.stdin.off('keypress', onKey)
  }
}
