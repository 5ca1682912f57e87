import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineAuditList } from './list.ts'

export function defineAudit(audit: MeetroomCommand, act: DefineAction): void {
  defineAuditList(audit, act)
}
