import { UsageError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { isAsciiOnly } from '../../../output/terminal/unicode.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import type { WatchOutput } from './scene.ts'

/** @throws {UsageError} for conflicting output flags */
export async function createWatchOutput(
  context: Context,
): Promise<(room_id: string, leave: () => void) => Promise<WatchOutput>> {
  const printer = await context.printer()
  const { output } = await context.settings()
  const { stdout } = context.host
  const isView = stdout.isTTY && !isAsciiOnly(context.host) && !printer.printsJson
  if (!printer.printsJson && output.value !== 'table' && output.from === '--output')
    throw new UsageError(`sessions watch prints a view or ndjson, not ${output.value}`)
  if (!isView && printer.options.columns)
    throw new UsageError('--columns is for the view on a terminal', {
      hint: 'choose fields with: --query',
    })
  printer.check(rowKinds.people, true)
  if (!isView)
    return async () => ({ tell: (told) => printer.json(told), settle: async () => {}, close: async () => {} })
  return async (room_id, leave) => {
    const { RoomView } = await import('./room-view.ts')
    return RoomView.open(context, stdout, room_id, leave)
  }
}
