import { isFatal, toFailure } from '../../../../client/outcome.ts'
import type { IncompleteError, InterruptedError, MeetroomError } from '../../../../errors.ts'
import type { RoomReport } from '../../../attendance/rows.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { RoomsNotice } from '../../../lists/rooms-notice.ts'
import type { Item } from '../../../output/views/views.ts'
import { openPool } from '../../../pool/pool.ts'
import { runInOrder } from '../../../pool/run-items.ts'
import type { Tally } from '../../../pool/tally.ts'
import { createReportReader, type ReportScope } from './read-room.ts'
import { commonError, hintAtMissingRooms } from './summary.ts'
import { TimeAnomalyCounter } from './time-anomalies.ts'

interface RoomReportsOptions {
  rooms: readonly Item[]
  /** Error to throw after the report if the list of rooms is incomplete and there is no other error. */
  incomplete: IncompleteError | undefined
  tally: Tally
  scope: ReportScope
  /** Time of the report, in milliseconds since 1970. */
  now: number
  pace: PaceFlags
  /** Called for each room that could not be read. */
  onFailure?: (room: Item, error: MeetroomError) => Promise<void>
}

/** Concurrent reader of the attendance of rooms. */
export class RoomReports {
  readonly #context: Context
  readonly #options: RoomReportsOptions
  readonly #anomalies = new TimeAnomalyCounter()
  readonly #invitations = { members: 0, dated: 0 }
  readonly #missing: Item[] = []
  readonly #failures: MeetroomError[] = []
  #fatal: MeetroomError | undefined

  constructor(context: Context, options: RoomReportsOptions) {
    this.#context = context
    this.#options = options
  }

  /** Yields the reports in the order of the rooms. */
  async *read(): AsyncGenerator<RoomReport> {
    const { rooms, incomplete, tally, scope, now, pace, onFailure } = this.#options
    await new RoomsNotice(this.#context).expect(rooms.length)
    const pool = await openPool(this.#context, pace, tally)
    const read = createReportReader(this.#context, pool.client, scope, now)
    const act = async (room: Item) => {
      const outcome = await read(room).then((value) => ({ status: 'ok', value }) as const, toFailure)
      // Other rooms would fail with the same error.
      if ('error' in outcome && isFatal(outcome.error)) pool.stop()
      return outcome
    }
    let asked = 0
    for await (const [room, outcome] of runInOrder(pool, rooms, act)) {
      asked++
      if (outcome.status === 'ok') {
        this.#anomalies.add(room, outcome.value.attendance.anomalies)
        this.#countInvitations(outcome.value)
        yield outcome.value
        continue
      }
      this.#missing.push(room)
      if (!('error' in outcome)) continue
      this.#failures.push(outcome.error)
      await onFailure?.(room, outcome.error)
      // If the only room fails, the command fails with the room's error.
      if (rooms.length === 1 && !incomplete) throw outcome.error
      if (isFatal(outcome.error)) this.#fatal ??= outcome.error
      else await this.#context.reportError(outcome.error)
    }
    this.#missing.push(...rooms.slice(asked))
  }

  #countInvitations({ attendance, absent = [] }: RoomReport): void {
    for (const { blocked, invitedAt } of [...attendance.participants, ...absent]) {
      if (blocked !== undefined) this.#invitations.members++
      if (invitedAt !== undefined) this.#invitations.dated++
    }
  }

  /**
   * Prints the notices at the end of a report.
   * @throws {PartialError} if some rooms failed or were not listed
   */
  async finish(): Promise<void> {
    const { incomplete, tally, scope } = this.#options
    const { interrupt } = this.#context
    const { members, dated } = this.#invitations
    if (scope.invitations && members > 0 && dated === 0)
      await this.#context.notice(
        'the service does not show when people were invited, so meetings before an invitation count as missed',
      )
    for (const notice of this.#anomalies.notices) await this.#context.notice(notice)
    if (interrupt.aborted && !tally.isComplete) this.#fatal ??= interrupt.reason as InterruptedError
    const { reported, error } = tally.ending({ fatal: this.#fatal, hint: hintAtMissingRooms(this.#missing) })
    if (reported) await this.#context.reportError(reported)
    if (error && incomplete) await this.#context.reportError(incomplete)
    if (error) throw commonError(error, this.#failures)
    if (incomplete) throw incomplete
  }
}
