import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Shard } from '../read/shard.ts'

/** Where the journal of an input is, unless the user names it. */
export function journalOf(input: string, shard: Shard | undefined): string {
  return `${input}${shard ? `.${shard.suffix}` : ''}.journal`
}

/**
 * Where the receipt of a finished import is, once its journal is removed; the names of those of its shards begin with it.
 * @param stateDir the directory in which this tool keeps its state
 * @param target the service or workspace that was imported into
 */
export function receiptOf(
  stateDir: string,
  { input, target, shard }: { input: string; target: string; shard: Shard | undefined },
): string {
  const name = createHash('sha256').update(`${target}\0${input}`).digest('hex').slice(0, 32)
  return journalOf(join(stateDir, 'receipts', name), shard)
}

/**
 * The journals that list some of the same rows as a journal of an input or as its receipt: those of the whole, or of parts that were
 * cut in another way.
 */
export async function overlapping(journal: string, shard: Shard | undefined): Promise<string[]> {
  const input = journal.slice(0, -journalOf('', shard).length)
  const names = await readdir(dirname(input)).catch(() => [])
  const start = basename(input)
  return names
    .filter((name) => {
      const [isJournal, count = 1] =
        (name.startsWith(start) && /^(?:\.\d+-of-(\d+))?\.journal$/.exec(name.slice(start.length))) || []
      return isJournal !== undefined && Number(count) !== (shard?.count ?? 1)
    })
    .map((name) => join(dirname(input), name))
}
