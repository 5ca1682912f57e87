import { user } from '../../../api/resources.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineExport } from '../shared/export.ts'

export function defineUserExport(users: MeetroomCommand, act: DefineAction): void {
  defineExport(users, act, {
    kind: 'users',
    note: ' Access tokens are left out, unless --show-tokens is given.',
    flags: (command) =>
      command.addArgument(
        new IdArgument(
          '[user...]',
          `users to export: ${user.descriptions.user_id}; repeatable, or - to read ids from standard input`,
          'user',
        ),
      ),
    examples: ["meetroom users export --where 'default_member_type=host' -o ndjson > hosts.ndjson"],
  })
}
