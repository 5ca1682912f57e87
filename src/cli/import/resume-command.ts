import { type Suggestion, suggest } from '../../errors.ts'
import type { GivenOption } from '../kernel/given.ts'

/** Flags that a resume command omits, because rows that fail again would stop the run. */
const stoppingFlags = ['--max-errors', '--fail-fast', '--resume']
const targetFlagNames = ['--profile', '--local', '--base-url']
const omittedFlags = [...stoppingFlags, ...targetFlagNames]

/**
 * @param given the flags on the command line
 * @param hasSent false when no row was sent, so that there is no journal to resume
 */
export function buildResumeCommand(
  name: string,
  file: string,
  given: readonly GivenOption[],
  hasSent: boolean,
): Suggestion {
  return importCommand(name, file, given, omittedFlags, hasSent ? ['--resume'] : [])
}

export function buildUnblockCommand(name: string, file: string, given: readonly GivenOption[]): Suggestion {
  const others = [...omittedFlags, '--if-exists', '--dry-run']
  return importCommand(name, file, given, others, ['--if-exists', 'update', '--unblock'])
}

export function skipCommand(name: string, file: string, given: readonly GivenOption[]): Suggestion {
  return importCommand(name, file, given, [...omittedFlags, '--if-exists'], ['--if-exists', 'skip'])
}

function importCommand(
  name: string,
  file: string,
  given: readonly GivenOption[],
  omitted: readonly string[],
  added: readonly string[],
): Suggestion {
  const operand = file.startsWith('-') && file !== '-' ? `./${file}` : file
  const options = given.filter(([flag]) => !omitted.includes(flag)).flat()
  return suggest([name, 'import', operand, ...options, ...added])
}
