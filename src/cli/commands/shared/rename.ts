import { Option } from 'commander'
import { suggestHelp, UsageError } from '../../../errors.ts'

export function createRenameOption(): Option {
  return new Option(
    '--rename <s/pattern/text/>',
    "with --where, change names by a pattern, as in 's/^Maths 7/Maths 8/'; $1 inserts a group, g replaces all matches, i ignores case",
  ).conflicts('name')
}

/** @throws {UsageError} without an ID, and for `--rename`; call only without `--where` */
export function requireId(kind: 'room' | 'user', id: string | undefined, rename: string | undefined): string {
  if (rename !== undefined)
    throw new UsageError('--rename needs --where', { hint: 'to change one name, pass the ID and --name' })
  if (id !== undefined) return id
  throw new UsageError(`the argument “${kind}” is missing`, {
    hint: [`pass an ID, or select ${kind}s with --where; see: `, suggestHelp(`${kind}s`, 'update')],
  })
}
