import { shellQuote } from '../../../api/request.ts'
import type { GivenOption } from '../../given.ts'

/** What failed is tried again first, and would stop the run where it stopped before. */
const leftOut = ['--max-errors', '--fail-fast', '--resume']

/**
 * The command line that resumes an import.
 * @param file as it stood on the command line
 * @param given the options that stood there
 */
export function resumeCommand(name: string, file: string, given: readonly GivenOption[]): string {
  const operand = file.startsWith('-') && file !== '-' ? `./${file}` : file
  const options = given.filter(([flag]) => !leftOut.includes(flag)).flat()
  return ['meetroom', name, 'import', operand, ...options, '--resume'].map(shellQuote).join(' ')
}
