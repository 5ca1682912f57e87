import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { MeetroomError, OutputError, UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'
import { linesOf } from '../input/lines.ts'
import { claim } from './lock.ts'

/** What a journal is of: another input, target or way of importing needs another journal. */
export interface Purpose {
  command: string
  /** SHA-256 of the input. */
  input: string
  /** Base URL, or the data directory of the embedded workspace. */
  target: string
  /** How existing things are met, and how columns are read. */
  options: string
}

/** How a journal begins. */
const opening = '{"meetroom":"journal"'

/** What a journal says of a row. */
export const known = { nothing: 0, sent: 1, done: 2, failed: 3, skipped: 4 } as const
type Known = (typeof known)[keyof typeof known]

/** What is written of a row once its outcome is known, or known to be unknown. */
export interface Entry {
  row: number
  status: 'ok' | 'skipped' | 'failed' | 'unknown' | 'unsent'
  id?: string | undefined
  error?: string | undefined
}

const stateOf: Record<Entry['status'], Known> = {
  ok: known.done,
  skipped: known.skipped,
  failed: known.failed,
  unknown: known.sent,
  unsent: known.nothing,
}

/**
 * An append-only record of a run, a JSON object a line: what it is of, rows before they are sent and each after it was
 * answered. What is said to be sent is on disk before it is.
 */
export class Journal {
  readonly #file: FileHandle
  readonly #lock: string
  #buffer = ''
  #waiting: { resolve(): void; reject(error: unknown): void }[] = []
  #writing: Promise<void> | undefined

  private constructor(
    file: FileHandle,
    lock: string,
    /** What it said of each row when it was opened, by number. */
    readonly states: Uint8Array,
    /** Ids of rows that were made and not finished. */
    readonly made: ReadonlyMap<number, string>,
  ) {
    this.#file = file
    this.#lock = lock
  }

  /**
   * Begins a journal, or goes on with one.
   * @param rows how many the input has
   * @throws {UsageError} when another run uses it, it is of something else, or there is (not) one to go on with
   */
  static async open(
    path: string,
    purpose: Purpose,
    { rows, resume, host }: { rows: number; resume: boolean; host: Pick<Host, 'pid' | 'isAlive'> },
  ): Promise<Journal> {
    const lock = `${path}.lock`
    await claim(lock, host).catch((error) => {
      throw failure(path, error)
    })
    try {
      const before = await readJournal(path, rows)
      if (resume) requireSame(path, before, purpose)
      else if (before && !before.ended)
        throw new UsageError(`an import was begun with the journal ${path}, and has not ended`, {
          hint: 'go on with it: --resume, or remove the journal to begin anew',
        })
      const file = await open(path, resume ? 'a' : 'w', 0o600)
      const { states, made } = resume && before ? before : nothingKnown(rows)
      const journal = new Journal(file, lock, states, made)
      // Behind the last whole line: a crash may have torn the one after it.
      if (resume && before) await file.truncate(before.length)
      else journal.#append({ meetroom: 'journal', version: 1, ...purpose })
      await journal.#sync()
      return journal
    } catch (error) {
      await rm(lock, { force: true })
      throw failure(path, error)
    }
  }

  /** Notes that rows, in the order of their numbers, are about to be sent; resolves when that is on disk. */
  sending(rows: readonly number[]): Promise<void> {
    let first = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      if (rows[i + 1] === row + 1) continue
      this.#append({ sent: rows[first], to: row })
      first = i + 1
    }
    return this.#sync()
  }

  /** Notes what became of a row. Losing this to a crash is harmless: the row is looked up then. */
  ended(entry: Entry): void {
    this.#append(entry)
  }

  /** @param complete the run ended by itself: nothing is left to go on with but what failed */
  async close(complete: boolean): Promise<void> {
    try {
      if (complete) this.#append({ end: true })
      await this.#sync()
    } finally {
      await this.#file.close()
      await rm(this.#lock, { force: true })
    }
  }

  #append(line: object): void {
    this.#buffer += `${JSON.stringify(line)}\n`
  }

  /** One write and one sync for all that came while the last ones were under way. */
  #sync(): Promise<void> {
    const synced = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return synced
  }

  async #write(): Promise<void> {
    // Others of this turn of the event loop are let in.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting
      const text = this.#buffer
      this.#waiting = []
      this.#buffer = ''
      try {
        await this.#file.appendFile(text)
        await this.#file.datasync()
        for (const { resolve } of waiting) resolve()
      } catch (error) {
        for (const { reject } of waiting) reject(failure('', error))
      }
    }
  }
}

function failure(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof MeetroomError || code === undefined) return error
  return new OutputError(`the journal${path && ` ${path}`} cannot be written (${code})`, {
    hint: 'name another place with --journal FILE, or do without: --no-journal',
  })
}

interface Rows {
  states: Uint8Array
  made: Map<number, string>
}

function nothingKnown(rows: number): Rows {
  return { states: new Uint8Array(rows + 1), made: new Map() }
}

interface Past extends Rows {
  purpose: Purpose
  ended: boolean
  /** Bytes of its whole lines. */
  length: number
}

async function readJournal(path: string, rows: number): Promise<Past | undefined> {
  const size = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  if (size === 0) return undefined
  const past = nothingKnown(rows)
  let purpose: Purpose | undefined
  let ended = false
  let length = 0
  for await (const lines of linesOf(createReadStream(path)))
    for (const line of lines) {
      const bytes = Buffer.byteLength(line) + 1
      const entry = parse(line)
      // The last line may be torn, and is as if it had not been written.
      const torn = length + bytes > size || (entry === undefined && length + bytes === size)
      if (torn && (length > 0 || isTorn(line))) break
      if (length === 0) {
        if (entry?.['meetroom'] !== 'journal') throw new UsageError(`${path} is no journal of meetroom`)
        purpose = entry as never
      } else if (!entry || !takeOver(entry, past)) throw new UsageError(`the journal ${path} is damaged`)
      ended = entry?.['end'] === true
      length += bytes
    }
  return purpose && { ...past, purpose, ended, length }
}

/**
 * Notes what a line says. Rows beyond the end are those of another input, which is refused afterwards.
 * @returns false when it is no line of a journal
 */
function takeOver(line: Record<string, unknown>, { states, made }: Rows): boolean {
  const { sent, to = sent, row, status, id } = line
  if (isRow(row) && Object.hasOwn(stateOf, String(status))) {
    states[row] = stateOf[status as Entry['status']]
    if (status === 'unknown' && typeof id === 'string') made.set(row, id)
    else made.delete(row)
  } else if (isRow(sent) && isRow(to) && sent <= to) states.fill(known.sent, sent, to + 1)
  else return line['end'] === true
  return true
}

/** Whether a line may be the beginning of a journal that was cut off. */
function isTorn(line: string): boolean {
  return line.startsWith(opening) || opening.startsWith(line)
}

function isRow(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function requireSame(path: string, before: Past | undefined, purpose: Purpose): void {
  if (!before)
    throw new UsageError(`there is no journal ${path} to go on with`, { hint: 'leave out --resume to begin' })
  const words: Record<keyof Purpose, string> = {
    command: 'of another command',
    input: 'of another input: the file has changed since',
    target: `for another service, ${before.purpose.target}`,
    options: 'of an import with other flags',
  }
  for (const [field, what] of Object.entries(words))
    if (before.purpose[field as keyof Purpose] !== purpose[field as keyof Purpose])
      throw new UsageError(`the journal ${path} is ${what}`, {
        hint: 'resume with what it was begun with, or remove the journal to begin anew',
      })
}
