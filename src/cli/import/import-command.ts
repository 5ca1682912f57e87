import { type Suggestion, suggest } from '../../errors.ts'
import type { GivenOption } from '../kernel/given.ts'

const targetFlagNames = ['--profile', '--local', '--base-url']
/** Flags to omit. The first two would stop the command at rows that fail again. */
const omittedFlags = ['--max-errors', '--fail-fast', '--resume', ...targetFlagNames]

interface TypedImport {
  adapter: { name: string }
  file: string
  flags: { given: readonly GivenOption[] }
}

/** @param hasSent false only if no row was imported; then there is no journal to resume */
export const buildResumeCommand = (typed: TypedImport, hasSent: boolean) =>
  repeatImport(typed, omittedFlags, hasSent ? ['--resume'] : [])

export const buildUnblockCommand = (typed: TypedImport) =>
  repeatImport(typed, [...omittedFlags, '--if-exists', '--dry-run'], ['--if-exists', 'update', '--unblock'])

export const buildMatchCommand = (typed: TypedImport) =>
  repeatImport(typed, targetFlagNames, ['--match', 'name'])

/** @param added flags besides `--if-exists skip` */
export const buildSkipCommand = (typed: TypedImport, ...added: readonly string[]) =>
  repeatImport(typed, [...omittedFlags, '--if-exists'], [...added, '--if-exists', 'skip'])

const repeatImport = (
  { adapter, file, flags }: TypedImport,
  omitted: readonly string[],
  added: readonly string[],
) => importCommand(adapter.name, file, flags.given, omitted, added)

/** Fields of `rooms import --group-by name`, by field of `members import`. */
const groupFields = { room_id: 'name', user_id: 'user_id', type: 'member_type', name: 'member_name' } as const

/**
 * Builds a command that adds members to rooms by name. Missing rooms are created as private rooms.
 * @param fields fields of `members import` by column
 */
export function buildGroupCommand(
  file: string,
  given: readonly GivenOption[],
  fields: ReadonlyMap<string, string>,
  added: readonly string[] = [],
): Suggestion {
  const maps = [...fields].flatMap(([column, field]) => {
    const target = Object.hasOwn(groupFields, field) ? groupFields[field as keyof typeof groupFields] : ''
    return column === target ? [] : ['--map', `${column}=${target}`]
  })
  const omitted = [...omittedFlags, '--map', '--room', '--if-exists']
  const group = ['--group-by', 'name', ...maps, '--type', 'private', '--if-exists', 'update']
  return importCommand('rooms', file, given, omitted, [...group, ...added])
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
