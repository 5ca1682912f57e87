import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ImportFlags } from '../read/import-flags.ts'
import { mayBelongTo } from './read-journal.ts'

type Part = Pick<ImportFlags, 'shard' | 'where'>

interface JournaledImport {
  adapter: { name: string }
  source: { path: string | undefined }
  flags: Part
}

/** Lists the current default, and the default of earlier versions, which all imports of a file shared. */
export function listDefaultJournals({ adapter, source, flags }: JournaledImport): string[] {
  if (source.path === undefined) return []
  return [`${source.path}.${adapter.name}`, source.path].map((start) => journalPath(start, flags))
}

/** Returns the default of earlier versions only if the file exists and no other import wrote it. */
export async function findDefaultJournal(request: JournaledImport): Promise<string | undefined> {
  const [current, earlier] = listDefaultJournals(request)
  const isEarlier = earlier !== undefined && (await mayBelongTo(earlier, `${request.adapter.name} import`))
  return isEarlier ? earlier : current
}

function journalPath(start: string, { shard, where }: Part): string {
  const digest = where && createHash('sha256').update(JSON.stringify(where)).digest('hex').slice(0, 8)
  return `${start}${shard ? `.${shard.suffix}` : ''}${digest ? `.where-${digest}` : ''}.journal`
}

export function receiptPath(
  stateDir: string,
  { input, target, flags }: { input: string; target: string; flags: Part },
): string {
  const name = createHash('sha256').update(`${target}\0${input}`).digest('hex').slice(0, 32)
  return journalPath(join(stateDir, 'receipts', name), flags)
}

/** Finds journals or receipts of the same input that may share rows with this part. */
export async function findOtherParts(journal: string, part: Part): Promise<string[]> {
  const input = journal.slice(0, -journalPath('', part).length)
  const names = await readdir(dirname(input)).catch(() => [])
  const start = basename(input)
  return names
    .filter((name) => {
      const match = name.startsWith(start)
        ? /^(?:\.\d+-of-(\d+))?(\.where-\w+)?\.journal$/.exec(name.slice(start.length))
        : null
      if (!match || name === basename(journal)) return false
      const [, count = 1, where] = match
      return Number(count) !== (part.shard?.count ?? 1) || where !== undefined || part.where !== undefined
    })
    .map((name) => join(dirname(input), name))
}
