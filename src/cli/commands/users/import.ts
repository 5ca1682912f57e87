import { maxFlag, originFlag } from '../../import/read/import-flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineImport } from '../shared/import.ts'

export function defineUserImport(users: MeetroomCommand): void {
  defineImport(users, {
    kind: 'users',
    summary: 'Create users from a file',
    description:
      'Create users from a CSV, NDJSON or JSON file with one row for each user. Checks the complete file before the first write.',
    flags: (command) => originFlag(maxFlag(command, 'block memberships of more than N existing users')),
    examples: [
      "meetroom users import people.csv --map 'Full name=name' --dry-run",
      'meetroom users import people.csv --failed-out rejects.csv',
      'meetroom users import people.csv --resume',
    ],
  })
}
