import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineAuditList } from './list.ts'

export function defineAudit(audit: MeetroomCommand): void {
  defineAuditList(audit)
}
