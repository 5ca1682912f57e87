import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineSessionList } from './list.ts'
import { defineSessionReport } from './report.ts'
import { defineSessionWatch } from './watch.ts'

export function defineSessions(sessions: MeetroomCommand): void {
  defineSessionList(sessions)
  defineSessionReport(sessions)
  defineSessionWatch(sessions)
}
