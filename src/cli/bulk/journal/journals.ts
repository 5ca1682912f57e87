import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Shard } from '../read/shard.ts'

export function journalPath(input: string, shard: Shard | undefined): string {
  return `${input}${shard ? `.${shard.suffix}` : ''}.journal`
}

/** @param stateDir directory of this tool's state */
export function receiptPath(
  stateDir: string,
  { input, target, shard }: { input: string; target: string; shard: Shard | undefined },
): string {
  const name = createHash('sha256').update(`${target}\0${input}`).digest('hex').slice(0, 32)
  return journalPath(join(stateDir, 'receipts', name), shard)
}

/** Finds journals or receipts of the same input with another shard count, which contain some of the same rows. */
export async function findOtherShards(journal: string, shard: Shard | undefined): Promise<string[]> {
  const input = journal.slice(0, -journalPath('', shard).length)
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
