import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
} from 'node:fs'
import { UsageError } from '../errors.ts'
import { createDirectoryError, createLinkError, createNotRegularError } from './file-kind.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Default maximum size for `readText`, in bytes. */
const smallFile = 2 ** 20
/** Default maximum size for `readInput`, in bytes. */
export const largeFile = 2 ** 28

interface ReadOptions {
  /** Name in messages; defaults to the path. */
  name?: string
  /** True to follow a symbolic link at the path. A cloned repository may contain harmful links. */
  follow?: boolean
  /** @throws an error if the open file must not be read */
  check?(found: Stats): void
}

/**
 * Opens a regular file for reading, without waiting for the writer of a named pipe. The caller closes the
 * file descriptor.
 * @throws {UsageError} if the file is not regular, or is a symbolic link that is not followed
 * @throws a system error, such as EISDIR for a directory with `follow`, or the error of `check`
 */
export function openRegular(path: string, { name = path, follow = false, check }: ReadOptions = {}): number {
  const file = openNow(path, name, follow ? 0 : O_NOFOLLOW)
  try {
    const found = fstatSync(file)
    check?.(found)
    // EISDIR leads to a more specific message.
    if (!found.isFile())
      throw follow && found.isDirectory() ? createDirectoryError() : createNotRegularError(name)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function openNow(path: string, name: string, links: number): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK | links)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' && links !== 0) throw createLinkError(name)
    // ENXIO means that the path is a socket.
    throw code === 'ENXIO' ? createNotRegularError(name) : error
  }
}

/**
 * Reads a regular file as UTF-8.
 * @throws {UsageError} if the file is too large, otherwise the error of `openRegular`
 */
export function readText(
  path: string,
  { maxBytes = smallFile, ...options }: ReadOptions & { maxBytes?: number } = {},
): string {
  const { name = path } = options
  const file = openRegular(path, options)
  try {
    if (fstatSync(file).size > maxBytes) throw createTooLargeError(name, maxBytes)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** Reads the start of a regular file as UTF-8; undefined if the file cannot be read. */
export function readStart(path: string, maxBytes: number): string | undefined {
  let file: number | undefined
  try {
    file = openRegular(path, { follow: true })
    const bytes = Buffer.alloc(maxBytes)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, 0))
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Reads an open file to its end, and closes the file. */
export function streamFile(fd: number): AsyncIterable<Buffer> {
  return createReadStream('', { fd, highWaterMark: 16 * 1024 })
}

export function createTooLargeError(name: string, maxBytes: number): UsageError {
  return new UsageError(`${name} is larger than ${maxBytes / 2 ** 20} MB`)
}
