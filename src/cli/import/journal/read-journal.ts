import { fstatSync } from 'node:fs'
import { parseJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import { openRegular, streamFile } from '../../../files/read-file.ts'
import { readLines } from '../../../files/read-lines.ts'
import { JournalState } from './journal-state.ts'

export interface JournalHeader {
  command: string
  input: string
  target: string
  options: string
}

interface PreviousJournal {
  state: JournalState
  header: JournalHeader
  hasEnded: boolean
  /** Length of the complete lines, in bytes. */
  length: number
}

/**
 * @throws {UsageError} if the file is not a journal, or is damaged
 * @throws a system error if the file cannot be read
 */
export async function readJournal(path: string, rows: number): Promise<PreviousJournal | undefined> {
  const file = openJournal(path)
  if (file === undefined) return undefined
  const { size } = fstatSync(file)
  const state = new JournalState(rows)
  let header: JournalHeader | undefined
  let hasEnded = false
  let length = 0
  for await (const lines of readLines(streamFile(file), path))
    for (const line of lines) {
      const bytes = Buffer.byteLength(line) + 1
      const entry = parseLine(line)
      // A crash may have truncated the last line.
      const isIncomplete = length + bytes > size || (entry === undefined && length + bytes === size)
      const isPartialHeader = line.startsWith(headerStart) || headerStart.startsWith(line)
      if (isIncomplete && (length > 0 || isPartialHeader)) break
      if (length === 0) {
        if (entry?.['meetroom'] !== 'journal') throw new UsageError(`${path} is not an import journal`)
        header = toHeader(entry)
      } else if (!entry || !state.read(entry)) throw new UsageError(`the journal ${path} is damaged`)
      hasEnded = entry?.['end'] === true
      length += bytes
    }
  return header && { state, header, hasEnded, length }
}

function openJournal(path: string): number | undefined {
  try {
    return openRegular(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Returns false if the file is missing, or is the journal of another command. */
export async function mayBelongTo(path: string, command: string): Promise<boolean> {
  try {
    const file = openJournal(path)
    if (file === undefined) return false
    for await (const [header = ''] of readLines(streamFile(file), path))
      return (parseLine(header)?.['command'] ?? command) === command
  } catch {
    // The import reads the file again, and reports the error.
  }
  return true
}

export function requireEnded(path: string, previous: PreviousJournal | undefined): void {
  if (previous && !previous.hasEnded)
    throw new UsageError(`an earlier import (journal ${path}) did not finish`, {
      hint: 'pass --resume to resume the import, or delete the journal to start over',
      lineEdit: {
        before: 'resume with: ',
        add: ['--resume'],
        after: ', or delete the journal to start over',
      },
    })
}

/** @throws {UsageError} if the journal is missing or belongs to another import */
export function requireSameImport(
  path: string,
  previous: PreviousJournal | undefined,
  header: JournalHeader,
): PreviousJournal {
  if (!previous)
    throw new UsageError(`there is no journal ${path} to resume`, {
      hint: 'omit --resume to start the import',
      lineEdit: { before: 'start the import with: ', omit: ['--resume'] },
    })
  const mismatches: Record<keyof JournalHeader, string> = {
    command: 'another command',
    input: 'another input, or the file has changed',
    target: `another service, ${previous.header.target}`,
    options: 'an import with other flags',
  }
  for (const [field, mismatch] of Object.entries(mismatches) as [keyof JournalHeader, string][])
    if (previous.header[field] !== header[field])
      throw new UsageError(`the journal ${path} belongs to ${mismatch}`, {
        hint: 'resume with the same file and flags, or delete the journal to start over',
      })
  return previous
}

function toHeader({ command, input, target, options }: Record<string, unknown>): JournalHeader {
  return {
    command: String(command),
    input: String(input),
    target: String(target),
    options: String(options),
  }
}

const headerStart = '{"meetroom":"journal"'

export function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return parseJson(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}
