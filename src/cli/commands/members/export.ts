import { Option } from 'commander'
import { addConcurrencyFlag } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'
import { defineExport } from '../shared/export.ts'

export function defineMemberExport(members: MeetroomCommand): void {
  const command = defineExport(members, {
    kind: 'members',
    flags: (command) =>
      command
        .addArgument(createRoomsArgument('export the members of these rooms: '))
        .option('--all-rooms', 'export the members of every room, with room names')
        .addOption(
          new Option(
            '--with <field>',
            'add a field: last_seen is the end of the last session of each member',
          ).choices(['last_seen']),
        ),
    examples: [
      'meetroom members export --all-rooms > members.csv',
      'meetroom members export --all-rooms --with last_seen > review.csv',
      "meetroom rooms list --where 'type=private' -o ids | meetroom members export - > members.csv",
    ],
  })
  addConcurrencyFlag(command)
}
