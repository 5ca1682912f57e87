import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUsersArgument } from '../../names/arguments.ts'
import { defineExport } from '../shared/export.ts'

export function defineUserExport(users: MeetroomCommand): void {
  defineExport(users, {
    kind: 'users',
    note: ' Omits access tokens, unless you pass --show-tokens.',
    flags: (command) => command.addArgument(createUsersArgument('[user...]', 'export these users: ')),
    examples: ["meetroom users export --where 'default_member_type=host' -o ndjson > hosts.ndjson"],
  })
}
