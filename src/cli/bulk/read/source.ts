import { isUtf8 } from 'node:buffer'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import {
  describeSystemError,
  MeetroomError,
  OutputError,
  toExhaustedHandlesError,
  UsageError,
} from '../../../errors.ts'
import { createFile } from '../../../files/create-file.ts'
import { isStream, streamInput } from '../../../files/input-file.ts'
import type { Host } from '../../../host.ts'
import { readStdin } from '../../input/stdin.ts'
import { detectEncoding, type Encoding, toUtf8 } from './encoding.ts'
import { refuseWorkbook } from './workbook.ts'

export interface Source {
  name: string
  /** Path of the file; undefined for standard input and pipes. */
  path: string | undefined
  /** Reads the text as UTF-8. Throws UsageError for invalid bytes. */
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/**
 * Opens a file. Standard input (`-`) and pipes are stored in a temporary file.
 * @param encoding encoding of text without a byte order mark
 * @throws {UsageError} when the input cannot be read
 */
export async function openSource(file: string, host: Host, encoding: Encoding = 'utf-8'): Promise<Source> {
  const given = resolve(host.cwd, file)
  const name = file === '-' ? 'standard input' : basename(file)
  const spool =
    file === '-'
      ? await spoolToFile(readStdin(host))
      : (await isStream(given))
        ? await spoolToFile(readChunks(given, name, host))
        : undefined
  const path = spool?.path ?? given
  try {
    await refuseWorkbook(readChunks(path, name, host), name)
  } catch (error) {
    await spool?.remove()
    throw error
  }
  return {
    name,
    path: spool ? undefined : path,
    read: () => decodeText(readChunks(path, name, host), name, encoding),
    close: async () => spool?.remove(),
  }
}

async function* readChunks(path: string, name: string, host: Host): AsyncGenerator<Buffer> {
  try {
    yield* streamInput(path, host, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const handles = toExhaustedHandlesError(error)
    if (handles) throw handles
    throw new UsageError(`${name} cannot be read: ${describeSystemError(error)}`)
  }
}

async function spoolToFile(input: AsyncIterable<Buffer>): Promise<{ path: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'meetroom-'))
  const remove = () => rm(dir, { recursive: true, force: true })
  const path = join(dir, 'stdin')
  try {
    const file = await createFile(path)
    try {
      for await (const chunk of input) await file.write(chunk)
    } finally {
      await file.close()
    }
  } catch (error) {
    await remove()
    const { syscall } = error as NodeJS.ErrnoException
    if (!syscall || error instanceof MeetroomError || toExhaustedHandlesError(error)) throw error
    throw new OutputError(
      `standard input cannot be stored in ${tmpdir()} while it is read: ${describeSystemError(error, 'no such directory')}`,
      {
        hint: 'choose another directory with TMPDIR',
      },
    )
  }
  return { path, remove }
}

/** Converts text to UTF-8. A byte order mark takes precedence over the given encoding. */
async function* decodeText(
  chunks: AsyncIterable<Buffer>,
  name: string,
  given: Encoding,
): AsyncGenerator<Buffer> {
  const input = chunks[Symbol.asyncIterator]()
  const first = await input.next()
  if (first.done) return
  async function* readAll() {
    yield first.value as Buffer
    yield* { [Symbol.asyncIterator]: () => input }
  }
  const encoding = detectEncoding(first.value) ?? given
  if (encoding === 'utf-8') return yield* requireText(readAll(), name)
  try {
    yield* requireText(toUtf8(readAll(), encoding), name)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(`${name} is not ${encoding.toUpperCase()}`, {
      hint: 'name its encoding with --encoding',
    })
  }
}

/** Yields valid UTF-8 unchanged. Throws a UsageError with the offset of an invalid byte. */
async function* requireText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let offset = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    // A character may continue in the next chunk.
    const whole = bytes.subarray(0, bytes.length - countIncompleteBytes(bytes))
    requireUtf8(whole, offset, name)
    offset += whole.length
    rest = bytes.subarray(whole.length)
    if (whole.length > 0) yield whole
  }
  requireUtf8(rest, offset, name)
}

function countIncompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    if (length > back) return back
    if ((byte & 0xc0) !== 0x80) return 0
  }
  return 0
}

function requireUtf8(bytes: Buffer, offset: number, name: string): void {
  const nul = bytes.indexOf(0)
  if (nul >= 0)
    throw new UsageError(`${name} has a NUL at byte offset ${offset + nul}: it is UTF-16, or not text`, {
      hint: `save it as UTF-8, or name its encoding: --encoding ${(offset + nul) % 2 === 0 ? 'utf-16be' : 'utf-16le'}`,
    })
  if (isUtf8(bytes)) return
  // A binary search finds the longest valid prefix.
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const part = bytes.subarray(0, middle)
    if (isUtf8(part.subarray(0, part.length - countIncompleteBytes(part)))) good = middle
    else bad = middle
  }
  const part = bytes.subarray(0, good)
  throw new UsageError(`${name} is not UTF-8 at byte offset ${offset + good - countIncompleteBytes(part)}`, {
    hint: 'save it as UTF-8, or name its encoding: --encoding windows-1252',
  })
}
