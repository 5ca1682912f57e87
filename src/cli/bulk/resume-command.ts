import { type Suggestion, suggest } from '../../errors.ts'
import type { GivenOption } from '../kernel/given.ts'

/** Rows that failed are tried again first, and these flags would stop the run where it stopped before. */
const stopping = ['--max-errors', '--fail-fast', '--resume']
/** Every suggestion is printed with these. */
const targetNames = ['--profile', '--local', '--base-url']
const leftOut = [...stopping, ...targetNames]

/**
 * The command line that resumes an import.
 * @param file as it stood on the command line
 * @param given the options that stood there
 */
export function resumeCommand(name: string, file: string, given: readonly GivenOption[]): Suggestion {
  return importCommand(name, file, given, leftOut, ['--resume'])
}

/** The command line that lets the blocked members of a roster back in. */
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
