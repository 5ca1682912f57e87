import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineLocalBackup } from './backup.ts'
import { defineLocalReset } from './reset.ts'
import { defineLocalRestore } from './restore.ts'

export function defineLocal(local: MeetroomCommand, act: DefineAction): void {
  defineLocalBackup(local, act)
  defineLocalRestore(local, act)
  defineLocalReset(local, act)
}
