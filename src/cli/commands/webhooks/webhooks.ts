import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineWebhookDeliveries } from './deliveries.ts'
import { defineWebhookListen } from './listen.ts'
import { defineWebhookRedeliver } from './redeliver.ts'
import { defineWebhookTrigger } from './trigger.ts'
import { defineWebhookVerify } from './verify.ts'

export function defineWebhooks(webhooks: MeetroomCommand): void {
  defineWebhookListen(webhooks)
  defineWebhookVerify(webhooks)
  defineWebhookTrigger(webhooks)
  defineWebhookDeliveries(webhooks)
  defineWebhookRedeliver(webhooks)
}
