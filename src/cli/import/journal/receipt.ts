import { basename, dirname } from 'node:path'
import { addTo } from '../../../api/group-by.ts'
import { writeJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import { toReadError } from '../../../files/file-errors.ts'
import { openRegular, streamFile } from '../../../files/read-file.ts'
import { readLines } from '../../../files/read-lines.ts'
import { hashKey } from '../../../hash.ts'
import type { Context } from '../../kernel/context.ts'
import { findRecord } from '../../records/records.ts'
import { describeTarget } from '../../requests/find-service.ts'
import type { ImportAdapter, RequestBody } from '../adapter/adapter.ts'
import type { CheckedInput } from '../read/check.ts'
import { parseLine, readJournal } from './read-journal.ts'

const maxLookups = 10

export function hashBody(body: RequestBody): number {
  return hashKey(writeJson(Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)))))
}

/**
 * Looks up only a sample of the created rooms.
 * @throws {MeetroomError} if a room of the sample exists, or a read fails
 */
export async function requireNotImported(
  context: Context,
  { path, adapter, checked }: { path: string; adapter: ImportAdapter; checked: CheckedInput },
): Promise<void> {
  const previous = await readAdapterJournal(context, path, adapter)
  if (!previous?.hasEnded) return
  const created = new Set<number>()
  for await (const { hash } of readCreatedRows(path)) created.add(hash)
  const { known, sample } = await countKnownRows(checked, created)
  if (known === 0) return
  const client = await context.client()
  for await (const { hash, id } of readCreatedRows(path))
    if (sample.delete(hash) && (await findRecord(client, { kind: 'room', id })))
      throw new UsageError(
        `${known} of ${checked.shardRows} rows were imported before (${formatReceiptName(path)}), and at least one of their rooms exists`,
        {
          hint: 'pass --match name --if-exists skip to create only missing rooms, or --again to create all rooms again',
          lineEdit: {
            before: 'create only missing rooms with: ',
            omit: ['--match', '--if-exists'],
            add: ['--match', 'name', '--if-exists', 'skip'],
            after: '; --again creates all rooms again',
          },
        },
      )
  await context.notice(
    `${known} of ${checked.shardRows} rows were imported before (${formatReceiptName(path)}), but their rooms no longer exist; these rows are imported again`,
  )
}

/**
 * Omits the rows of existing rooms that a finished import created.
 * @param paths journals and receipts of imports with `--where`
 */
export async function leaveOutImported(
  context: Context,
  { paths, adapter, checked }: { paths: readonly string[]; adapter: ImportAdapter; checked: CheckedInput },
): Promise<CheckedInput> {
  const created = new Map<number, string[]>()
  for (const path of paths)
    if ((await readAdapterJournal(context, path, adapter))?.hasEnded)
      for await (const { hash, id } of readCreatedRows(path)) addTo(created, hash, id)
  if (created.size === 0) return checked
  const client = await context.client()
  const present = new Map<number, number>()
  let count = 0
  for await (const batch of checked.readAgain())
    for (const { body } of batch) {
      const hash = body ? hashBody(body) : Number.NaN
      const id = created.get(hash)?.shift()
      if (id === undefined || !(await findRecord(client, { kind: 'room', id }))) continue
      present.set(hash, (present.get(hash) ?? 0) + 1)
      count++
    }
  if (count === 0) return checked
  await context.notice(
    `${count} of ${checked.shardRows} rows were imported before with --where, and their rooms exist; these rows are omitted`,
  )
  async function* readAgain() {
    const left = new Map(present)
    for await (const batch of checked.readAgain())
      yield batch.filter(({ body }) => {
        const hash = body ? hashBody(body) : Number.NaN
        const same = left.get(hash) ?? 0
        left.set(hash, same - 1)
        return same <= 0
      })
  }
  return { ...checked, shardRows: checked.shardRows - count, readAgain }
}

/** @throws {UsageError} if the journal is unreadable, or of an unfinished run */
export async function requireNoneUnfinished(
  context: Context,
  { path, adapter }: { path: string; adapter: ImportAdapter },
): Promise<void> {
  const previous = await readAdapterJournal(context, path, adapter)
  if (previous && !previous.hasEnded)
    throw new UsageError(`an earlier import of this file (journal ${path}) did not finish`, {
      hint: 'resume that import with its --shard, --where and --journal, or delete its journal to start over',
    })
}

function formatReceiptName(path: string): string {
  return basename(dirname(path)) === 'receipts' ? `receipt ${path}` : basename(path)
}

async function readAdapterJournal(context: Context, path: string, { name }: ImportAdapter) {
  const previous = await readJournal(path, 0).catch((error: unknown) => {
    throw toReadError(path, error, { hint: 'pass --again to import without a check for earlier imports' })
  })
  const isSame =
    previous?.header.command === `${name} import` &&
    previous.header.target === (await describeTarget(context))
  return isSame ? previous : undefined
}

async function* readCreatedRows(path: string): AsyncGenerator<{ hash: number; id: string }> {
  for await (const lines of readLines(streamFile(openRegular(path)), path))
    for (const line of lines) {
      const { hash, id } = parseLine(line) ?? {}
      if (typeof hash === 'number' && typeof id === 'string') yield { hash, id }
    }
}

async function countKnownRows(
  checked: CheckedInput,
  created: ReadonlySet<number>,
): Promise<{ known: number; sample: Set<number> }> {
  let known = 0
  let step = 1
  let sample: number[] = []
  for await (const batch of checked.readAgain())
    for (const { body } of batch) {
      if (!body) continue
      const hash = hashBody(body)
      if (!created.has(hash)) continue
      if (known++ % step === 0) sample.push(hash)
      if (sample.length <= maxLookups) continue
      sample = sample.filter((_, i) => i % 2 === 0)
      step *= 2
    }
  return { known, sample: new Set(sample) }
}
