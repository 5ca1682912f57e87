import { Option } from 'commander'
import { member } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import { type MemberType, memberTypes } from '../../../api/vocabulary.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import type { DefineAction } from '../../kernel/action.ts'
import { type BodyFlags, buildBody } from '../../kernel/body.ts'
import { addBodyFlags, addExamples } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { RoomArgument } from '../../lists/room-arguments.ts'
import { runOne } from '../../lists/run-one.ts'
import { findMember } from '../../lists/user-members.ts'

const { descriptions } = member

interface AddFlags extends BodyFlags {
  type?: MemberType
  ifNotExists?: boolean
}

export function defineMemberAdd(members: MeetroomCommand, act: DefineAction): void {
  const add = members
    .command('add')
    .summary('Invite a user to a room')
    .description('Invite a user to a room, in the given role, or else the user’s default role.')
    .addArgument(new RoomArgument())
    .addArgument(new IdArgument('<user>', descriptions.user_id, 'user'))
    .addOption(new Option('--type <type>', descriptions.type).choices(memberTypes))
    .option('--if-not-exists', 'if the user is already a member, leave the member as is and show it')
  addBodyFlags(add).action(
    act('any', async (context, room_id: string, user_id: string, flags: AddFlags) => {
      const body = await buildBody(context, 'addMember', flags, {
        'the user': { user_id },
        '--type': { type: flags.type },
      })
      const existing = flags.ifNotExists && (await findMember(context, room_id, toText(body.user_id)))
      if (existing) return runOne(context, 'getMember', { params: { room_id, member_id: existing } })
      await runOne(context, 'addMember', { params: { room_id }, body })
    }),
  )
  addExamples(add, 'meetroom members add 66f1a2b3c4d5e6f708192a3b ada --type host')
}
