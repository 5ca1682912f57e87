import { UsageError } from '../../errors.ts'
import { untilSignal } from '../../files/signal-wait.ts'
import type { Host } from '../../host.ts'

/**
 * @throws {UsageError} if standard input has been read before
 * @throws {InterruptedError} after a signal
 */
export async function* readStdin(host: Host): AsyncGenerator<Buffer> {
  const { stdin } = host
  if (!stdin.readable) throw new UsageError('standard input can only be read once')
  try {
    yield* untilSignal(toBuffers(stdin), host)
  } finally {
    // A pending read would keep the process running.
    stdin.destroy?.()
  }
}

async function* toBuffers(input: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  for await (const chunk of input) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}
