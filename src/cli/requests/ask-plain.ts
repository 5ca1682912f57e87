import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { InterruptedError } from '../../errors.ts'
import type { Visible } from '../../host.ts'
import { inAscii } from '../output/terminal/unicode.ts'
import { own } from '../output/terminal/visible.ts'
import type { Asked } from './asked.ts'

// Questions that print text and never move the cursor. The terminal itself shows what is typed.

/** Asks yes or no; no is the default. */
export async function askYes(asked: Asked, question: Visible): Promise<boolean> {
  return /^\s*y/i.test(await readLine(asked, own`${question} (y/N) `))
}

/**
 * Asks for a line until it has no problem.
 * @param preset the answer when nothing is typed
 */
export async function askLine(
  asked: Asked,
  question: Visible,
  problemOf: (line: string) => Visible | undefined,
  preset?: Visible,
): Promise<string> {
  for (;;) {
    const shown = preset === undefined ? own`${question} ` : own`${question} (${preset}) `
    const line = (await readLine(asked, shown)) || (preset ?? '')
    const problem = problemOf(line)
    if (problem === undefined) return line
    await say(asked, own`> ${problem}\n`)
  }
}

/** Asks for a secret. The terminal does not show it, as each key arrives alone. */
export async function askSecret(asked: Asked, question: Visible): Promise<string> {
  try {
    return await readLine(asked, own`${question} `, true)
  } finally {
    await say(asked, own`\n`)
  }
}

async function say({ host }: Asked, text: Visible): Promise<void> {
  await host.stderr.write(inAscii(text))
}

/** @throws {InterruptedError} when ^C, ^D or a terminal that goes away leaves the question unanswered */
async function readLine(asked: Asked, question: Visible, isSecret = false): Promise<string> {
  const { host, interrupt } = asked
  interrupt.throwIfAborted()
  // Readline edits a secret on an output that nobody sees.
  const reader = isSecret
    ? createInterface({
        input: host.stdin,
        output: new PassThrough().resume(),
        terminal: true,
        historySize: 0,
      })
    : createInterface({ input: host.stdin, terminal: false })
  let stop = () => {}
  try {
    // The terminal shows no key by now.
    const asking = say(asked, question)
    return await new Promise<string>((resolve, reject) => {
      const leave = () => reject(new InterruptedError('SIGINT'))
      const abort = () => reject(interrupt.reason)
      interrupt.addEventListener('abort', abort, { once: true })
      stop = () => interrupt.removeEventListener('abort', abort)
      reader.once('line', resolve).once('SIGINT', leave).once('close', leave)
      asking.catch(reject)
    })
  } finally {
    stop()
    reader.close()
  }
}
