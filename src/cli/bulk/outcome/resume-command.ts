import { shellQuote } from '../../../api/request.ts'
import type { Context } from '../../context.ts'
import type { ImportFlags } from '../import-flags.ts'

/**
 * The command line that goes on with an import. `--max-errors` and `--fail-fast` are left out: what failed is tried
 * again first, and would stop the run where it stopped before.
 * @param given the file as it stood on the command line
 */
export function resumeCommand(context: Context, name: string, given: string, flags: ImportFlags): string {
  const file = given.startsWith('-') && given !== '-' ? `./${given}` : given
  const words = ['meetroom', name, 'import', file]
  const add = (flag: string, value: string | number | undefined) => {
    if (value !== undefined) words.push(flag, String(value))
  }
  if (context.flags.local) words.push('--local')
  add('--profile', context.flags.profile)
  add('--base-url', context.flags.baseUrl)
  add('--timeout', context.flags.timeout)
  add('--retries', context.flags.retries)
  add('-o', context.flags.output ?? (context.flags.json ? 'json' : undefined))
  if (context.flags.allowWrite) words.push('--allow-write')
  add('--input-format', flags.inputFormat)
  for (const pair of flags.map ?? []) add('--map', pair)
  add('--room', flags.room)
  add('--room-ids', flags.roomIds)
  if (flags.ifExists !== 'fail') add('--if-exists', flags.ifExists)
  if (flags.skipInvalid) words.push('--skip-invalid')
  add('--concurrency', flags.concurrency === 8 ? undefined : flags.concurrency)
  add('--rate', flags.rate)
  add('--failed-out', flags.failedOut)
  add('--journal', typeof flags.journal === 'string' ? flags.journal : undefined)
  return [...words, '--resume'].map(shellQuote).join(' ')
}
