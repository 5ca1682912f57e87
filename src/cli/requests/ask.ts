import { omitUndefined } from '../../api/defined.ts'
import { InterruptedError, UsageError } from '../../errors.ts'
import type { Visible } from '../../host.ts'
import { isPlain } from '../output/terminal/unicode.ts'
import { visible } from '../output/terminal/visible.ts'
import type { Asked } from './asked.ts'

/** Number of characters up to which all of an answer is shown, and of the end that is shown of a longer one. */
const longestShown = 200
const shownEnd = 40

type Streams = NonNullable<Parameters<typeof import('@inquirer/confirm').default>[1]>

// The questions themselves, loaded when one is asked: `confirm.ts` tells whether there is anybody to ask.

/** Asks yes or no; no is the default. */
export async function askConfirmation(asked: Asked, question: Visible): Promise<boolean> {
  if (isPlain(asked.host)) return (await plainPrompts()).askYes(asked, question)
  const { default: ask } = await import('@inquirer/confirm')
  return atTerminal(asked, (streams) => ask({ message: question, default: false }, streams))
}

/**
 * Asks for a line, again and again until it can be read.
 * @param read throws UsageError for what it cannot read
 * @param preset the answer of who types nothing
 * @param hide tells why a line must not be shown; nothing for one that may be
 */
export async function askLine<T>(
  asked: Asked,
  question: Visible,
  read: (line: string) => T,
  { preset, hide }: { preset?: Visible | undefined; hide?: (line: string) => Visible | undefined } = {},
): Promise<T> {
  if (isPlain(asked.host)) {
    const problem = (line: string) => problemOf(() => read(line))
    return read(await (await plainPrompts()).askLine(asked, question, problem, preset))
  }
  const { default: ask } = await import('@inquirer/input')
  const config = {
    message: question,
    ...omitUndefined({ default: preset }),
    validate: (line: string) => problemOf(() => read(line)) ?? true,
    transformer: (line: string) => hide?.(line) ?? shownLine(line),
  }
  return read(await atTerminal(asked, (streams) => ask(config, streams)))
}

/** Asks for a secret without showing it. */
export async function askSecret(asked: Asked, question: Visible): Promise<string> {
  if (isPlain(asked.host)) return (await plainPrompts()).askSecret(asked, question)
  const { default: ask } = await import('@inquirer/password')
  return atTerminal(asked, (streams) => ask({ message: question }, streams))
}

/** Questions for a terminal that shows text and nothing else. */
const plainPrompts = () => import('./ask-plain.ts')

function problemOf(read: () => unknown): Visible | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return visible(error.hint ? `${error.message}; ${error.hint}` : error.message)
  }
}

/** The end of what has been typed: the line is drawn again with each character, and what is pasted may be long. */
function shownLine(line: string): Visible {
  return line.length > longestShown ? visible(`…${line.slice(-shownEnd)}`) : visible(line)
}

/**
 * Asks something.
 * @throws {InterruptedError} when ^C, ^D or a terminal that goes away leaves the question unanswered
 */
async function atTerminal<T>({ host, interrupt }: Asked, ask: (streams: Streams) => Promise<T>): Promise<T> {
  const left = new AbortController()
  // Readline closes at ^D and when the terminal goes away, and the question would wait forever.
  const leave = () => left.abort()
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
    if (key?.ctrl && key.name === 'd') leave()
  }
  host.stdin.on('keypress', onKey).on('end', leave)
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
    host.stdin.off('keypress', onKey).off('end', leave)
  }
}
