import { type Hint, type Suggestion, suggest } from '../../errors.ts'
import { inputFormatOf } from '../bulk/read/rows.ts'
import { unrestoredByDeletion } from '../bulk/unrestored.ts'
import type { DeletionTargets } from '../requests/backup.ts'

interface Saved {
  kind: DeletionTargets['kind']
  count: number
  /** Whether access tokens were left out. */
  hadTokens: boolean
  /** The file, as people know it. */
  path: string
}

/** What was saved, how it is brought back, and what is not. */
export function summarizeBackup({ kind, count, hadTokens, path }: Saved): Hint[] {
  const isOne = count === 1
  return [
    `saved ${count} ${isOne ? kind.slice(0, -1) : kind} in ${path}${hadTokens ? ', without access tokens' : ''}`,
    [`bring ${isOne ? 'it' : 'them'} back with: `, importCommand(kind, path)],
    `what does not come back: ${unrestoredByDeletion(kind)}`,
  ]
}

/** The command that restores the items. */
function importCommand(kind: DeletionTargets['kind'], path: string): Suggestion {
  const flags = isNdjson(path) ? [] : ['--input-format', 'ndjson']
  const operand = path.startsWith('-') ? `./${path}` : path
  return suggest([kind, 'import', operand, ...flags])
}

/** Whether import knows the format by the name. */
function isNdjson(path: string): boolean {
  try {
    return inputFormatOf(path, undefined) === 'ndjson'
  } catch {
    return false
  }
}
