import { UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'

/**
 * What comes on standard input. A signal ends it: as long as it is open, nothing else would.
 * @throws {UsageError} when it has been read already
 */
export async function* stdinOf(host: Host): AsyncGenerator<Buffer> {
  const { stdin } = host
  if (!stdin.readable) throw new UsageError('standard input can only be read once')
  const over = host.onSignal(() => stdin.destroy?.())
  try {
    for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  } finally {
    over()
  }
}
