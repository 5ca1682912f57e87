import { OutputError } from '../errors.ts'

export function toExhaustedHandlesError(cause: unknown): OutputError | undefined {
  const { code } = Object(cause) as { code?: unknown }
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined
  return new OutputError('too many open files: the limit is reached', {
    ...(code === 'EMFILE' && { hint: 'raise the limit with: ulimit -n 4096' }),
    cause,
  })
}

/**
 * Describes a system error in words, without its code.
 * @param missing reason for a missing file or directory
 */
export function describeSystemError(cause: unknown, missing = 'no such file'): string {
  const { code } = Object(cause) as { code?: unknown }
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EADDRINUSE: 'another program uses this port',
    EADDRNOTAVAIL: 'this machine does not have that IP address',
    EAFNOSUPPORT: 'this machine does not support this IP version',
    EBUSY: 'it is in use',
    EDQUOT: 'the disk quota is exceeded',
    EEXIST: 'a file with this name exists',
    EFBIG: 'the file is too large',
    EINVAL: 'the operating system does not support this operation',
    EIO: 'the device reported an error',
    EISDIR: 'it is a directory',
    ELOOP: 'too many symbolic links',
    EMFILE: 'too many open files',
    ENAMETOOLONG: 'the name is too long',
    ENFILE: 'too many open files',
    ENOEXEC: 'it is not a program',
    ENOMEM: 'not enough memory',
    ENOSPC: 'no space left on the disk',
    ENOTDIR: 'a part of the path is not a directory',
    ENOTFOUND: 'no such host',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ETXTBSY: 'it is in use',
    ENOENT: missing,
  }
  return (typeof code === 'string' && reasons[code]) || 'the operating system refused the operation'
}
