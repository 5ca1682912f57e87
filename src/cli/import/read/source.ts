import { isAscii, isUtf8 } from 'node:buffer'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ErrorDetails, UsageError } from '../../../errors.ts'
import { AppendFile } from '../../../files/append-file.ts'
import { toStorageError } from '../../../files/file-errors.ts'
import { isStream, refuseUrl, streamInput } from '../../../files/input-file.ts'
import { createTemporaryDirectory, type TemporaryDirectory } from '../../../files/temporary-directory.ts'
import type { Host } from '../../../host.ts'
import { readStdin } from '../../input/stdin.ts'
import { detectEncoding, type Encoding, toUtf8 } from './encoding.ts'

export interface Source {
  name: string
  /** Undefined for standard input, and for pipes and other streams. */
  path: string | undefined
  /**
   * Returns the text in UTF-8.
   * @throws {UsageError} for unreadable input and invalid bytes
   */
  read(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** Maximum size of a stream held in memory, in bytes. */
const maxHeld = 1024 * 1024

interface Kept {
  read(): AsyncIterable<Buffer>
  remove(): Promise<void>
}

/**
 * Opens an input. Streams are stored, because the input is read more than once.
 * @param encoding encoding of text without a byte order mark
 * @throws {MeetroomError} for unreadable or unsupported input, or if a stream cannot be stored
 */
export async function openSource(file: string, host: Host, encoding: Encoding = 'utf-8'): Promise<Source> {
  refuseUrl(file)
  const given = resolve(host.cwd, file)
  const name = file === '-' ? 'standard input' : file
  const kept =
    file === '-'
      ? await keepInput(readStdin(host), name, host)
      : (await isStream(given))
        ? await keepInput(streamInput(given, host, name), name, host)
        : undefined
  const read = kept?.read ?? (() => streamInput(given, host, name))
  try {
    await refuseWorkbook(read(), name)
    if (encoding !== 'utf-8') await refuseUtf8(read(), name, encoding)
  } catch (error) {
    await kept?.remove()
    throw error
  }
  return {
    name,
    path: kept ? undefined : given,
    read: () => decodeText(read(), name, encoding),
    close: async () => kept?.remove(),
  }
}

async function keepInput(input: AsyncIterable<Buffer>, name: string, host: Host): Promise<Kept> {
  const chunks = input[Symbol.asyncIterator]()
  const held: Buffer[] = []
  for (let size = 0; size <= maxHeld; ) {
    const next = await chunks.next()
    // The first chunk must contain the whole signature of the format.
    if (next.done) return { read: () => resumeRead([Buffer.concat(held)]), async remove() {} }
    held.push(next.value)
    size += next.value.length
  }
  const { path, remove } = await storeInFile(resumeRead(held.splice(0), chunks), name)
  return { read: () => streamInput(path, host, name), remove }
}

async function* resumeRead(read: readonly Buffer[], rest?: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* read
    if (rest) yield* { [Symbol.asyncIterator]: () => rest }
  } finally {
    // The consumer may have stopped before `rest`.
    await rest?.return?.()
  }
}

async function storeInFile(input: AsyncIterable<Buffer>, name: string): Promise<TemporaryDirectory> {
  const directory = await createTemporaryDirectory(name)
  const path = join(directory.path, 'input')
  try {
    const file = await AppendFile.create(path)
    try {
      for await (const chunk of input) file.append(chunk)
    } finally {
      await file.close()
    }
  } catch (error) {
    await directory.remove()
    throw toStorageError(name, tmpdir(), error)
  }
  return { path, remove: directory.remove }
}

/** @throws {UsageError} for UTF-8 text that decoding as `encoding` would garble */
async function refuseUtf8(chunks: AsyncIterable<Buffer>, name: string, encoding: Encoding): Promise<void> {
  let isPlain = true
  let isFirst = true
  for await (const whole of alignChunks(chunks)) {
    if (isFirst && detectEncoding(whole) !== undefined) return
    isFirst = false
    if (whole.includes(0) || !isUtf8(whole)) return
    isPlain &&= isAscii(whole)
  }
  if (isFirst || (isPlain && encoding === 'windows-1252')) return
  throw new UsageError(`${name} is UTF-8, not ${encoding.toUpperCase()}`, {
    hint: 'omit --encoding',
    lineEdit: { before: 'type: ', omit: ['--encoding'] },
  })
}

async function* decodeText(
  chunks: AsyncIterable<Buffer>,
  name: string,
  given: Encoding,
): AsyncGenerator<Buffer> {
  const input = chunks[Symbol.asyncIterator]()
  const first = await input.next()
  if (first.done) return
  const whole = resumeRead([first.value], input)
  const encoding = detectEncoding(first.value) ?? given
  if (encoding === 'utf-8') return yield* requireText(whole, name)
  try {
    yield* requireText(toUtf8(whole, encoding), name)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(`${name} is not ${encoding.toUpperCase()}`, {
      hint: 'pass its encoding with --encoding',
    })
  }
}

/** @throws {UsageError} with the byte offset of a NUL or an invalid byte */
async function* requireText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let offset = 0
  for await (const whole of alignChunks(chunks)) {
    requireUtf8(whole, offset, name)
    offset += whole.length
    if (whole.length > 0) yield whole
  }
}

