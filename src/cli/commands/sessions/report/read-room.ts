import { readAnswer } from '../../../../api/json.ts'
import { textOf } from '../../../../api/text-of.ts'
import type { Client } from '../../../../client/client.ts'
import { PartialError } from '../../../../errors.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { collectAttendance } from '../../../attendance/room-attendance.ts'
import type { RoomReport } from '../../../attendance/rows.ts'
import { momentIn } from '../../../attendance/session-times.ts'
import type { Context } from '../../../kernel/context.ts'
import { RoomSessions } from '../../../lists/room-sessions.ts'
import { NameResolver } from '../../../lists/user-names.ts'
import { cellOf, fieldOf, type Item, views } from '../../../output/views/views.ts'

export interface ReportScope {
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  names: boolean
  roomNames: boolean
  absent: boolean
  /** Counts blocked members as invited. */
  includeBlocked: boolean
  visits: boolean
}

/**
 * Creates a reader of rooms. `now` is the end of running sessions, in milliseconds since 1970.
 * @throws {PartialError} for a room none of whose sessions has a readable beginning
 */
export function createReportReader(
  context: Context,
  client: Client,
  wanted: ReportScope,
  now: number,
): (room: Item) => Promise<RoomReport> {
  const names = new NameResolver(context, client)
  const sessions = new RoomSessions(context, client)
  return async (given) => {
    const room_id = textOf(given['id'])
    const recordOf = once(async (): Promise<Item> => {
      const answer = await client.call('getRoom', { params: { id: room_id } })
      return { ...given, ...((readAnswer(answer) as Item)['room'] as Item), id: given['id'] }
    })
    const known = async (field: string) =>
      fieldOf(views.room, field, given).known ? given : await recordOf()
    const usersOf = once(() => usersByMember(names.members(room_id, true)))
    const attendance = await collectAttendance(sessions.of(room_id), {
      span: wanted.span,
      now,
      terminatedAt: once(async () => {
        const status = cellOf(views.room, 'status', await known('status'))
        return status === 'terminated' ? momentIn((await recordOf())['terminated_at']) : undefined
      }),
      userOf: async (member_id) => (await usersOf()).get(textOf(member_id)) ?? null,
      visits: wanted.visits,
    })
    if (attendance.sessions > 0 && attendance.oddities.get('no start') === attendance.sessions)
      throw new PartialError(`room ${room_id}: none of its sessions has a readable connected_at`)
    const absent = await names.complete(room_id, attendance.participants, wanted)
    const room = wanted.roomNames ? await known('name') : given
    return { room, attendance, absent: wanted.absent ? absent : undefined }
  }
}

async function usersByMember(members: AsyncIterable<Item>): Promise<ReadonlyMap<string, unknown>> {
  const users = new Map<string, unknown>()
  for await (const { id, user_id } of members) users.set(textOf(id), user_id)
  return users
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}
