import { maxFlag, splitFlag, unblockText } from '../../import/read/import-flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomOption, roomArgumentText } from '../../names/arguments.ts'
import { defineImport } from '../shared/import.ts'

export function defineMemberImport(members: MeetroomCommand): void {
  defineImport(members, {
    kind: 'members',
    summary: 'Add users to rooms from a file',
    description:
      'Add users to rooms from a CSV, NDJSON or JSON file with one row for each member. Checks the complete file before the first write.',
    flags: (command) =>
      splitFlag(maxFlag(command, 'block more than N existing members'), 'room_id')
        .addOption(new RoomOption('--room <room>', `room for rows without a room: ${roomArgumentText}`))
        .option('--room-ids <file>', 'output of rooms import -o ndjson, which maps old room IDs to new IDs')
        .option('--unblock', unblockText),
    examples: [
      'meetroom members import class-7b.csv --room 66f1a2b3c4d5e6f708192a3b --if-exists skip',
      'meetroom members import members.csv --room-ids imported-rooms.ndjson',
    ],
  })
}
