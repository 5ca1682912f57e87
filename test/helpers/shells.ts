import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { quoteForShell } from '../../src/api/quote-for-shell.ts'
import { shells } from '../../src/cli/shell/format-completion.ts'
import { launcher, node } from './built.ts'
import { fromTerminal, hasTerminal, onTerminal } from './pty.ts'
import { runHere } from './run-here.ts'
import { homes } from './serving.ts'
import { soon, Watched } from './waiting.ts'

/** Shells that complete on a Unix terminal. PowerShell has a separate test. */
export const terminalShells = shells.filter((shell) => shell !== 'powershell')
export type TerminalShell = (typeof terminalShells)[number]

/** Shells that this machine can run on a terminal. */
export const present = terminalShells.filter(
  (shell) => hasTerminal && spawnSync(shell, ['-c', 'exit'], { stdio: 'ignore' }).status === 0,
)

const starts: Record<TerminalShell, { command: string; file: string; text: (script: string) => string }> = {
  bash: {
    command: 'bash --noprofile --rcfile rc -i',
    file: 'rc',
    text: (script) =>
      `bind 'set bell-style none'; bind 'set enable-bracketed-paste off'\nPS1='READY> '\n${script}`,
  },
  zsh: {
    command: 'zsh -d -i',
    file: '.zshrc',
    text: (script) =>
      `unsetopt beep zle_bracketed_paste prompt_cr\nautoload -Uz compinit && compinit -u -D\nPS1='READY> '\n${script}`,
  },
  fish: {
    command: 'fish -i',
    file: '.config/fish/config.fish',
    text: (script) =>
      `function fish_prompt; echo -n 'READY> '; end\nfunction fish_greeting; end\nset -g fish_autosuggestion_enabled 0\n${script}`,
  },
}

/** Prepares a home directory for a shell with completion. */
export function atShell(shell: TerminalShell) {
  const env = { ...homes(), XDG_CACHE_HOME: '' }
  env.XDG_CACHE_HOME = join(env.HOME, 'cache')
  const bin = join(env.HOME, 'bin')
  mkdirSync(join(env.HOME, '.config/fish'), { recursive: true })
  mkdirSync(bin)
  // The stub runs `__complete`, and records the arguments of the latest other command, one per line.
  const noted = join(env.HOME, 'noted')
  const complete = `exec ${quoteForShell(node)} ${quoteForShell(launcher)} "$@"`
  const note = `printf '%s\\n' "$@" > ${quoteForShell(noted)}; echo ENDED`
  writeFileSync(join(bin, 'meetroom'), `#!/bin/sh\nif [ "$1" = __complete ]; then ${complete}; fi\n${note}\n`)
  chmodSync(join(bin, 'meetroom'), 0o755)

  /** Starts a shell and waits until it accepts keys. */
  async function start(more: Record<string, string> = {}) {
    const { command, file, text } = starts[shell]
    const { stdout } = await runHere(['completion', shell], { env })
    writeFileSync(join(env.HOME, file), text(stdout))
    const [program, ...words] = onTerminal(`cd ${quoteForShell(env.HOME)}; stty cols 80; exec ${command}`)
    const path = `${bin}:${process.env['PATH']}`
    const child = spawn(program, words, {
      env: {
        ...env,
        ...more,
        PATH: path,
        TERM: 'dumb',
        SHELL: '/bin/sh',
        ZDOTDIR: env.HOME,
        LC_ALL: 'C.UTF-8',
      },
    })
    let shown = ''
    const screen = new Watched(() => shown)
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      shown += part
      screen.changed()
    })
    const closed = new Promise<void>((resolve) => {
      child.on('close', () => {
        screen.end('the shell ended')
        resolve()
      })
    })
    onTestFinished(() => {
      // Clears the line with ^U, because ^C discards keys that the shell has not read yet.
      child.stdin.end('\u0015exit\r')
      return soon('the end of the shell', closed).finally(() => child.kill('SIGKILL'))
    })
    const shownText = () => fromTerminal(shown)
    const until = (what: string) => screen.until(what, () => shownText().includes(what))
    await until('READY> ')
    const press = (keys: string) => void child.stdin.write(keys)
    let count = 0
    /** Types a line and returns the arguments that the program receives. */
    async function enter(keys: string): Promise<string[]> {
      count++
      press(`${keys}\r`)
      await screen.until(`the end of ${keys}`, () => shownText().split('ENDED').length > count)
      return readFileSync(noted, 'utf8').split('\n').slice(0, -1)
    }
    return { press, enter, until, text: shownText }
  }

  return { env, start, run: (line: string[]) => runHere(line, { env }) }
}
