import { statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import { isatty } from 'node:tty'
import { type Hint, UsageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { toReadError } from './file-errors.ts'
import { createNotRegularError } from './file-kind.ts'
import { createTooLargeError, largeFile, openRegular, streamFile } from './read-file.ts'
import { untilSignal } from './signal-wait.ts'

type Machine = Pick<Host, 'cwd' | 'onSignal'>

interface InputOptions {
  /** Name in messages; defaults to the path. */
  name?: string
  maxBytes?: number
  hint?: Hint
}

/**
 * Reads an input that the user named, such as a file or a pipe.
 * @throws {UsageError} if the input cannot be read or is too large
 * @throws {InterruptedError} if a signal arrives while a pipe or terminal is read
 */
export async function readInput(
  file: string,
  machine: Machine,
  { name = file, maxBytes = largeFile, hint }: InputOptions = {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of streamInput(file, machine, name, hint)) {
    length += chunk.length
    if (length > maxBytes) throw createTooLargeError(name, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * @throws {UsageError} if the input cannot be read
 * @throws {InterruptedError} if a signal arrives while a pipe or terminal is read
 */
export async function* streamInput(
  file: string,
  machine: Machine,
  name = file,
  hint?: Hint,
): AsyncGenerator<Buffer> {
  refuseUrl(file)
  const path = resolve(machine.cwd, file)
  try {
    yield* (await isStream(path))
      ? untilSignal(openStream(path, name), machine)
      : streamFile(openRegular(path, { name, follow: true }))
  } catch (error) {
    throw toReadError(name, error, hint === undefined ? {} : { hint })
  }
}

export function refuseUrl(file: string): void {
  if (/^https?:\/\//i.test(file))
    throw new UsageError(`${file} is a URL, not a file`, {
      hint: 'download the file, and pass its path',
    })
}

/** Returns true if the input may be readable only once. */
export async function isStream(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && (found.isFIFO() || found.isSocket() || found.isCharacterDevice())
}

async function* openStream(path: string, name: string): AsyncGenerator<Buffer> {
  const file = await open(path)
  const found = await file.stat()
  // Devices such as /dev/zero never end.
  if (found.isCharacterDevice() && !isatty(file.fd) && found.rdev !== statSync(devNull).rdev) {
    await file.close()
    throw createNotRegularError(name)
  }
  yield* file.createReadStream({ highWaterMark: 16 * 1024 })
}
