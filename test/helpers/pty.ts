import { spawn, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { quoteForShell } from '../../src/api/quote-for-shell.ts'
import { notice } from '../suites/size.ts'
import { launcher, node } from './built.ts'
import { environment, runCommand } from './command.ts'
import { startProgram } from './serving.ts'
import { soon, Watched } from './waiting.ts'

/** Finds a tool that runs a shell line in a pseudoterminal. */
function findTerminal(): ((line: string) => [string, ...string[]]) | undefined {
  const said = (command: string, flag: string) =>
    String(spawnSync(command, [flag], { encoding: 'utf8' }).stdout)
  // `script` of BSD and macOS takes other arguments.
  if (said('script', '--version').includes('util-linux'))
    return (line) => ['script', '-qec', line, '/dev/null']
  if (said('python3', '--version').startsWith('Python'))
    return (line) => [
      'python3',
      '-c',
      'import pty,sys;sys.exit(pty.spawn(sys.argv[1:])>>8)',
      'sh',
      '-c',
      line,
    ]
}

const inTerminal = findTerminal()

export const hasTerminal = inTerminal !== undefined
if (!hasTerminal) notice('terminal', 'neither script of util-linux nor python3 is there to make a terminal')

function command(argv: readonly string[]): [string, ...string[]] {
  return onTerminal(['exec', node, launcher, ...argv].map(quoteForShell).join(' '))
}

/** Returns the words that run a shell command line on a pseudoterminal; throws without `hasTerminal`. */
export function onTerminal(line: string): [string, ...string[]] {
  if (!inTerminal) throw new Error('this machine has no way to run a program on a terminal')
  return inTerminal(line)
}

/** Removes the carriage returns that a terminal adds at the ends of lines. */
export const fromTerminal = (text: string) => text.replaceAll('\r\n', '\n')

export async function runOnTerminal(
  argv: readonly string[],
  env: Record<string, string>,
  typed = '',
  cwd?: string,
) {
  const [program, ...words] = command(argv)
  const { code, stdout } = await runCommand(
    program,
    words,
    { SHELL: '/bin/sh', ...env },
    typed,
    cwd ? { cwd } : {},
  )
  return { code, shown: fromTerminal(stdout) }
}

export function startOnTerminal(argv: readonly string[], env: Record<string, string>) {
  const [program, ...words] = command(argv)
  return startProgram(program, words, { SHELL: '/bin/sh', ...env })
}

export type Reply = readonly [shown: string, typed: string]

/** Runs a shell line on a pseudoterminal, and types each reply after its text is shown. */
export async function talkOnTerminal(line: string, env: Record<string, string>, replies: readonly Reply[]) {
  const [program, ...words] = onTerminal(line)
  const child = spawn(program, words, {
    env: environment({ SHELL: '/bin/sh', TERM: 'xterm-256color', ...env }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  const watched = new Watched(() => shown)
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text
    watched.changed()
  })
  const ended = new Promise<number | null>((resolve) =>
    child.on('close', (code) => {
      watched.end('the program ended')
      resolve(code)
    }),
  )
  let from = 0
  for (const [question, typed] of replies) {
    await watched.until(`“${question}” is shown`, () => shown.includes(question, from))
    from = shown.length
    child.stdin.write(typed)
  }
  const code = await soon('the end of the program', ended, () => shown)
  return { code, shown: fromTerminal(shown) }
}
