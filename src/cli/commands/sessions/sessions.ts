import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineSessionList } from './list.ts'
import { defineSessionReport } from './report.ts'
import { defineSessionWatch } from './watch.ts'

export function defineSessions(sessions: MeetroomCommand, act: DefineAction): void {
  defineSessionList(sessions, act)
  defineSessionReport(sessions, act)
  defineSessionWatch(sessions, act)
}
