import { type Host, processHost } from './host.ts'
import { version } from './version.ts'

/**
 * Runs one command line in this process and returns its exit code. A program that asks for the version gets it before all else
 * is loaded; a terminal, or an output that fails, is left to what can cope with it.
 * @param argv the words behind the program’s name
 */
export async function start(argv: readonly string[]): Promise<number> {
  const host = processHost()
  const [first = ''] = argv
  const isVersion = argv.length === 1 && ['--version', '-V'].includes(first)
  if (isVersion && (await isWritten(host, `${version}\n`))) return 0
  const { main } = await import('./main.ts')
  return main(argv, host)
}

async function isWritten({ stdout }: Host, text: string): Promise<boolean> {
  if (stdout.isTTY) return false
  return stdout.write(text).then(
    () => true,
    () => false,
  )
}
