import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'

export const nul = openSync('/dev/null', 'r+')

// Loading extra certificates can add about 70 ms to each Node process.
delete process.env['NODE_EXTRA_CA_CERTS']

export interface Measurement {
  ms: number
  /** CPU time of the command; wrong if another child process ends during the run. */
  cpuMs: number
  peakMb: number
}

/** @throws if the command fails */
export async function run(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  stdout: number = nul,
): Promise<Measurement> {
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

/** Runs each side once per round, in reverse order every second round. */
export async function alternate<Name extends string, Result>(
  rounds: number,
  sides: Readonly<Record<Name, () => Result | Promise<Result>>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(sides) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await sides[name]())
  return results
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

/** Formats a median and a range, such as "1.02 (0.97–1.10)". */
export function spread(values: readonly number[], digits = 2): string {
  const show = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`
}

/** Returns the ratio of each run to the run of the peer in the same round. */
export const ratiosOf = (side: readonly number[], peer: readonly number[]): number[] =>
  side.map((value, round) => value / (peer[round] ?? Number.NaN))

/** Prints "NAME  MEDIAN (MIN–MAX) of N pairs × PEER; MORE". */
export function printRatio(name: string, peer: string, ratios: readonly number[], ...more: string[]): void {
  console.log(
    [`${name.padEnd(44)} ${spread(ratios)} of ${ratios.length} pairs × ${peer}`, ...more].join('; '),
  )
}

/** Prints "NAME  MEDIAN (MIN–MAX) UNIT of N runs; MORE". */
export function printValue(
  name: string,
  values: readonly number[],
  unit: string,
  digits = 0,
  ...more: string[]
): void {
  console.log(
    [`${name.padEnd(44)} ${spread(values, digits)} ${unit} of ${values.length} runs`, ...more].join('; '),
  )
}

/** Returns the CPU time of ended child processes in milliseconds, in steps of 10. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** Returns the peak memory of a process in MB; 0 if the process has ended. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
