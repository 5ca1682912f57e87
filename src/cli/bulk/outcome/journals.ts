import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Shard } from '../shard.ts'

/** Where the journal of an input is, unless the user names it. */
export function journalOf(input: string, shard: Shard | undefined): string {
  return `${input}${shard ? `.${shard.suffix}` : ''}.journal`
}

/** The journals of an input that list some of the same rows: those of the whole, or of parts that were cut in another way. */
export async function overlapping(input: string, shard: Shard | undefined): Promise<string[]> {
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
