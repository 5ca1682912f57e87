import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { InterruptedError } from '../../errors.ts'
import type { Visible } from '../../host.ts'
import { toAscii } from '../output/terminal/unicode.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { RunningCommand } from './running-command.ts'

export interface ShownLine {
  /** Answer for an empty line. */
  preset?: Visible | undefined
  /** Returns the text to display instead of a line that must stay hidden. */
  hide?: ((line: string) => Visible | undefined) | undefined
}

// ASCII prompts without cursor control. The terminal echoes the input unless it may be secret.

export async function askYes(context: RunningCommand, question: Visible): Promise<boolean> {
  return /^\s*y/i.test(await readLine(context, own`${question} (y/N) `))
}

/** Displays a line that may have to stay hidden only after it is complete. */
export async function askLine(
  context: RunningCommand,
  question: Visible,
  findProblem: (line: string) => Visible | undefined,
  { preset, hide }: ShownLine,
): Promise<string> {
  for (;;) {
    const prompt = preset === undefined ? own`${question} ` : own`${question} (${preset}) `
    const line = (await readLine(context, prompt, hide !== undefined)) || (preset ?? '')
    if (hide) await writePrompt(context, own`${hide(line) ?? visible(line)}\n`)
    const problem = findProblem(line)
    if (problem === undefined) return line
    await writePrompt(context, own`> ${problem}\n`)
  }
}

export async function askSecret(context: RunningCommand, question: Visible): Promise<string> {
  try {
    return await readLine(context, own`${question} `, true)
  } finally {
    await writePrompt(context, own`\n`)
  }
}

async function writePrompt({ host }: RunningCommand, text: Visible): Promise<void> {
  await host.stderr.write(toAscii(text))
}

/** @throws {InterruptedError} if the input ends, or ^C or a signal interrupts the prompt */
async function readLine(context: RunningCommand, question: Visible, isSecret = false): Promise<string> {
  const { host, interrupt } = context
  interrupt.throwIfAborted()
  // Readline echoes the typed secret to a stream whose data is discarded.
  const reader = isSecret
    ? createInterface({
        input: host.stdin,
        output: new PassThrough().resume(),
        terminal: true,
        historySize: 0,
      })
    : createInterface({ input: host.stdin, terminal: false })
  let removeListener = () => {}
  try {
    // The prompt is written after readline has turned off the echo of secrets.
    const writing = writePrompt(context, question)
    return await new Promise<string>((resolve, reject) => {
      const interrupted = () => reject(new InterruptedError('SIGINT'))
      const abort = () => reject(interrupt.reason)
      interrupt.addEventListener('abort', abort, { once: true })
      removeListener = () => interrupt.removeEventListener('abort', abort)
      reader.once('line', resolve).once('SIGINT', interrupted).once('close', interrupted)
      writing.catch(reject)
    })
  } finally {
    removeListener()
    reader.close()
  }
}
