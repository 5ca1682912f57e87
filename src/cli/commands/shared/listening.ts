import { UsageError } from '../../../errors.ts'

/** Returns the error for an address that cannot be listened on; undefined for any other cause. */
export function cannotListen(cause: unknown, host: string, port: number): UsageError | undefined {
  const { code } = Object(cause) as NodeJS.ErrnoException
  const where = `${host}:${port}`
  if (code === 'EADDRINUSE')
    return new UsageError(`another program is already listening on ${where}`, {
      hint: 'pass another --port; 0 picks a free one',
    })
  const reason = new Map([
    ['EADDRNOTAVAIL', 'this machine does not have that address'],
    ['ENOTFOUND', 'no such host'],
    ['EACCES', 'permission denied'],
  ]).get(code ?? '')
  return reason === undefined
    ? undefined
    : new UsageError(`${where} cannot be used for listening: ${reason} (${code})`)
}
