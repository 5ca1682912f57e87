import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineMessageSend } from './send.ts'

export function defineMessage(message: MeetroomCommand, act: DefineAction): void {
  defineMessageSend(message, act)
}
