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

/** The deadline where something else must end the command, in seconds. */
const longTimeout = 30

/** What became of a command. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  requests: number
  connections: number
  /** Time beyond the deadline, in milliseconds; below zero where it was not reached. */
  lateMs: number
  /** Time between the last output and the end of the process, in milliseconds; undefined in this process. */
  lingeredMs: number | undefined
}

/** Where commands run: in this process with its real network, or as the built program. */
export interface Runner {
  run(
    argv: readonly string[],
    env: Record<string, string>,
  ): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr' | 'lingeredMs'>>
  /** The deadline where nothing else ends a command, in seconds: long enough for a request to get out. */
  shortTimeout: number
  /** Commands reach the server through a proxy that does not fail. */
  tunnels?: true
}

/** Runs a command against a server that fails. */
export async function runAgainst(
  fault: Fault,
  command: Command,
  format: Format,
  { run, shortTimeout, tunnels }: Runner,
  env: Record<string, string>,
): Promise<Ended> {
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
      ...wayTo(fault, server.port, tunnel?.port),
      MEETROOM_API_KEY: key,
    })
    return { ...ended, ...server.seen, lateMs: performance.now() - began - timeout * 1000 }
  } finally {
    await tunnel?.close()
    await server.close()
  }
}

function wayTo({ over = 'http' }: Fault, port: number, tunnel: number | undefined): Record<string, string> {
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

/** In this process: waiting before another attempt takes no time. */
const here = (connect?: Connect): Runner => ({
  shortTimeout: 0.4,
  async run(argv, env) {
    return { ...(await runHere(argv, { env }, connect)), lingeredMs: undefined }
  },
})

/** Both HTTP libraries, with and without a proxy. */
export const ways = [
  { library: 'node:http', runner: here() },
  { library: 'undici', runner: here(connectByUndici) },
  { library: 'node:http', runner: { ...here(), tunnels: true } },
  { library: 'undici', runner: { ...here(connectByUndici), tunnels: true } },
] as const satisfies readonly { library: string; runner: Runner }[]

/** The built program, in a process of its own. */
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
