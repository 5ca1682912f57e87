import { UsageError } from '../../../errors.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { control, controlFlag } from './control-client.ts'

export function defineLocalClock(local: MeetroomCommand): void {
  const clock = local
    .command('clock')
    .summary('Advance, freeze or resume the clock of a test service')
    .description(
      'Change the clock of a test service, and print its time. Timestamps, meeting clocks, webhook retries and ' +
        'heartbeats follow this clock. “advance” ends when due webhooks are sent and due meetings have ended.',
    )
    .argument('<action>', 'advance, freeze or resume')
    .argument('[duration]', 'duration to advance, as in 1h or 1m30s')
    .requiredOption(...controlFlag)
    .act(
      'machine',
      async (context, action: string, duration: string | undefined, flags: { control: string }) => {
        if (!['advance', 'freeze', 'resume'].includes(action))
          throw new UsageError(`<action> must be advance, freeze or resume, not “${action}”`)
        if ((action === 'advance') !== (duration !== undefined))
          throw new UsageError(
            action === 'advance'
              ? 'advance needs a duration, as in 1h'
              : `${action} takes no duration, not “${duration}”`,
          )
        const printer = await context.printer()
        const time = await control<Printed['local clock']>(context, flags.control, `/clock/${action}`, {
          duration,
        })
        await printer.printFacts(time)
      },
    )
  clock.addExamples(
    'meetroom local clock advance 1h --control control.json',
    'meetroom local clock freeze --control control.json',
  )
}
