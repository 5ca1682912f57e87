import { Option } from 'commander'
import { type DeliveryState, deliveryStates } from '../../../api/vocabulary.ts'
import { addPagingFlags, type ListFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { RoomArgument, roomArgumentText } from '../../names/arguments.ts'

interface DeliveryFlags extends ListFlags {
  status?: DeliveryState
  since?: string
}

export function defineWebhookDeliveries(webhooks: MeetroomCommand): void {
  const list = webhooks
    .command('deliveries')
    .summary('List the deliveries of webhooks')
    .description(
      'List the waiting webhook deliveries, and the finished deliveries of the last day. Not every service has this operation; exits 6 without it.',
    )
    .addArgument(new RoomArgument('[room]', `only deliveries for this room: ${roomArgumentText}`))
    .addOption(
      new Option('--state, --status <status>', 'only deliveries with this status').choices(deliveryStates),
    )
    .option('--since <time>', 'only events since this time, such as 10m (ten minutes ago) or 2026-01-31')
    .act('reads', async (context, room_id: string | undefined, flags: DeliveryFlags) => {
      const { readSince, throwEmbeddedOnly } = await import('./stored-deliveries.ts')
      const { status: state, since } = flags
      const query = { room_id, state, since: since && (await readSince(context, since)) }
      await runList(context, 'listDeliveries', { query }, flags).catch(throwEmbeddedOnly)
    })
  addPagingFlags(list, { where: "only deliveries that match, as in 'attempts>3'", sort: 'state,-attempts' })
  list.addExamples(
    'meetroom webhooks deliveries --local --status given_up',
    "meetroom webhooks deliveries 'name:Weekly sync' --local --since 10m",
  )
}
