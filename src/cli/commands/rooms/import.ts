import { roomImportFlags } from '../../import/read/import-flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineImport } from '../shared/import.ts'

export function defineRoomImport(rooms: MeetroomCommand): void {
  defineImport(rooms, {
    kind: 'rooms',
    summary: 'Create rooms from a file',
    description:
      'Create rooms from a CSV, NDJSON or JSON file with one row for each room. Checks the complete file before the first write. ' +
      'Matches rows by ID, or by --match. The service assigns IDs to new rooms.',
    flags: roomImportFlags,
    examples: [
      'meetroom rooms import rooms.csv --dry-run',
      'meetroom rooms import courses.csv --match name --if-exists update',
      "meetroom rooms import deleted-rooms.ndjson --where 'name~Maths'",
    ],
  })
}
