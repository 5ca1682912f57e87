import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { isRecord } from '../../../api/guards.ts'
import { parseJson } from '../../../api/json.ts'
import { parseTimestamp } from '../../../api/readings.ts'
import { toText } from '../../../api/to-text.ts'
import { MeetroomError, UsageError } from '../../../errors.ts'
import { toReadError } from '../../../files/file-errors.ts'
import { streamInput } from '../../../files/input-file.ts'
import { openRegular, streamFile } from '../../../files/read-file.ts'
import { readLines } from '../../../files/read-lines.ts'
import type { Host } from '../../../host.ts'
import type { RowOf } from '../../output/views/rows.ts'
import { describeChange } from './describe-change.ts'

export type ChangeRow = RowOf<'changes'>

export interface LogFile {
  name: string
  open(): AsyncIterable<Buffer>
}

export interface AuditHistory {
  /** Newest first. */
  changes: ChangeRow[]
  /** Number of nonempty lines that are not valid records. */
  damaged: number
  /** Errors of files that were not read to their end. */
  failures: readonly MeetroomError[]
}

/** Maximum length of a record, in characters. */
const maxRecord = 2 ** 20

export function openLogFiles(paths: readonly string[], host: Host): LogFile[] {
  return paths.map((name) => ({ name, open: () => streamInput(name, host) }))
}

const rotation = /^(?:[.-]\d[\d.T_-]*?)?(?:\.(gz|bz2|lz4|xz|zst|Z))?$/

/**
 * Finds an audit log and its rotated files.
 * @returns the files, and the names of rotated files that cannot be decompressed
 * @throws {UsageError} if the directory cannot be read
 */
export function findLogFiles(path: string): { files: LogFile[]; packed: string[] } {
  const [dir, name, extension] = [dirname(path), basename(path), extname(path)]
  const stem = name.slice(0, name.length - extension.length)
  const readable: string[] = []
  const packed: string[] = []
  for (const file of listNames(dir)) {
    const rest = file.startsWith(name)
      ? file.slice(name.length)
      : file.startsWith(stem) && file.includes(extension)
        ? file.slice(stem.length).replace(extension, '')
        : 'other'
    const [matched, compression = 'gz'] = rotation.exec(rest) ?? []
    if (matched !== undefined) (compression === 'gz' ? readable : packed).push(file)
  }
  const files = readable.map((file) => ({
    name: file,
    open: () => streamFile(openRegular(join(dir, file), { name: file })),
  }))
  return { files, packed }
}

function listNames(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch (error) {
    throw toReadError(dir, error)
  }
}

/** Period of changes, in milliseconds since 1970. */
export type Span = readonly [start: number, end: number]

export async function readAuditLogs(files: readonly LogFile[], span: Span): Promise<AuditHistory> {
  const changes = new Map<string, ChangeRow>()
  const outside = new Set<string>()
  const failures: MeetroomError[] = []
  let damaged = 0
  for (const file of files)
    try {
      for await (const lines of readLines(unpack(file.open()), file.name))
        for (const line of lines)
          if (line.trim() !== '' && !addRecord(changes, outside, line, span)) damaged++
    } catch (error) {
      failures.push(toFailure(file.name, error))
    }
  const newestFirst = [...changes.values()]
    .filter(({ time }) => isInSpan(Number(parseTimestamp(time)), span))
    .reverse()
  newestFirst.sort((a, b) => (a.time === b.time ? 0 : toText(a.time) > toText(b.time) ? -1 : 1))
  return { changes: newestFirst, damaged, failures }
}

/** Decompresses gzip, regardless of the file name, and yields other data unchanged. */
async function* unpack(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = chunks[Symbol.asyncIterator]()
  const { value: first, done } = await input.next()
  if (done) return
  async function* all() {
    yield first
    yield* { [Symbol.asyncIterator]: () => input }
  }
  if (first[0] !== 0x1f || first[1] !== 0x8b) return yield* all()
  const gunzip = createGunzip()
  pipeline(Readable.from(all()), gunzip, () => {})
  yield* gunzip
}

function toFailure(name: string, error: unknown): MeetroomError {
  const { code } = error as NodeJS.ErrnoException
  if (code?.startsWith('Z_')) return new UsageError(`${name} is damaged; the rest of the file was not read`)
  const failure = toReadError(name, error)
  if (failure instanceof MeetroomError) return failure
  throw failure
}

const isInSpan = (ms: number, [start, end]: Span) => ms >= start && ms < end

/**
 * Returns false for a line that is not a valid record.
 * @param outside IDs of changes whose intent is outside the span
 */
function addRecord(changes: Map<string, ChangeRow>, outside: Set<string>, line: string, span: Span): boolean {
  const record = parseRecord(line)
  const { id, time } = record ?? {}
  const ms = parseTimestamp(time)
  if (!record || typeof id !== 'string' || typeof ms !== 'number') return false
  const isOutcome = record['event'] === 'outcome'
  // The time of the intent decides, but a rotated file may yield the outcome first.
  if (!isOutcome && !isInSpan(ms, span)) {
    outside.add(id)
    changes.delete(id)
  }
  if (outside.has(id)) return true
  const known = changes.get(id)
  // Only the outcome has a result and the ID of a created item.
  const change = known && !isOutcome ? known : describeChange(record, id)
  changes.set(id, { ...change, time: (isOutcome && known?.time) || new Date(ms).toISOString() })
  return true
}

function parseRecord(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line.length > maxRecord) return undefined
  try {
    const record = parseJson(line)
    return isRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}
