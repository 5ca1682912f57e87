import { ConfirmationError, InterruptedError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Context } from './context.ts'
import { visible } from './output/visible.ts'

/** Whether there is a person to ask. */
export function canAsk(host: Host): boolean {
  return host.stdin.isTTY === true && host.stderr.isTTY && !host.env['MEETROOM_NO_INPUT']
}

/** So many things `--yes` answers for by itself. */
const mostByYes = 20

interface Extent {
  /** How many things it is done to. */
  count: number
  /** How many things the command line allows: no fewer than there are. */
  max?: number | undefined
}

/**
 * Asks before something that cannot be undone. `--yes` answers, for many things together with `--max`; without a
 * terminal the answer is never assumed.
 * @param describe says what would happen, ids and names included; called only when somebody will read it
 * @throws {ConfirmationError} when nobody can be asked, the answer is no, or it is more than may be
 */
export async function confirm(
  context: Context,
  verb: string,
  describe: () => Promise<string>,
  { count, max }: Extent = { count: 1 },
): Promise<void> {
  const { flags, host } = context
  if (flags.dryRun || flags.curl || count === 0) return
  if (flags.yes) {
    if (count <= mostByYes || max !== undefined) return
    throw new ConfirmationError(`to ${verb} would be ${count} of them, and --yes alone is for ${mostByYes}`, {
      hint: `add --max ${count} if that is what you mean`,
    })
  }
  if (!canAsk(host))
    throw new ConfirmationError(
      `to ${verb} needs a yes, and ${host.env['MEETROOM_NO_INPUT'] ? 'MEETROOM_NO_INPUT forbids to ask' : 'there is no terminal to ask at'}`,
      {
        hint: 'add --yes to answer beforehand',
      },
    )
  const what = visible(await describe())
  if (
    !(await atTerminal(context, (streams) =>
      count === 1 ? yesTo(`${what}?`, streams) : typed(count, what, streams),
    ))
  )
    throw new ConfirmationError('not confirmed; nothing was done')
}

type Streams = Parameters<typeof import('@inquirer/confirm').default>[1]

async function yesTo(message: string, streams: Streams): Promise<boolean> {
  const { default: ask } = await import('@inquirer/confirm')
  return ask({ message, default: false }, streams)
}

/** Who has typed how many there are has read it. */
async function typed(count: number, what: string, streams: Streams): Promise<boolean> {
  const { default: ask } = await import('@inquirer/input')
  const answer = await ask({ message: `${what}.\n  Type ${count} to go on:` }, streams)
  return answer.trim() === String(count)
}

/** Asks for a secret without showing it. */
export async function askSecret(context: Context, message: string): Promise<string> {
  const { default: ask } = await import('@inquirer/password')
  return atTerminal(context, (streams) => ask({ message }, streams))
}

/**
 * Asks something. Who leaves with ^C or ^D has not answered.
 * @throws {InterruptedError} then
 */
async function atTerminal<T>(
  { host, interrupt }: Context,
  ask: (streams: NonNullable<Streams>) => Promise<T>,
): Promise<T> {
  const left = new AbortController()
  // Readline closes at ^D, and the question would wait for ever.
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
      throw new InterruptedError('SIGINT')
    throw error
  } finally {
    host.stdin.off('keypress', onKey)
  }
}

/** `, at https://host (profile staging)`, where several things are at stake. */
export async function placeOf(context: Context, ids: readonly string[]): Promise<string> {
  if (ids.length === 1) return ''
  const { local, profile } = await context.settings()
  const target = await context.target()
  return local ? `, in ${target}` : `, at ${new URL(target).origin} (profile ${profile.value})`
}
