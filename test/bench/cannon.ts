import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

export interface Round {
  perSecond: number
  /** CPU time of the server per request, in microseconds. */
  cpu: number
  p99Ms: number
}

/**
 * @param pid process ID of the server
 * @throws if a request fails or is refused
 */
export async function cannon(
  pid: number,
  amount: number,
  options: Readonly<autocannon.Options>,
): Promise<Round> {
  const before = cpuMicrosOf(pid)
  const began = performance.now()
  // autocannon reports the result only at the end of a sample.
  let ended = began
  const result = await new Promise<autocannon.Result>((done, failed) => {
    const running = autocannon({ ...options, amount, sampleInt: 50, timeout: 60 }, (error, result) =>
      error ? failed(error) : done(result),
    )
    running.on('response', () => {
      ended = performance.now()
    })
  })
  const { errors, timeouts, non2xx } = result
  if (errors + non2xx > 0)
    throw new Error(`${errors} requests failed, ${timeouts} of them by timeout; ${non2xx} were refused`)
  return {
    perSecond: (amount / (ended - began)) * 1000,
    cpu: (cpuMicrosOf(pid) - before) / amount,
    p99Ms: result.latency.p99,
  }
}

/** Returns the CPU time of a running process, in microseconds, with a resolution of 10 ms. */
function cpuMicrosOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}
