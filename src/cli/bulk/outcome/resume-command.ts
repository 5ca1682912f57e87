import { type Suggestion, suggest } from '../../../errors.ts'
import type { GivenOption } from '../../given.ts'

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
  const operand = file.startsWith('-') && file !== '-' ? `./${file}` : file
  const options = given.filter(([flag]) => !leftOut.includes(flag)).flat()
  return suggest([name, 'import', operand, ...options, '--resume'])
}
