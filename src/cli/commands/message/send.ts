import { message as sent } from '../../../api/resources.ts'
import { suggest } from '../../../errors.ts'
import { readStdinText } from '../../input/input.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import { addBodyFlags, addExamples, setSurplusHint } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { readTotal } from '../../lists/paging/list-total.ts'
import { RoomArgument } from '../../lists/room-arguments.ts'
import { runOne } from '../../lists/run-one.ts'

export function defineMessageSend(message: MeetroomCommand, act: DefineAction): void {
  const send = message
    .command('send')
    .summary('Send a message to the live sessions of a room')
    .description(
      'Send a message to the live sessions of a room. It has an effect only if their clients handle it.',
    )
    .addArgument(new RoomArgument())
    .argument('<text>', `${sent.descriptions.message}, or - to read it from standard input`)
  setSurplusHint(send, ['quote the text: ', suggest(['message', 'send'], 'ROOM', 'hello world')])
  addBodyFlags(send).action(
    act('writes', async (context, room_id: string, text: string, flags: BodyFlags) => {
      // A file and `echo` add a final line break, which is not part of the message.
      const message = text === '-' ? (await readStdinText(context.host)).replace(/\r?\n$/, '') : text
      const body = await buildBody(context, 'sendMessage', flags, { 'the text': { message } })
      await runOne(context, 'sendMessage', { params: { room_id }, body })
      if (await isEmpty(context, room_id)) await context.notice('nobody is connected to the room')
    }),
  )
  addExamples(
    send,
    "meetroom message send 66f1a2b3c4d5e6f708192a3b 'We close in five minutes'",
    'jq -c . event.json | meetroom message send 66f1a2b3c4d5e6f708192a3b -',
  )
}

/** Returns true if no session is connected; false if the sessions are unknown. */
async function isEmpty(context: Context, room_id: string): Promise<boolean> {
  if (context.flags.quiet) return false
  try {
    const client = await context.client()
    const { value } = await client.call('listSessions', {
      params: { room_id },
      query: { is_connecting: true },
    })
    return value.sessions.length === 0 && (readTotal(value) ?? 0) === 0
  } catch {
    return false
  }
}
