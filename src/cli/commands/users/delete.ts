import { saveFlags } from '../../backup/save-flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUsersArgument } from '../../names/arguments.ts'
import { defineTargetsCommand } from '../../targets/define-targets-command.ts'

export function defineUserDelete(users: MeetroomCommand): void {
  defineTargetsCommand(users, {
    verb: 'delete',
    alias: 'rm',
    summary: 'Delete users',
    description: 'Delete users from the workspace.',
    destructive: true,
    ids: createUsersArgument(),
    deletes: 'users',
    flags: saveFlags,
    list: 'listUsers',
    kind: 'user',
    call: ['deleteUser', (user_id) => ({ params: { user_id } })],
    examples: ['meetroom users delete ada grace --yes', 'meetroom users delete ada --save ada.ndjson'],
  })
}
