import type { HostOptions } from './host.ts'
import type { Reply } from './pty.ts'
import { soon } from './waiting.ts'
import type { Run, World } from './world.ts'

/**
 * Runs a command on a simulated terminal. Types each reply after its text appears on standard error.
 * @throws {Error} if a text does not appear, or the command does not end
 */
export async function talk(
  world: World,
  line: string,
  replies: readonly Reply[],
  options: HostOptions = {},
): Promise<Run> {
  const { host, done } = world.start(line.split(' '), { tty: true, columns: 200, ...options })
  let ended = false
  const run = done.finally(() => {
    ended = true
  })
  let from = 0
  for (const [question, typed] of replies) {
    const stands = () => host.stderr.text.includes(question, from)
    await soon(
      `“${question}”`,
      look(() => ended || stands()),
      () => host.stderr.text,
    )
    if (!stands()) throw new Error(`it ended without “${question}”: ${host.stderr.text}`)
    from = host.stderr.text.length
    host.type(typed)
  }
  return run
}

async function look(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((turn) => setTimeout(turn, 1))
}
