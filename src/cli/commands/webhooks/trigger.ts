import { Argument } from 'commander'
import { webhookActions } from '../../../api/vocabulary.ts'
import { headerValue } from '../../input/headers.ts'
import { createWebUrlParser } from '../../input/input.ts'
import { addBodyFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomOption, roomArgumentText, UserOption, userArgumentText } from '../../names/arguments.ts'
import { secretFlag } from './signing-secret.ts'

export function defineWebhookTrigger(webhooks: MeetroomCommand): void {
  const trigger = webhooks
    .command('trigger')
    .summary('Send a test event to a webhook receiver')
    .description(
      'Send one test event to a webhook receiver, and print the event and the response. Sends a request to the service only to find a room or user by name or email.',
    )
    .addArgument(new Argument('<event>', 'event to send').choices(webhookActions))
    .requiredOption('--to <url>', 'URL of the receiver', createWebUrlParser('--to'))
    .addOption(new RoomOption('--room <room>', `${roomArgumentText} (default: a new ID)`))
    .addOption(new UserOption('--user <id>', `${userArgumentText} (default: an anonymous participant)`))
    .option(...secretFlag)
    .option('--header <header>', `header to send, ${headerValue[0]}`, headerValue[1])
  addBodyFlags(
    trigger,
    'JSON object that replaces the default body, from a file or from standard input; the event and the other flags still set their fields',
  ).actLater('any', async () => (await import('./trigger-event.ts')).triggerEvent)
  trigger.addExamples(
    'meetroom webhooks trigger sessionJoined --to http://127.0.0.1:4681/',
    'meetroom webhooks trigger sessionLeft --to http://127.0.0.1:4681/ --user ada --secret @secret.txt --set payload.sessionsCount=3',
  )
}
