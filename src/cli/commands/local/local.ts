import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineLocalBackup } from './backup.ts'

export function defineLocal(local: MeetroomCommand, act: DefineAction): void {
  defineLocalBackup(local, act)
}
