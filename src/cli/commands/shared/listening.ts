import { UsageError } from '../../../errors.ts'
import { describeSystemError } from '../../../files/system-error.ts'
import { createIntegerParser } from '../../input/input.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'

/** @throws {UsageError} for an empty host, which would listen on all interfaces */
function parseListenHost(text: string): string {
  if (text.trim() === '')
    throw new UsageError('--host is empty', { hint: '0.0.0.0 listens on all interfaces' })
  const [, host, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(text) ?? []
  if (host !== undefined && port !== undefined)
    throw new UsageError(`--host must be a host without a port, not “${text}”`, {
      hint: 'pass the port with --port',
      lineEdit: {
        before: 'pass the port with --port: ',
        omit: ['--host', '--port'],
        add: ['--host', host, '--port', port],
      },
    })
  return text
}

export function addListenFlags(command: MeetroomCommand, port: number): MeetroomCommand {
  return command
    .option('--host <address>', 'IP address to listen on', parseListenHost, '127.0.0.1')
    .option(
      '--port <n>',
      'port to listen on; 0 selects a free port',
      createIntegerParser('--port', 0, 65535),
      port,
    )
}

/** Translates common errors of `listen`; undefined for other causes. */
export function createListenError(cause: unknown, host: string, port: number): UsageError | undefined {
  const { code, syscall } = Object(cause) as NodeJS.ErrnoException
  const where = `${host.includes(':') ? `[${host}]` : host}:${port}`
  if (code === 'EADDRINUSE') {
    return new UsageError(`another program is already listening on ${where}`, {
      hint: 'select a free port with --port 0',
      lineEdit: { before: 'select a free port: ', omit: ['--port'], add: ['--port', '0'] },
    })
  }
  // The resolver fails with many codes, such as EINVAL.
  const isUnresolved = syscall === 'getaddrinfo' && code !== 'ENOTFOUND'
  if (!isUnresolved && !['EADDRNOTAVAIL', 'ENOTFOUND', 'EACCES', 'EAFNOSUPPORT'].includes(code ?? ''))
    return undefined
  const reason = isUnresolved ? 'the host name cannot be resolved' : describeSystemError(cause)
  return new UsageError(`cannot listen on ${where}: ${reason}`)
}

export function waitForInterrupt(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }))
}
