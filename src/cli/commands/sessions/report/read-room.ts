import { readResponseValue } from '../../../../api/json.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Client } from '../../../../client/client.ts'
import { PartialError } from '../../../../errors.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { collectAttendance } from '../../../attendance/room-attendance.ts'
import type { RoomReport } from '../../../attendance/rows.ts'
import { parseMilliseconds } from '../../../attendance/session-times.ts'
import type { Context } from '../../../kernel/context.ts'
import { RoomSessions } from '../../../lists/room-sessions.ts'
import { NameResolver } from '../../../lists/user-names.ts'
import { cellOf, type Item, readField, views } from '../../../output/views/views.ts'

export interface ReportScope {
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  names: boolean
  roomNames: boolean
  roles?: boolean
  absent: boolean
  /** True to count meetings only from the invitation of each member. */
  invitations?: boolean
  /** True to count blocked members as invited. */
  includeBlocked: boolean
  visits: boolean
}

/**
 * Creates a function that reports on a room. Running sessions end at `now`, in milliseconds since 1970.
 * @throws {PartialError} if no session of a room has a readable start
 */
export function createReportReader(
  context: Context,
  client: Client,
  scope: ReportScope,
  now: number,
): (room: Item) => Promise<RoomReport> {
  const names = new NameResolver(context, client)
  const sessions = new RoomSessions(context, client)
  return async (given) => {
    const room_id = toText(given['id'])
    const recordOf = memoize(async (): Promise<Item> => {
      const answer = await client.call('getRoom', { params: { id: room_id } })
      return { ...given, ...((readResponseValue(answer) as Item)['room'] as Item), id: given['id'] }
    })
    const known = async (field: string) =>
      readField(views.room, field, given).known ? given : await recordOf()
    const usersOf = memoize(() => readUsersByMember(names.members(room_id, true)))
    const attendance = await collectAttendance(sessions.of(room_id), {
      span: scope.span,
      now,
      terminatedAt: memoize(async () => {
        const status = cellOf(views.room, 'status', await known('status'))
        return status === 'terminated' ? parseMilliseconds((await recordOf())['terminated_at']) : undefined
      }),
      userOf: async (member_id) => (await usersOf()).get(toText(member_id)) ?? null,
      visits: scope.visits,
      firstStarts: scope.invitations ?? false,
    })
    if (attendance.sessions > 0 && attendance.anomalies.get('no start') === attendance.sessions)
      throw new PartialError(`room ${room_id}: none of its sessions has a readable connected_at`)
    const absent = await names.complete(room_id, attendance.participants, scope)
    const room = scope.roomNames ? await known('name') : given
    return { room, attendance, absent: scope.absent ? absent : undefined }
  }
}

async function readUsersByMember(members: AsyncIterable<Item>): Promise<ReadonlyMap<string, unknown>> {
  const users = new Map<string, unknown>()
  for await (const { id, user_id } of members) users.set(toText(id), user_id)
  return users
}

function memoize<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}
