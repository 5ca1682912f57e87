import { spawn } from 'node:child_process'
import type { Connect } from '../../../src/cli/requests/running-command.ts'
import { launcher, node } from '../../helpers/built.ts'
import { environment } from '../../helpers/command.ts'
import { runHere } from '../../helpers/run-here.ts'
import { connectByUndici } from '../../helpers/undici.ts'
import { type Command, commands, retries } from './expected.ts'
import { type Fault, key } from './fault.ts'
import { startFaulty, startTunnel } from './server.ts'

export const formats = ['table', 'json'] as const
export type Format = (typeof formats)[number]

/** Timeout of a command that must end earlier, in seconds. */
const longTimeout = 30

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
  requests: number
  connections: number
  /** Time after the deadline, in milliseconds; negative if the deadline was not reached. */
  lateMs: number
  /**
   * Time between the last output and the end of the process, in milliseconds; undefined for a run in this
   * process.
   */
  lingeredMs: number | undefined
}

/** Runner of commands, either in this process or as the built program. */
export interface Runner {
  run(
    argv: readonly string[],
    env: Record<string, string>,
  ): Promise<Pick<CommandResult, 'code' | 'stdout' | 'stderr' | 'lingeredMs'>>
  /** Timeout of a command that only the deadline ends, in seconds. Long enough to send a request. */
  shortTimeout: number
  /** True if commands reach the server through a proxy without faults. */
  tunnels?: true
}

export async function runAgainst(
  fault: Fault,
  command: Command,
  format: Format,
  { run, shortTimeout, tunnels }: Runner,
  env: Record<string, string>,
): Promise<CommandResult> {
  const server = await startFaulty(fault)
  const tunnel = tunnels && (await startTunnel(server.port))
  const timeout = fault.stalls ? shortTimeout : longTimeout
  const argv = [
    ...commands[command],
    ...['-o', format, '--timeout', String(timeout), '--retries', String(retries)],
  ]
  const began = performance.now()
  try {
    const ended = await run(argv, {
      ...env,
      ...serverEnvironment(fault, server.port, tunnel?.port),
      MEETROOM_API_KEY: key,
    })
    return { ...ended, ...server.seen, lateMs: performance.now() - began - timeout * 1000 }
  } finally {
    await tunnel?.close()
    await server.close()
  }
}

function serverEnvironment(
  { over = 'http' }: Fault,
  port: number,
  tunnel: number | undefined,
): Record<string, string> {
  if (tunnel !== undefined)
    return { MEETROOM_BASE_URL: 'http://meet.test/v1', HTTP_PROXY: `http://127.0.0.1:${tunnel}` }
  if (over === 'unknown host') return { MEETROOM_BASE_URL: 'https://no-such-host.invalid/v1' }
  if (over === 'proxy' || over === 'closed proxy')
    return {
      MEETROOM_BASE_URL: 'https://meet.test/v1',
      HTTPS_PROXY: `http://ada:proxy-password@127.0.0.1:${port}`,
    }
  return { MEETROOM_BASE_URL: `${over === 'https' ? 'https' : 'http'}://127.0.0.1:${port}/v1` }
}

/** Creates a runner in this process, where pauses between attempts take no time. */
const here = (connect?: Connect): Runner => ({
  shortTimeout: 0.4,
  async run(argv, env) {
    return { ...(await runHere(argv, { env }, connect)), lingeredMs: undefined }
  },
})

export const ways = [
  { library: 'node:http', runner: here() },
  { library: 'undici', runner: here(connectByUndici) },
  { library: 'node:http', runner: { ...here(), tunnels: true } },
  { library: 'undici', runner: { ...here(connectByUndici), tunnels: true } },
] as const satisfies readonly { library: string; runner: Runner }[]

export const built: Runner = {
  shortTimeout: 1.5,
  run: (argv, env) =>
    new Promise((done, failed) => {
      const child = spawn(node, [launcher, ...argv], { env: environment(env) })
      let spoke = performance.now()
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text
        spoke = performance.now()
      })
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text
        spoke = performance.now()
      })
      child.on('error', failed)
      child.on('close', (code) => done({ code, stdout, stderr, lingeredMs: performance.now() - spoke }))
      child.stdin.end()
    }),
}
