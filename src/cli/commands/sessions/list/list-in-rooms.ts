import { omitUndefined } from '../../../../api/defined.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Context } from '../../../kernel/context.ts'
import type { ListFlags, PaceFlags } from '../../../kernel/flags.ts'
import { runRows } from '../../../lists/run-rows.ts'
import { type RoomFlags, readRooms } from '../../../lists/select-rooms.ts'
import type { Page } from '../../../output/views/page.ts'
import { type RowOf, rowKinds } from '../../../output/views/rows.ts'
import { unlimited } from '../../../reports/minutes.ts'
import { nameParticipant, type RoomReport } from '../../../reports/people.ts'
import { createPlan } from '../../../reports/plan.ts'
import { RoomReader } from '../../../reports/read-rooms.ts'
import { readSessionTimes } from '../../../reports/session-times.ts'
import { groupPages } from '../../../run/print-all.ts'

/**
 * @throws {NotFoundError} if no session is listed, and the user does not exist
 * @throws {MeetroomError} if some rooms failed or were not listed
 */
export async function listSessionsInRooms(
  context: Context,
  given: readonly string[],
  filters: { user_id?: string | undefined; is_connecting?: boolean | undefined },
  flags: RoomFlags & Omit<ListFlags, 'where'> & PaceFlags,
): Promise<void> {
  const { user_id, is_connecting } = filters
  const printer = await context.printer()
  const { format, columns } = printer.options
  const view = {
    ...rowKinds.roomSessions,
    // All connected sessions have the same values in these columns.
    columns: rowKinds.roomSessions.columns.filter(
      ({ field }) => is_connecting !== true || (field !== 'status' && field !== 'disconnected_at'),
    ),
  }
  printer.check(view)
  const { rooms, incomplete } = await readRooms(context, given, flags)
  const needs = (field: string) => format !== 'ids' && !flags.count && (columns?.includes(field) ?? true)
  const reader = new RoomReader(context, {
    ...{ rooms, incomplete, pace: flags, onFailure: () => undefined },
    plan: await createPlan(context, { subject: 'session', isUnitFirst: false }, {}, () => unlimited),
    scope: {
      ...{ names: needs('name'), roles: needs('role'), roomNames: needs('room_name') },
      ...{ invitations: false, visits: true, sessions: omitUndefined(filters), pageSize: flags.pageSize },
    },
  })
  const isListed = (row: RowOf<'roomSessions'>) =>
    (is_connecting === undefined || (row.status === 'online') === is_connecting) &&
    (user_id === undefined || toText(row.user_id) === user_id)

  let found = 0
  async function* readPages(): AsyncGenerator<Page> {
    for await (const report of reader.read()) {
      const items = listRows(report).filter(isListed)
      found += items.length
      yield { items }
    }
    await reader.finish()
  }

  const pages = format === 'table' ? groupPages(readPages()) : readPages()
  // `--where` selects rooms, not sessions.
  const { where: _, ...listFlags } = flags
  await runRows(context, view, pages, listFlags)
  // Distinguishes an unknown user from a user without sessions.
  if (found === 0 && user_id) await (await context.client()).call('getUser', { params: { user_id } })
}

function listRows({ room, attendance }: RoomReport): RowOf<'roomSessions'>[] {
  return attendance.visits.map(({ session, participant, isRunning }) => ({
    room_id: room['id'],
    room_name: room['name'],
    session_id: session['id'],
    member_id: session['member_id'] ?? null,
    user_id: participant.user_id,
    name: nameParticipant(participant),
    role: participant.role ?? null,
    status: isRunning ? 'online' : 'offline',
    connected_at: session['connected_at'],
    disconnected_at: readSessionTimes(session).disconnected_at ?? null,
  }))
}
