import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'

export const nul = openSync('/dev/null', 'r+')

export interface Ran {
  ms: number
  /** User and system time of the whole process; wrong if another child process ends meanwhile. */
  cpuMs: number
  peakMb: number
}

/** Runs a command to its end, sampling the peak of its memory. */
export async function run(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  stdout: number = nul,
): Promise<Ran> {
  const [program = '', ...argv] = command
  const cpuBefore = childrenCpuMs()
  const began = performance.now()
  const child = spawn(program, argv, { env, stdio: [nul, stdout, 'pipe'] })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  let peakMb = 0
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child))
  }, 25)
  const [code, ms] = await new Promise<[number | null, number]>((done) =>
    child.once('close', (code) => done([code, performance.now() - began])),
  )
  clearInterval(timer)
  if (code !== 0)
    throw new Error(`${command.slice(0, 6).join(' ')} ended with ${code}: ${stderr.slice(0, 2000)}`)
  return { ms, cpuMs: childrenCpuMs() - cpuBefore, peakMb }
}

/** CPU time of all child processes that have ended, in steps of 10 ms. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The kernel keeps the peak: only growth after the last sample is missed. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
