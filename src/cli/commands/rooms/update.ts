import { room } from '../../../api/resources.ts'
import { suggestHelp, UsageError } from '../../../errors.ts'
import { confirmTargets } from '../../batch/confirm-targets.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import {
  addBodyFlags,
  addExamples,
  addSelectionFlags,
  type BatchFlags,
  requireFields,
} from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../lists/room-arguments.ts'
import { runOne } from '../../lists/run-one.ts'
import { type StateFlags, stateFlags, stateOf, terminating } from './room-state.ts'

const { words } = room

interface UpdateFlags extends BodyFlags, StateFlags, BatchFlags {
  name?: string
  layout?: string
  record?: boolean
}

export function defineRoomUpdate(rooms: MeetroomCommand, act: DefineAction): void {
  const update = rooms
    .command('update')
    .summary('Change the settings of a room, or of all rooms that match')
    .description(
      'Change the settings of a room, or of all rooms that --where chooses; everything else stays as it is. With --where, ' +
        'the texts of --name, --layout and --set may hold fields of each room, as in {name}; {{ and }} are braces.',
    )
    .addArgument(new RoomArgument('[room]'))
    .option('--name <name>', words.name)
    .option('--layout <layout>', words.layout)
    .option('--record', words.record)
    .option('--no-record', 'stop recording the meetings in the room')
  addSelectionFlags(addBodyFlags(stateFlags(update))).action(
    act('writes', async (context, id: string | undefined, flags: UpdateFlags) => {
      const { name, layout, record } = flags
      // The API document does not list `record` here, but services support it.
      const given = {
        '--name': { name },
        '--layout': { layout },
        [record === false ? '--no-record' : '--record']: { record },
        [flags.active ? '--active' : '--terminated']: stateOf(flags),
      }
      if (flags.where) {
        if (id !== undefined) throw new UsageError('give an id or --where, not both')
        const { updateRooms } = await import('../../batch/update-many.ts')
        return updateRooms(context, flags, given)
      }
      if (id === undefined)
        throw new UsageError('missing required argument “room”', {
          hint: ['give an id, or choose rooms with --where; see: ', suggestHelp('rooms', 'update')],
        })
      const body = await buildBody(context, 'updateRoom', flags, given)
      requireFields(context, body, {})
      if (body.is_terminated === true) await confirmTargets(context, terminating, { ids: [id] })
      await runOne(context, 'updateRoom', { params: { id }, body })
    }),
  )
  addExamples(
    update,
    "meetroom rooms update 66f1a2b3c4d5e6f708192a3b --name 'Weekly sync, new time'",
    "meetroom rooms update --where 'age>365d' --name '{name} (old)' --dry-run",
  )
}
