import { ConfirmationError, InterruptedError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { Context } from './context.ts'
import { visible } from './output/visible.ts'

/** Whether there is a person to ask. */
export function canAsk(host: Host): boolean {
  return host.stdin.isTTY === true && host.stderr.isTTY && !host.env['MEETROOM_NO_INPUT']
}

/**
 * Asks before something that cannot be undone. `--yes` answers; without a terminal the answer is never assumed.
 * @param describe says what would happen, ids and names included; called only when somebody will read it
 * @throws {ConfirmationError} when nobody can be asked, or the answer is no
 */
export async function confirm(
  context: Context,
  verb: string,
  describe: () => Promise<string>,
): Promise<void> {
  const { flags, host } = context
  if (flags.yes || flags.dryRun || flags.curl) return
  if (!canAsk(host))
    throw new ConfirmationError(`to ${verb} needs a yes, and there is no terminal to ask at`, {
      hint: 'add --yes to answer beforehand',
    })
  const { default: ask } = await import('@inquirer/confirm')
  const message = `${visible(await describe())}?`
  const yes = await interruptible(
    ask({ message, default: false }, { input: host.stdin, output: host.prompt, signal: context.interrupt }),
  )
  if (!yes) throw new ConfirmationError('not confirmed; nothing was done')
}

/** Asks for a secret without showing it. */
export async function askSecret(context: Context, message: string): Promise<string> {
  const { host } = context
  const { default: ask } = await import('@inquirer/password')
  return interruptible(
    ask({ message }, { input: host.stdin, output: host.prompt, signal: context.interrupt }),
  )
}

async function interruptible<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    // Inquirer's own name for ^C at a prompt.
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name))
      throw new InterruptedError('SIGINT')
    throw error
  }
}
