import { type Suggestion, suggest } from '../../errors.ts'
import type { GivenOption } from '../kernel/given.ts'

/** Flags that would stop a resumed run again, since failed rows are retried first. */
const stopping = ['--max-errors', '--fail-fast', '--resume']
const targetNames = ['--profile', '--local', '--base-url']
const leftOut = [...stopping, ...targetNames]

/**
 * Builds the command that resumes an import.
 * @param file the file argument on the command line
 * @param given the flags on the command line
 */
export function resumeCommand(name: string, file: string, given: readonly GivenOption[]): Suggestion {
  return importCommand(name, file, given, leftOut, ['--resume'])
}

export function unblockCommand(name: string, file: string, given: readonly GivenOption[]): Suggestion {
  const others = [...leftOut, '--if-exists', '--dry-run']
  return importCommand(name, file, given, others, ['--if-exists', 'update', '--unblock'])
}

function importCommand(
  name: string,
  file: string,
  given: readonly GivenOption[],
  without: readonly string[],
  more: readonly string[],
): Suggestion {
  const operand = file.startsWith('-') && file !== '-' ? `./${file}` : file
  const options = given.filter(([flag]) => !without.includes(flag)).flat()
  return suggest([name, 'import', operand, ...options, ...more])
}
