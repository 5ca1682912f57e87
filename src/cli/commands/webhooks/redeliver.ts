import { Option } from 'commander'
import { deliveryStates } from '../../../api/vocabulary.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import { addPaceFlags, maxOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomOption, roomArgumentText } from '../../names/arguments.ts'

export function defineWebhookRedeliver(webhooks: MeetroomCommand): void {
  const redeliver = webhooks
    .command('redeliver')
    .summary('Redeliver finished deliveries')
    .description(
      'Redeliver finished deliveries of the last day, with the same webhook-id and the header webhook-redelivery. With --since, asks for confirmation. Not every service has this operation; exits 6 without it.',
    )
    .addArgument(
      new IdArgument('[id...]', 'delivery ID; repeatable, or - for IDs on standard input', 'delivery'),
    )
    .option(
      '--since <time>',
      'all deliveries of events since this time, such as 10m (ten minutes ago) or 2026-01-31',
    )
    .addOption(
      new RoomOption('--room <room>', `with --since, only deliveries of this room: ${roomArgumentText}`),
    )
    .addOption(
      new Option(
        '--state, --status <status>',
        'with --since, only deliveries with this status (default: delivered and given_up)',
      ).choices(deliveryStates),
    )
    .actLater('writes', async () => (await import('./stored-deliveries.ts')).runRedeliver)
  redeliver.targetsOperation = 'redeliver'
  addPaceFlags(redeliver.option(...maxOption))
  redeliver.addExamples(
    'meetroom webhooks redeliver --local msg_019b7ca98f2e2ed354c16668',
    'meetroom webhooks redeliver --local --since 10m --status given_up',
  )
}
