import { createReadStream } from 'node:fs'
import { basename, dirname } from 'node:path'
import { writeJson } from '../../../api/json.ts'
import { UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { undefinedIfNotFound } from '../../lists/run-one.ts'
import type { Body, ImportAdapter } from '../adapter/adapter.ts'
import type { CheckedInput } from '../read/check.ts'
import { numberOf, RowKeys } from '../read/keys.ts'
import { linesOf } from '../read/lines.ts'
import { readJournal } from './read-journal.ts'

const mostLooks = 10

export function hashOf(body: Body): number {
  return numberOf(writeJson(Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)))))
}

/**
 * Rejects an import whose rows a finished run has created, according to its journal or receipt, if the rooms still
 * exist.
 * @throws {UsageError} when some of the rooms exist
 */
export async function requireNew(
  context: Context,
  { path, kind, checked }: { path: string; kind: ImportAdapter; checked: CheckedInput },
): Promise<void> {
  const before = await journalFor(context, path, kind)
  if (!before?.ended) return
  const keys = new RowKeys()
  for await (const { hash } of created(path)) keys.addNumber(hash)
  const { known, sample } = await knownRows(checked, keys.lookup())
  if (known === 0) return
  const client = await context.client()
  for await (const { hash, id } of created(path))
    if (sample.delete(hash) && (await undefinedIfNotFound(client.call('getRoom', { params: { id } }))))
      throw new UsageError(
        `${known} of ${checked.share} rows were imported before (${nameOf(path)}), and their rooms exist`,
        {
          hint: 'pass --match name --if-exists skip to create only what is missing, or --again to create them all again',
        },
      )
  await context.notice(
    `${known} of ${checked.share} rows were imported before (${nameOf(path)}), but their rooms are gone; they are imported again`,
  )
}

/**
 * Rejects an import while a run with other shards is unfinished.
 * @throws {UsageError}
 */
export async function requireNoneUnfinished(
  context: Context,
  { path, kind }: { path: string; kind: ImportAdapter },
): Promise<void> {
  const before = await journalFor(context, path, kind)
  if (before && !before.ended)
    throw new UsageError(`an earlier import of this file (journal ${path}) did not finish`, {
      hint: 'resume it with the --shard that it had, or remove its journal to start over',
    })
}

function nameOf(path: string): string {
  return basename(dirname(path)) === 'receipts' ? `receipt ${path}` : basename(path)
}

/** Reads the journal of an import of the same kind to the same service. */
async function journalFor(context: Context, path: string, { name }: ImportAdapter) {
  const before = await readJournal(path, 0)
  const isSame =
    before?.purpose.command === `${name} import` &&
    before.purpose.target === (await context.services.target())
  return isSame ? before : undefined
}

async function* created(path: string): AsyncGenerator<{ hash: number; id: string }> {
  for await (const lines of linesOf(createReadStream(path), path))
    for (const line of lines) {
      const { hash, id } = JSON.parse(line) as { hash?: unknown; id?: unknown }
      if (typeof hash === 'number' && typeof id === 'string') yield { hash, id }
    }
}

async function knownRows(
  checked: CheckedInput,
  isKnown: (hash: number) => boolean,
): Promise<{ known: number; sample: Set<number> }> {
  let known = 0
  let every = 1
  let sample: number[] = []
  for await (const batch of checked.again())
    for (const { body } of batch) {
      if (!body) continue
      const hash = hashOf(body)
      if (!isKnown(hash)) continue
      if (known++ % every === 0) sample.push(hash)
      if (sample.length <= mostLooks) continue
      sample = sample.filter((_, i) => i % 2 === 0)
      every *= 2
    }
  return { known, sample: new Set(sample) }
}