/** Divides UTF-8 between characters. Yields an incomplete last character separately. */
async function* alignChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = bytes.length - countIncompleteBytes(bytes)
    yield bytes.subarray(0, end)
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) yield rest
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
    throw new UsageError(
      `${name} has a NUL at byte offset ${offset + nul}, so the file is UTF-16 or not text`,
      suggestEncoding((offset + nul) % 2 === 0 ? 'utf-16be' : 'utf-16le'),
    )
  if (isUtf8(bytes)) return
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    const part = bytes.subarray(0, middle)
    if (isUtf8(part.subarray(0, part.length - countIncompleteBytes(part)))) good = middle
    else bad = middle
  }
  const part = bytes.subarray(0, good)
  // Bytes from 0x80 to 0x9F between letters suggest Mac Roman or DOS text, not windows-1252.
  const isOther = /[a-z][\x80-\x9f][a-z]/i.test(bytes.toString('latin1', Math.max(0, good - 4)))
  throw new UsageError(
    `${name} is not UTF-8 at byte offset ${offset + good - countIncompleteBytes(part)}`,
    isOther ? { hint: 'save the file as UTF-8' } : suggestEncoding('windows-1252'),
  )
}

function suggestEncoding(encoding: Encoding): ErrorDetails {
  return {
    hint: `save the file as UTF-8, or pass its encoding: --encoding ${encoding}`,
    lineEdit: {
      before: 'save the file as UTF-8, or pass its encoding: ',
      omit: ['--encoding'],
      add: ['--encoding', encoding],
    },
  }
}

const zip = Buffer.from('PK\x03\x04', 'latin1')
const gzip = Buffer.from([0x1f, 0x8b])
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const sheets = 'xl/'

/** @throws {UsageError} for a workbook or a ZIP archive, regardless of the file extension */
async function refuseWorkbook(chunks: AsyncIterable<Buffer>, name: string): Promise<void> {
  let before: Buffer | undefined
  for await (const chunk of chunks) {
    if (before === undefined && startsWith(chunk, compound)) throw workbook(name)
    if (before === undefined && startsWith(chunk, gzip))
      throw new UsageError(`${name} is compressed`, { hint: 'decompress the file with gunzip first' })
    if (before === undefined && !startsWith(chunk, zip)) return
    // The path `xl/` may span two chunks.
    if (Buffer.concat([before ?? Buffer.alloc(0), chunk]).includes(sheets)) throw workbook(name)
    before = chunk.subarray(-sheets.length)
  }
  if (before && /\.(ods|numbers|xls\w?)$/i.test(name))
    throw new UsageError(`${name} is a spreadsheet; save it as CSV (UTF-8)`, {
      hint: 'in LibreOffice: File, Save As, “Text CSV”; in Numbers: File, Export To, “CSV”',
    })
  if (before)
    throw new UsageError(`${name} is a ZIP archive`, {
      hint: 'unpack the archive, and import the unpacked file',
    })
}

function startsWith(bytes: Buffer, signature: Buffer): boolean {
  return bytes.subarray(0, signature.length).equals(signature)
}

function workbook(name: string): UsageError {
  return new UsageError(`${name} is an Excel workbook; save it as CSV (UTF-8)`, {
    hint: 'in Excel: File, Save As, “CSV UTF-8 (Comma delimited)”',
  })
}
