import { shellQuote } from '../../api/request.ts'
import { inputFormatOf } from '../bulk/input/rows.ts'
import { lostByDeleting } from '../bulk/lost.ts'
import type { GlobalFlags } from '../global-flags.ts'
import type { Doomed } from './saving.ts'

interface Saved {
  kind: Doomed['kind']
  count: number
  /** Whether access tokens were left out. */
  hadTokens: boolean
  /** The file, as people know it. */
  path: string
}

/** What was saved, how it is brought back, and what is not. */
export function savedInWords({ kind, count, hadTokens, path }: Saved, flags: GlobalFlags): string[] {
  const isOne = count === 1
  return [
    `saved ${count} ${isOne ? kind.slice(0, -1) : kind} in ${path}${hadTokens ? ', without access tokens' : ''}`,
    `bring ${isOne ? 'it' : 'them'} back with: ${importCommand(kind, path, flags)}`,
    `what does not come back: ${lostByDeleting(kind)}`,
  ]
}

/** The command that brings it back, to where it was. */
function importCommand(kind: Doomed['kind'], path: string, { local, profile, baseUrl }: GlobalFlags): string {
  const flags = [
    ...(isNdjson(path) ? [] : ['--input-format', 'ndjson']),
    ...(local ? ['--local'] : []),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
  ]
  const operand = path.startsWith('-') ? `./${path}` : path
  return ['meetroom', kind, 'import', operand, ...flags].map(shellQuote).join(' ')
}

/** Whether import knows the format by the name. */
function isNdjson(path: string): boolean {
  try {
    return inputFormatOf(path, undefined) === 'ndjson'
  } catch {
    return false
  }
}
