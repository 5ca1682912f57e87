import { statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'
import { createNotRegularError } from './file-kind.ts'
import { createTooLargeError, largeFile, openRegular, streamFile } from './read-file.ts'

/**
 * Reads a file that the user named. Follows symbolic links; pipes such as `<(…)` are read to their end.
 * @throws {UsageError} when the input is an endless device, or is too large
 */
export async function readInput(path: string, name = path, maxBytes = largeFile): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of streamInput(path, name)) {
    length += chunk.length
    if (length > maxBytes) throw createTooLargeError(name, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export async function* streamInput(path: string, name = path): AsyncGenerator<Buffer> {
  yield* (await isStream(path))
    ? await openStream(path, name)
    : streamFile(openRegular(path, { name, follow: true }))
}

/** Returns true for inputs that can be read only once, such as named pipes, terminals and `<(…)`. */
export async function isStream(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && (found.isFIFO() || found.isSocket() || found.isCharacterDevice())
}

async function openStream(path: string, name: string): Promise<AsyncIterable<Buffer>> {
  const file = await open(path)
  const found = await file.stat()
  if (!found.isCharacterDevice() || isatty(file.fd) || found.rdev === statSync(devNull).rdev)
    return file.createReadStream({ highWaterMark: 16 * 1024 })
  await file.close()
  // Devices such as /dev/zero never end.
  throw createNotRegularError(name)
}
