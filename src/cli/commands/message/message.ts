import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineMessageSend } from './send.ts'

export function defineMessage(message: MeetroomCommand): void {
  defineMessageSend(message)
}
