import { describeSystemError, UsageError } from '../../../errors.ts'

/** Returns the error for a host and port on which the program cannot listen; undefined for any other cause. */
export function createListenError(cause: unknown, host: string, port: number): UsageError | undefined {
  const { code } = Object(cause) as NodeJS.ErrnoException
  const where = `${host}:${port}`
  if (code === 'EADDRINUSE')
    return new UsageError(`another program is already listening on ${where}`, {
      hint: 'pass another --port; 0 picks a free one',
    })
  return ['EADDRNOTAVAIL', 'ENOTFOUND', 'EACCES'].includes(code ?? '')
    ? new UsageError(`the program cannot listen on ${where}: ${describeSystemError(cause)}`)
    : undefined
}
