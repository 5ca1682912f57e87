import type { BodyOf } from '../../../../api/operation-types.ts'
import type { Operations } from '../../../../api/operations.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Context } from '../../../kernel/context.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import { type RoomsFlags, writeToRooms } from '../../../targets/write-to-rooms.ts'

/** Maximum length of the message text in the confirmation prompt, in characters. */
const maxShown = 60

export async function sendToRooms(
  context: Context,
  body: BodyOf<Operations['sendMessage']>,
  { isFromStdin, ...flags }: RoomsFlags & { isFromStdin: boolean },
): Promise<void> {
  const letters = Array.from(toText(body.message))
  const shown = letters.length > maxShown ? `${letters.slice(0, maxShown).join('')}…` : letters.join('')
  const write = {
    name: 'sendMessage',
    input: (room_id: string) => ({ params: { room_id }, body }),
    view: rowKinds.rooms,
    activity: 'sending a message to rooms',
    verb: () => `send “${shown}” to`,
    pastTense: () => 'sent the message to',
    isRepeatable: !isFromStdin,
  } as const
  await writeToRooms(context, write, flags)
}
