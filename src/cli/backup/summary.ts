import { counted, plural } from '../../api/plural.ts'
import { type Hint, type Suggestion, suggest } from '../../errors.ts'
import { detectInputFormat } from '../bulk/read/rows.ts'
import { describeUnrestoredByDeletion } from '../bulk/unrestored.ts'
import type { DeletionTargets } from '../requests/backup.ts'

interface BackupSummary {
  kind: DeletionTargets['kind']
  count: number
  hadTokens: boolean
  path: string
}

export function summarizeBackup({ kind, count, hadTokens, path }: BackupSummary): Hint[] {
  return [
    `saved ${counted(count, kind.slice(0, -1))} in ${path}${hadTokens ? ', without access tokens' : ''}`,
    [`restore ${plural(count, 'it', 'them')} with: `, importCommand(kind, path)],
    `not restored: ${describeUnrestoredByDeletion(kind)}`,
  ]
}

function importCommand(kind: DeletionTargets['kind'], path: string): Suggestion {
  const flags = isNdjson(path) ? [] : ['--input-format', 'ndjson']
  const operand = path.startsWith('-') ? `./${path}` : path
  return suggest([kind, 'import', operand, ...flags])
}

function isNdjson(path: string): boolean {
  try {
    return detectInputFormat(path, undefined) === 'ndjson'
  } catch {
    return false
  }
}
