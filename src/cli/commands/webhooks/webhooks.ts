import type { DefineAction } from '../../kernel/action.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineWebhookDeliveries } from './deliveries.ts'
import { defineWebhookListen } from './listen.ts'
import { defineWebhookRedeliver } from './redeliver.ts'
import { defineWebhookTrigger } from './trigger.ts'
import { defineWebhookVerify } from './verify.ts'

export function defineWebhooks(webhooks: MeetroomCommand, act: DefineAction): void {
  defineWebhookListen(webhooks, act)
  defineWebhookVerify(webhooks, act)
  defineWebhookTrigger(webhooks, act)
  defineWebhookDeliveries(webhooks, act)
  defineWebhookRedeliver(webhooks, act)
}
