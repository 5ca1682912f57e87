import { counted, listNames, plural } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, type IncompleteError, type MeetroomError, PartialError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { readList } from '../lists/read-list.ts'
import { RoomsNotice } from '../lists/rooms-notice.ts'
import { NameResolver } from '../lists/user-names.ts'
import { cellOf, type Item, readField, views } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import { openRun, type Run } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'
import { collectAttendance, listPeople, type RoomReport } from './people.ts'
import type { ReportPlan } from './plan.ts'
import { parseMilliseconds, type TimeAnomaly } from './session-times.ts'
import { countLate } from './visits.ts'

export interface ReportScope {
  names: boolean
  roomNames: boolean
  roles: boolean
  /** True to find the times from which meetings count. */
  invitations: boolean
  visits: boolean
  /** Filters that the service may ignore. */
  sessions?: { user_id?: string | undefined; is_connecting?: boolean | undefined }
  pageSize?: number | undefined
}

interface RoomReaderOptions {
  rooms: readonly Item[]
  /** Error to throw after the report if there is no other error. */
  incomplete: IncompleteError | undefined
  plan: ReportPlan
  scope: ReportScope
  pace: PaceFlags
  onFailure: (room: Item, error: MeetroomError) => Promise<void> | undefined
}

const maxNamedRooms = 10

export class RoomReader {
  readonly #context: Context
  readonly #options: RoomReaderOptions
  readonly #anomalies = new Map<TimeAnomaly, { sessions: number; rooms: string[] }>()
  readonly #invitations = { members: 0, dated: 0 }
  readonly #missing: string[] = []
  readonly #failures: MeetroomError[] = []
  /** In a report by meeting, number of members for whom no meeting of a room counts. */
  #late = 0
  #run: Run | undefined

  constructor(context: Context, options: RoomReaderOptions) {
    this.#context = context
    this.#options = options
  }

  get isComplete(): boolean {
    return this.#run?.tally.isComplete === true && !this.#options.incomplete
  }

