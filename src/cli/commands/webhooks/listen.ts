import { UsageError } from '../../../errors.ts'
import { headerValue } from '../../input/headers.ts'
import { createIntegerParser, createWebUrlParser } from '../../input/input.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { addListenFlags } from '../shared/listening.ts'
import { readSecretHeaders } from './secret-headers.ts'
import { createToleranceFlag, requireSecret, secretFlag, signingSecret } from './signing-secret.ts'
import { type ListenOptions, listenForWebhooks } from './webhook-listener.ts'

type ListenFlags = Omit<ListenOptions, 'required' | 'json' | 'secret' | 'tolerance'> & {
  secret?: string
  /** In seconds. */
  tolerance?: number
  requireHeader?: string[]
}

/** In seconds, as in Standard Webhooks. An older signature may be a replay. */
const defaultTolerance = 300

function programLine(text: string): string {
  if (text.trim() === '' || text.includes('\0'))
    throw new UsageError(`--exec must name a program, not “${text}”`)
  return text
}

export function defineWebhookListen(webhooks: MeetroomCommand): void {
  const listener = webhooks
    .command('listen')
    .summary('Receive webhooks and print them')
    .description('Receive, validate and print webhooks until ^C. With --secret, verifies each signature.')
  addListenFlags(listener, 4681)
    .option(...secretFlag)
    .option(...createToleranceFlag('5m'))
    .option(
      '--forward-to <url>',
      'forward each event to this URL, and return its response',
      createWebUrlParser('--forward-to'),
    )
    .option(
      '--exec <command>',
      'run a program for each event, with the event on standard input and without a shell',
      programLine,
    )
    .option(
      '--respond <status>',
      'respond to each event with this status',
      createIntegerParser('--respond', 200, 599),
    )
    .option(
      '--require-header <header>',
      `require this header, else respond 401: ${headerValue[0]}`,
      headerValue[1],
    )
    .act('stays', async (context, flags: ListenFlags) => {
      const printer = await context.printer()
      requireSecret(flags)
      const secret = await signingSecret(flags.secret, context.host)
      const required = await readSecretHeaders(context, '--require-header', flags.requireHeader)
      const { tolerance = defaultTolerance } = flags
      await listenForWebhooks(context, { ...flags, secret, required, tolerance, json: printer.printsJson })
    })
  listener.addExamples(
    'meetroom webhooks listen --port 4681',
    "meetroom webhooks listen --secret @secret.txt --exec 'jq .action'",
  )
}
