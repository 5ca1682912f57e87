import { UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'

/**
 * Reads standard input. A signal closes it, because a pending read cannot be canceled otherwise.
 * @throws {UsageError} if standard input has been read before
 */
export async function* readStdin(host: Host): AsyncGenerator<Buffer> {
  const { stdin } = host
  if (!stdin.readable) throw new UsageError('standard input can only be read once')
  const removeListener = host.onSignal(() => stdin.destroy?.())
  try {
    for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  } finally {
    removeListener()
  }
}
