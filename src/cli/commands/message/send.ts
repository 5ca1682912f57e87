import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { message as sent } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { UsageError } from '../../../errors.ts'
import type { Host } from '../../../host.ts'
import { isFile, readStdinText } from '../../input/input.ts'
import { type BodyFlags, buildBody, standardInput } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import { addBodyFlags, addRoomSelectionFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { readTotal } from '../../lists/paging/list-total.ts'
import { RoomArgument } from '../../names/arguments.ts'
import { quoteWord } from '../../output/hint-text.ts'
import type { RoomsFlags } from '../../targets/write-to-rooms.ts'
import { runOne } from '../shared/run-one.ts'

const textDescription = `${sent.descriptions.message}, or - to read the text from standard input`

interface SendFlags extends BodyFlags, RoomsFlags {
  text?: string
}

export function defineMessageSend(message: MeetroomCommand): void {
  const send = message
    .command('send')
    .summary('Send a message to the online sessions of a room, or of all matching rooms')
    .description(
      'Send a message to the online sessions of a room. The message has an effect only if the clients handle messages. With --where, asks for confirmation, sends the message to each matching room, and prints one row per room.',
    )
    .addArgument(new RoomArgument('[room]'))
    .argument('[text]', textDescription)
    .option('--text <text>', `${textDescription}; required with --where`)
  addRoomSelectionFlags(addBodyFlags(send)).act(
    'writes',
    async (context, room_id: string | undefined, argument: string | undefined, flags: SendFlags) => {
      const text = readTextArgument(send, { room_id, argument }, flags)
      await refuseFile(text, context.host)
      // Text files and `echo` end with a line break, which is not part of the message.
      const message = text === '-' ? (await readStdinText(context.host)).replace(/\r?\n$/, '') : text
      if (message.trim() === '') throw new UsageError('the message is empty')
      const source = text === '-' ? standardInput : 'the text'
      const body = await buildBody(context, 'sendMessage', flags, { [source]: { message } })
      if (room_id === undefined) {
        const { writeToRooms } = await import('../../targets/write-to-rooms.ts')
        const write = {
          name: 'sendMessage',
          rows: 'rooms',
          input: (room_id: string) => ({ params: { room_id }, body }),
          activity: 'sending a message to rooms',
          verb: () => `send “${shortenMessage(toText(body.message))}” to`,
          pastTense: () => 'sent the message to',
          isRepeatable: text !== '-',
        } as const
        return writeToRooms(context, write, flags)
      }
      await runOne(context, 'sendMessage', { params: { room_id }, body })
      if (await isEmpty(context, room_id)) await context.notice('nobody is connected to the room')
    },
  )
  send.addExamples(
    "meetroom message send 66f1a2b3c4d5e6f708192a3b 'We close in five minutes'",
    "meetroom message send --where 'online>0' --text 'We close in five minutes'",
    'jq -c . event.json | meetroom message send 66f1a2b3c4d5e6f708192a3b -',
  )
}

/** @throws {UsageError} for `@` and the name of an existing file */
async function refuseFile(text: string, host: Host): Promise<void> {
  const file = text.startsWith('@') ? text.slice(1) : ''
  if (file !== '' && (await isFile(file, host)))
    throw new UsageError(`the text “${text}” is not read from a file; ${file} is a file`, {
      correction: [text, '-', ` < ${quoteWord(file)}`],
    })
}

function readTextArgument(
  send: MeetroomCommand,
  { room_id, argument }: { room_id: string | undefined; argument: string | undefined },
  { where, text }: SendFlags,
): string {
  if (argument !== undefined && text !== undefined) throw createFlagConflict('a text argument', '--text')
  if (where && room_id !== undefined)
    throw createFlagConflict('a room', '--where', {
      hint: 'with --where, pass the text with --text',
    })
  if (!where && room_id === undefined) return send.missingArgument('room')
  const given = argument ?? text
  if (given === undefined && where) throw new UsageError('--where needs --text')
  return (
    given ?? send.missingArgument(/\s/.test(room_id ?? '') && !room_id?.startsWith('name:') ? 'room' : 'text')
  )
}

/** Maximum length of the message text in the confirmation prompt, in characters. */
const maxShown = 60

function shortenMessage(text: string): string {
  const letters = Array.from(text)
  return letters.length > maxShown ? `${letters.slice(0, maxShown).join('')}…` : text
}

/** Returns false if the sessions cannot be read, or with `--quiet`. */
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
