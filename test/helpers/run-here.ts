import type { Connect } from '../../src/cli/requests/running-command.ts'
import { main } from '../../src/main.ts'
import type { Finished } from './command.ts'
import { type HostOptions, testHost } from './host.ts'

/** Runs the program in this process, with the real network by default. */
export async function runHere(
  argv: readonly string[],
  options: HostOptions = {},
  connect?: Connect,
): Promise<Finished> {
  const host = testHost(options)
  const code = await main(argv, host, connect)
  return { code, stdout: host.stdout.text, stderr: host.stderr.text }
}
