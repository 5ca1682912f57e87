import { Option } from 'commander'
import { UsageError } from '../../../errors.ts'

export function createRenameOption(): Option {
  return new Option(
    '--rename <s/pattern/text/>',
    "with --where, change names by a pattern, as in 's/^Maths 7/Maths 8/'; $1 inserts a group, g replaces all matches, i ignores case",
  ).conflicts('name')
}

/** @throws {UsageError} if `--rename` is given; call only without `--where` */
export function requireSelection({ rename }: { rename?: string }): void {
  if (rename === undefined) return
  throw new UsageError('--rename needs --where', { hint: 'to change one name, pass the ID and --name' })
}
