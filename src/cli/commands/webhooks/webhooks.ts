import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineWebhookListen } from './listen.ts'
import { defineWebhookVerify } from './verify.ts'

export function defineWebhooks(webhooks: MeetroomCommand, act: DefineAction): void {
  defineWebhookListen(webhooks, act)
  defineWebhookVerify(webhooks, act)
}