  /**
   * Yields the reports in the order of the rooms.
   * @throws {MeetroomError} for example if the only room fails
   */
  async *read(): AsyncGenerator<RoomReport> {
    const { rooms, incomplete, plan, scope, pace, onFailure } = this.#options
    await new RoomsNotice(this.#context).expect(rooms.length)
    const run = await openRun(this.#context, pace, { total: rooms.length, summarize })
    this.#run = run
    const read = createRoomReader(this.#context, run.client, plan, scope)
    const act = async (room: Item) => ({ status: 'ok', value: await read(room) }) as const
    for await (const [room, outcome] of run.each(rooms, act)) {
      if (outcome.status === 'ok') {
        this.#count(room, outcome.value)
        yield outcome.value
        continue
      }
      this.#missing.push(toText(room['id']))
      if (!('error' in outcome)) continue
      this.#failures.push(outcome.error)
      await onFailure(room, outcome.error)
      if (rooms.length === 1 && !incomplete) throw outcome.error
      await run.report(outcome, `room ${toText(room['id'])}`)
    }
  }

  #count({ id }: Item, report: RoomReport): void {
    const { plan } = this.#options
    const { attendance, absent = [] } = report
    if (plan.absent && plan.grouping.subject === 'meeting')
      this.#late += countLate(attendance.meeting, listPeople(report), plan)
    for (const [anomaly, sessions] of attendance.anomalies) {
      const found = this.#anomalies.get(anomaly) ?? { sessions: 0, rooms: [] }
      found.sessions += sessions
      found.rooms.push(toText(id))
      this.#anomalies.set(anomaly, found)
    }
    for (const { blocked, invitedAt } of [...attendance.participants, ...absent]) {
      if (blocked !== undefined) this.#invitations.members++
      if (invitedAt !== undefined) this.#invitations.dated++
    }
  }

  /** @throws {MeetroomError} if rooms are missing from the report */
  async finish(): Promise<void> {
    const { incomplete, scope } = this.#options
    const { members, dated } = this.#invitations
    if (scope.invitations && members > 0 && dated === 0)
      await this.#context.notice(
        'the service does not show the times of invitations, so meetings before an invitation count as missed',
      )
    if (this.#late > 0)
      await this.#context.notice(
        `${counted(this.#late, 'member')} ${plural(this.#late, 'was', 'were')} added after these meetings and ${plural(this.#late, 'is', 'are')} not counted as absent`,
      )
    for (const [anomaly, { sessions, rooms }] of this.#anomalies) {
      const where = `${plural(rooms.length, 'room')} ${listNames(rooms, 3)}`
      await this.#context.notice(`warning: sessions ${anomalyWords[anomaly]}: ${sessions} in ${where}`)
    }
    const hint =
      this.#missing.length === 0 ? undefined : `not in the report: ${listNames(this.#missing, maxNamedRooms)}`
    const error = await this.#run?.finish(hint)
    if (error && incomplete) await this.#context.reportError(incomplete)
    if (error) throw commonError(error, this.#failures)
    if (incomplete) throw incomplete
  }
}

const anomalyWords: Readonly<Record<TimeAnomaly, string>> = {
  'no start': 'without a readable start are omitted',
  'no end': 'without an end in a terminated room count up to the termination, if its time is known',
  'invalid end': 'with an unreadable end, or an end before the start, count as running',
  'too long': 'longer than 366 days count for the first 366 days',
}

function summarize(tally: Tally): string {
  const done = tally.count('ok')
  const rooms = tally.isComplete ? counted(done, 'room') : `${done} of ${tally.total} rooms`
  return tally.describe([`reported on ${rooms}`])
}

/** Gives an `ApiError` the class of the failures, if all have the same code and exit code. */
function commonError(error: MeetroomError, failures: readonly MeetroomError[]): MeetroomError {
  const [first] = failures
  if (!(error instanceof ApiError) || !first) return error
  if (failures.some(({ code, exitCode }) => code !== first.code || exitCode !== first.exitCode)) return error
  const Kind = first.constructor as new (...of: ConstructorParameters<typeof ApiError>) => MeetroomError
  return new Kind(error.message, { hint: error.hint, status: first.status, retryable: first.retryable })
}

function createRoomReader(
  context: Context,
  client: Client,
  { span, now, absent: listsAbsent, includeBlocked }: ReportPlan,
  scope: ReportScope,
): (room: Item) => Promise<RoomReport> {
  const names = new NameResolver(context, client)
  const { sessions: query = {}, pageSize } = scope
  const inPages = { all: true, selectsItems: true, inPages: true, client, pageSize }
  return async (given) => {
    const room_id = toText(given['id'])
    const recordOf = memoize(async (): Promise<Item> => {
      const record = await readRecord(client, { kind: 'room', id: room_id })
      return { ...given, ...record, id: given['id'] }
    })
    const known = async (field: string) =>
      readField(views.room, field, given).known ? given : await recordOf()
    const usersOf = memoize(async () => {
      const users = new Map<string, unknown>()
      for await (const { id, user_id } of names.members(room_id, true)) users.set(toText(id), user_id)
      return users
    })
    const attendance = await collectAttendance(
      readList(context, 'listSessions', { params: { room_id }, query }, inPages),
      {
        ...{ span, now },
        terminatedAt: memoize(async () => {
          const status = cellOf(views.room, 'status', await known('status'))
          return status === 'terminated' ? parseMilliseconds((await recordOf())['terminated_at']) : undefined
        }),
        userOf: async (member_id) => (await usersOf()).get(toText(member_id)) ?? null,
        visits: scope.visits,
        firstStarts: scope.invitations,
      },
    )
    if (attendance.sessions > 0 && attendance.anomalies.get('no start') === attendance.sessions)
      throw new PartialError(`room ${room_id}: none of its sessions has a readable connected_at`)
    const needs = { ...scope, absent: listsAbsent, includeBlocked }
    const absent = await names.complete(room_id, attendance.participants, needs)
    const room = scope.roomNames ? await known('name') : given
    return { room, attendance, absent: listsAbsent ? absent : undefined }
  }
}

function memoize<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => (asked ??= ask())
}
