import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { UsageError } from '../../../errors.ts'
import { linesOf } from '../read/lines.ts'
import { JournalState } from './journal-state.ts'

export interface Purpose {
  command: string
  input: string
  target: string
  options: string
}

interface Earlier {
  past: JournalState
  purpose: Purpose
  ended: boolean
  /** Length of the complete lines, in bytes. */
  length: number
}

/**
 * Reads a journal; undefined if there is none.
 * @throws {UsageError} when the file is no journal or is damaged
 */
export async function readJournal(path: string, rows: number): Promise<Earlier | undefined> {
  const size = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  if (size === 0) return undefined
  const past = new JournalState(rows)
  let purpose: Purpose | undefined
  let ended = false
  let length = 0
  for await (const lines of linesOf(createReadStream(path), path))
    for (const line of lines) {
      const bytes = Buffer.byteLength(line) + 1
      const entry = parse(line)
      // An incomplete last line is ignored.
      const torn = length + bytes > size || (entry === undefined && length + bytes === size)
      if (torn && (length > 0 || isTorn(line))) break
      if (length === 0) {
        if (entry?.['meetroom'] !== 'journal') throw new UsageError(`${path} is not a journal of meetroom`)
        purpose = purposeOf(entry)
      } else if (!entry || !past.read(entry)) throw new UsageError(`the journal ${path} is damaged`)
      ended = entry?.['end'] === true
      length += bytes
    }
  return purpose && { past, purpose, ended, length }
}

/** @throws {UsageError} when the journal's run has not ended */
export function requireEnded(path: string, before: Earlier | undefined): void {
  if (before && !before.ended)
    throw new UsageError(`an earlier import (journal ${path}) did not finish`, {
      hint: 'pass --resume to resume it, or remove the journal to start over',
    })
}

/** @throws {UsageError} when the journal is missing or belongs to another import */
export function requireSame(path: string, before: Earlier | undefined, purpose: Purpose): Earlier {
  if (!before)
    throw new UsageError(`there is no journal ${path} to resume`, { hint: 'drop --resume to start' })
  const words: Record<keyof Purpose, string> = {
    command: 'of another command',
    input: 'of another input: the file has changed since',
    target: `for another service, ${before.purpose.target}`,
    options: 'of an import with other flags',
  }
  for (const [field, what] of Object.entries(words))
    if (before.purpose[field as keyof Purpose] !== purpose[field as keyof Purpose])
      throw new UsageError(`the journal ${path} is ${what}`, {
        hint: 'resume with the same file and flags, or remove the journal to start over',
      })
  return before
}

function purposeOf({ command, input, target, options }: Record<string, unknown>): Purpose {
  return {
    command: String(command),
    input: String(input),
    target: String(target),
    options: String(options),
  }
}

/** First characters of a journal. */
const opening = '{"meetroom":"journal"'

function isTorn(line: string): boolean {
  return line.startsWith(opening) || opening.startsWith(line)
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
