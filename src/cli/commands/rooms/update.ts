import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { room } from '../../../api/resources.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import type { Context } from '../../kernel/context.ts'
import {
  addBodyFlags,
  addSelectionFlags,
  matchingRooms,
  requireFields,
  type TargetsFlags,
} from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../names/arguments.ts'
import { createRenameOption, requireId } from '../shared/rename.ts'
import { runOne } from '../shared/run-one.ts'
import { addStateFlags, readState, type StateFlags, termination } from './room-state.ts'

const { descriptions } = room

const instead = {
  terminated: 'deprecated: use “rooms terminate”',
  active: 'deprecated: use “rooms reopen”',
}

interface UpdateFlags extends BodyFlags, StateFlags, TargetsFlags {
  name?: string
  rename?: string
  layout?: string
  record?: boolean
}

export function defineRoomUpdate(rooms: MeetroomCommand): void {
  const update = rooms
    .command('update')
    .summary('Change the settings of a room, or of all rooms that match')
    .description(
      'Change the settings of a room, or of all rooms that match --where. Other settings do not change. With --where, ' +
        '--name, --layout and --set accept placeholders for fields of the room, such as {name}. Write {{ and }} for braces. --rename changes names by a pattern. ' +
        'Duplicate names are refused.',
    )
    .addArgument(new RoomArgument('[room]'))
    .option('--name <name>', descriptions.name)
    .addOption(createRenameOption())
    .option('--layout <layout>', descriptions.layout)
    .option('--record', descriptions.record)
    .option('--no-record', 'stop recording the meetings in the room')
  addSelectionFlags(addBodyFlags(addStateFlags(update, instead)), { where: matchingRooms }).act(
    'writes',
    async (context, givenId: string | undefined, flags: UpdateFlags) => {
      const { name, layout, record } = flags
      // The API specification does not list `record` for updates, but some services accept the field.
      const given = {
        '--name': { name },
        '--layout': { layout },
        [record === false ? '--no-record' : '--record']: { record },
        [flags.active ? '--active' : '--terminated']: readState(flags),
      }
      if (flags.where) {
        if (givenId !== undefined) throw createFlagConflict('an ID', '--where')
        const { updateItems } = await import('../../targets/update-items.ts')
        await updateItems(context, 'room', flags, given)
        return noticeDeprecated(context, flags)
      }
      const id = requireId('room', givenId, flags.rename)
      const body = await buildBody(context, 'updateRoom', flags, given)
      requireFields(context, body, {})
      if (body.is_terminated === true) {
        const { confirmTargets } = await import('../../targets/confirm-targets.ts')
        await confirmTargets(context, termination, { ids: [id] })
      }
      await runOne(context, 'updateRoom', { params: { id }, body })
      await noticeDeprecated(context, flags)
    },
  )
  update.addExamples(
    "meetroom rooms update 66f1a2b3c4d5e6f708192a3b --name 'Weekly sync, new time'",
    "meetroom rooms update --where 'age>365d' --name '{name} (old)' --dry-run",
    "meetroom rooms update --where 'name~^Maths 7' --rename 's/^Maths 7/Maths 8/' --dry-run",
  )
}

async function noticeDeprecated(context: Context, flags: StateFlags): Promise<void> {
  for (const flag of ['terminated', 'active'] as const)
    if (flags[flag]) await context.notice(`--${flag} is ${instead[flag]}`)
}
