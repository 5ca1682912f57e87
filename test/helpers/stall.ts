import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { launcher, node } from './built.ts'
import { environment } from './command.ts'
import { listen } from './listen.ts'

/** Opens a port until the end of the test. By default, the port accepts connections and never responds. */
export async function silentPort(onConnection: (socket: Socket) => void = () => {}): Promise<number> {
  return listen(createServer(onConnection))
}

const blocked = `
const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** Opens a port with a full queue until the end of the test. */
export async function fullPort(): Promise<number> {
  const { port, close } = await openFullPort()
  onTestFinished(close)
  return port
}

/** Opens a port with a full queue, so that the system drops every SYN. Linux only. */
export async function openFullPort(): Promise<{ port: number; close: () => void }> {
  const child = spawn(process.execPath, ['-e', blocked], { stdio: ['ignore', 'pipe', 'ignore'] })
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (text) => resolve(Number(text))),
  )
  const sockets: Socket[] = []
  // The queue holds one connection more than its size.
  for (let i = 0; i < 2; i++)
    await new Promise<void>((resolve) => {
      sockets.push(connect(port, '127.0.0.1', resolve))
    })
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy()
      child.kill('SIGKILL')
    },
  }
}

/**
 * Waits until a SYN to a port is unanswered. Linux only.
 * @throws {Error} if this takes more than 20 seconds
 */
export async function unansweredSyn(port: number): Promise<void> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const waiting = new RegExp(`^ *\\d+: \\S+ [0-9A-F]{8}:${hex} 02 `, 'm')
  const end = performance.now() + 20_000
  while (!waiting.test(readFileSync('/proc/net/tcp', 'utf8'))) {
    if (performance.now() > end) throw new Error(`nobody is waiting for port ${port}`)
    await pause(20)
  }
}

/** Function that wraps a command line in another command line. */
export type Within = (line: [string, ...string[]]) => [string, ...string[]]

export interface Timed {
  code: number | null
  stderr: string
  /** Milliseconds from the first output on standard error to the end; meaningless without such output. */
  lingeredMs: number
}

export function runTimed(
  argv: readonly string[],
  env: Record<string, string>,
  within: Within = (line) => line,
): Promise<Timed> {
  return new Promise((done, failed) => {
    const [command, ...rest] = within([node, launcher, ...argv])
    const child = spawn(command, rest, { env: environment(env) })
    let stderr = ''
    let since: number | undefined
    child.stderr.setEncoding('utf8').on('data', (text) => {
      since ??= performance.now()
      stderr += text
    })
    child.on('error', failed)
    child.on('close', (code) =>
      done({ code, stderr, lingeredMs: performance.now() - (since ?? Number.NEGATIVE_INFINITY) }),
    )
    child.stdin.end()
  })
}

/**
 * Waits at most 3 s until a process is opening a named pipe. Always waits 3 s on systems other than Linux.
 */
export async function openingPipe(pid: number): Promise<void> {
  const end = performance.now() + 3000
  const tasks = `/proc/${pid}/task`
  const isOpening = (task: string) => readFileSync(`${tasks}/${task}/wchan`, 'utf8') === 'wait_for_partner'
  while (performance.now() < end) {
    try {
      if (readdirSync(tasks).some(isOpening)) return
    } catch {
      // The process or a thread has ended, or the system is not Linux.
    }
    await pause(20)
  }
}
