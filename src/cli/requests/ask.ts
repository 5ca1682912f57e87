import { omitUndefined } from '../../api/defined.ts'
import { InterruptedError, UsageError } from '../../errors.ts'
import type { Visible } from '../../host.ts'
import { hasColors } from '../output/terminal/style.ts'
import { isAsciiOnly } from '../output/terminal/unicode.ts'
import { visible } from '../output/terminal/visible.ts'
import type { ShownLine } from './ask-plain.ts'
import type { RunningCommand } from './running-command.ts'

/** Maximum length of a completely displayed line, in characters. Longer lines show only their end. */
const maxShownLength = 200
const shownEndLength = 40

interface LineOptions extends ShownLine {
  /** True if the caller may refuse the answer. */
  mayBeWrong?: boolean
}

type Streams = NonNullable<Parameters<typeof import('@inquirer/confirm').default>[1]>

// This module is loaded only for a prompt, after `confirm.ts` has checked for a terminal.

export async function askConfirmation(context: RunningCommand, question: Visible): Promise<boolean> {
  if (needsPlain(context)) return (await loadPlainPrompts()).askYes(context, question)
  const { default: ask } = await import('@inquirer/confirm')
  return runPrompt(context, (streams) => ask({ message: question, default: false, theme: unjudged }, streams))
}

/** Theme without a check mark, because the answer may be a refusal or wrong. */
const unjudged = { prefix: { done: '?' } }

export async function askLine<T>(
  context: RunningCommand,
  question: Visible,
  read: (line: string) => T,
  { preset, hide, mayBeWrong = false }: LineOptions = {},
): Promise<T> {
  if (needsPlain(context)) {
    const problem = (line: string) => findProblem(() => read(line))
    return read(await (await loadPlainPrompts()).askLine(context, question, problem, { preset, hide }))
  }
  const { default: ask } = await import('@inquirer/input')
  const config = {
    message: question,
    ...omitUndefined({ default: preset, theme: mayBeWrong ? unjudged : undefined }),
    validate: (line: string) => findProblem(() => read(line)) ?? true,
    transformer: (line: string) => hide?.(line) ?? shortenLine(line),
  }
  return read(await runPrompt(context, (streams) => ask(config, streams)))
}

export async function askSecret(context: RunningCommand, question: Visible): Promise<string> {
  if (needsPlain(context)) return (await loadPlainPrompts()).askSecret(context, question)
  const { default: ask } = await import('@inquirer/password')
  return runPrompt(context, (streams) => ask({ message: question }, streams))
}

/** The prompts of the library have colors even with `--no-color`. */
const needsPlain = ({ host, flags }: RunningCommand) =>
  isAsciiOnly(host) || !hasColors(host.stderr, host.env, flags.color)

const loadPlainPrompts = () => import('./ask-plain.ts')

function findProblem(read: () => unknown): Visible | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return visible(error.hint ? `${error.message}; ${error.hint}` : error.message)
  }
}

function shortenLine(line: string): Visible {
  return line.length > maxShownLength ? visible(`…${line.slice(-shownEndLength)}`) : visible(line)
}

/** @throws {InterruptedError} if the input ends, or ^C or a signal interrupts the prompt */
async function runPrompt<T>(
  { host, interrupt }: RunningCommand,
  ask: (streams: Streams) => Promise<T>,
): Promise<T> {
  const closed = new AbortController()
  // On ^D or when the terminal closes, Inquirer's prompt would never settle.
  const close = () => closed.abort()
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === 'd') close()
  }
  host.stdin.on('keypress', onKey).on('end', close)
  try {
    return await ask({
      input: host.stdin,
      output: host.prompt,
      signal: AbortSignal.any([interrupt, closed.signal]),
    })
  } catch (error) {
    // Inquirer throws these errors for ^C and for an aborted signal.
    if (error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name))
      throw interrupt.aborted ? interrupt.reason : new InterruptedError('SIGINT')
    throw error
  } finally {
    host.stdin.off('keypress', onKey).off('end', close)
  }
}
