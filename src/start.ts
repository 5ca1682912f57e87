import { createProcessHost, type Host } from './host.ts'
import { version } from './version.ts'

/** Starts the program. Prints the version without loading any other module. */
export async function start(argv: readonly string[]): Promise<number> {
  const host = createProcessHost()
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
