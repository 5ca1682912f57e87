import { type Hint, type Suggestion, suggest } from '../../errors.ts'
import { inputFormatOf } from '../bulk/read/rows.ts'
import { unrestoredByDeletion } from '../bulk/unrestored.ts'
import type { DeletionTargets } from '../requests/backup.ts'

interface BackupSummary {
  kind: DeletionTargets['kind']
  count: number
  /** True when access tokens were removed. */
  hadTokens: boolean
  path: string
}

/** Summarizes the backup: the saved items, the command that restores them, and the data that is not restored. */
export function summarizeBackup({ kind, count, hadTokens, path }: BackupSummary): Hint[] {
  const isOne = count === 1
  return [
    `saved ${count} ${isOne ? kind.slice(0, -1) : kind} in ${path}${hadTokens ? ', without access tokens' : ''}`,
    [`bring ${isOne ? 'it' : 'them'} back with: `, importCommand(kind, path)],
    `what does not come back: ${unrestoredByDeletion(kind)}`,
  ]
}

function importCommand(kind: DeletionTargets['kind'], path: string): Suggestion {
  const flags = isNdjson(path) ? [] : ['--input-format', 'ndjson']
  const operand = path.startsWith('-') ? `./${path}` : path
  return suggest([kind, 'import', operand, ...flags])
}

/** Returns true when import recognizes the format by the file name. */
function isNdjson(path: string): boolean {
  try {
    return inputFormatOf(path, undefined) === 'ndjson'
  } catch {
    return false
  }
}
