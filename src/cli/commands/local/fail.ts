import { omitUndefined } from '../../../api/defined.ts'
import { UsageError } from '../../../errors.ts'
import { headerValue, readHeaders } from '../../input/headers.ts'
import { IdOption } from '../../input/id-arguments.ts'
import { collect, createIntegerParser } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import type { Printed } from '../../output/schemas/printed.ts'
import { control, controlFlag } from './control-client.ts'

interface Flags {
  id?: readonly string[]
  status?: number
  header?: readonly string[]
  delay?: string
  connection?: string
  after?: string
  times?: number
  probability?: number
  seed?: number
  control: string
}

export function defineLocalFail(local: MeetroomCommand): void {
  const fail = local
    .command('fail')
    .summary('Make requests to a test service fail')
    .description(
      'Add a fault to a test service, and print the number of its faults. A request gets the first fault that ' +
        'applies. “local reset” removes all faults.',
    )
    .argument('<operation>', 'operation such as createRoom, connect for WebSockets, or any (except connect)')
    .addOption(
      new IdOption(
        '--id <id>',
        'only requests with this ID in the path, or as the user_id of the body; repeatable',
        'room',
      ).argParser(collect),
    )
    .option(
      '--status <code>',
      'status of the response, from 400 to 599',
      createIntegerParser('--status', 400, 599),
    )
    .option('--header <header>', `header of the response, ${headerValue[0]}`, headerValue[1])
    .option('--delay <duration>', 'wait before the response, by the clock of the service')
    .option(
      '--connection <mode>',
      'reset: close the connection without a response; cut: close the connection within the body',
    )
    .option('--after <stage>', 'stage after which the request fails: write (the operation has taken effect)')
    .option('--times <n>', 'number of affected requests (default: 1)', createIntegerParser('--times', 1))
    .option(
      '--probability <share>',
      'share of the requests that fail, as in 0.2; without --times, the fault lasts until the reset',
      parseShare,
    )
    .option(
      '--seed <n>',
      'number that changes the random choice, which is repeatable (default: 0)',
      createIntegerParser('--seed', 0),
    )
    .requiredOption(...controlFlag)
    .act('machine', addFault)
  fail.addExamples(
    'meetroom local fail createRoom --status 503 --times 3 --control control.json',
    'meetroom local fail any --status 429 --header "Retry-After: 2" --probability 0.2 --control control.json',
  )
}

async function addFault(context: Context, operation: string, flags: Flags): Promise<void> {
  const { control: file, header, ...fault } = flags
  const printer = await context.printer()
  const added = await control<Printed['local fail']>(
    context,
    file,
    '/fail',
    omitUndefined({
      operation: operation === 'any' ? undefined : operation,
      ...fault,
      headers: header && Object.fromEntries(await readHeaders(context, '--header', header)),
    }),
  )
  await printer.printFacts(added)
}

function parseShare(text: string): number {
  const share = /^[\d.]+$/.test(text) ? Number(text) : 0
  if (share > 0 && share <= 1) return share
  throw new UsageError(`--probability must be a number above 0 and at most 1, not “${text}”`)
}
