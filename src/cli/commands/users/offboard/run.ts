import { counted, plural } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import {
  type CountedOutcome,
  isFatal,
  judgeStatus,
  type Outcome,
  toFailure,
} from '../../../../client/outcome.ts'
import { pausesMs } from '../../../../client/proof.ts'
import {
  type Hint,
  type MeetroomError,
  PartialError,
  suggest,
  UnknownOutcomeError,
} from '../../../../errors.ts'
import { createMemberStep, everywhere, type MemberStep } from '../../../batch/member-step.ts'
import type { Context } from '../../../kernel/context.ts'
import { fixPace, type PaceFlags } from '../../../kernel/flags.ts'
import { isBlocked, toBlockBody } from '../../../lists/blocking.ts'
import type { Membership } from '../../../lists/memberships.ts'
import type { Item } from '../../../output/views/views.ts'
import { finishRun } from '../../../run/finish-run.ts'
import { openPool, type Pool } from '../../../run/pool.ts'
import { startAll } from '../../../run/run-items.ts'
import { Tally } from '../../../run/tally.ts'
import { type OffboardingChange, type OffboardingPlan, planOffboarding } from './plan.ts'

type Row = MemberStep & Item

const keyOf = ({ room, member }: Membership) => `${toText(room['id'])}/${toText(member['id'])}`

export class OffboardingRun {
  readonly #context: Context
  readonly #plan: OffboardingPlan
  readonly #change: OffboardingChange
  readonly #flags: PaceFlags
  readonly #tally: Tally
  readonly #pool: Pool
  /** Users with a failed or skipped step. */
  readonly #incompleteUsers = new Set<string>()
  /** Reasons why an accepted block is unconfirmed, by user ID. */
  readonly #unconfirmed = new Map<string, string>()
  /** Reasons to keep users that the second search found, by user ID. */
  readonly #later = new Map<string, string>()
  readonly #done = { block: 0, delete: 0 }
  #begun: readonly Promise<unknown>[] = []
  #fatal: MeetroomError | undefined

  private constructor(
    context: Context,
    plan: OffboardingPlan,
    change: OffboardingChange,
    flags: PaceFlags,
    tally: Tally,
    pool: Pool,
  ) {
    this.#context = context
    this.#plan = plan
    this.#change = change
    this.#flags = flags
    this.#tally = tally
    this.#pool = pool
  }

  static async open(
    context: Context,
    plan: OffboardingPlan,
    change: OffboardingChange,
    flags: PaceFlags,
  ): Promise<OffboardingRun> {
    const { memberships, unread, users } = plan
    // The run and its tally refer to each other.
    let run: OffboardingRun | undefined
    const tally = new Tally(memberships.length + unread.length + users.size, () => run?.summary ?? '')
    const pool = await openPool(context, fixPace(flags), tally)
    run = new OffboardingRun(context, plan, change, flags, tally, pool)
    return run
  }

  async *steps(): AsyncGenerator<Row> {
    yield* this.#inRooms()
    if (this.#change.deletes) yield* this.#deletions()
  }

  async *#inRooms(): AsyncGenerator<Row> {
    const { memberships, unread } = this.#plan
    const { step } = this.#change
    for (const { room, error } of unread)
      yield createMemberStep(step, { room }, this.#count({ status: 'failed', error }))
    const todo = memberships.filter(({ skipReason }) => skipReason === undefined)
    const outcomes = this.#start(todo, ({ membership }) => this.#block(membership))
    for (const planned of memberships) {
      const { membership, skipReason = '' } = planned
      const ended =
        (await outcomes.get(planned)) ?? this.#count({ status: 'skipped', reason: skipReason } as const)
      if (judgeStatus(ended.status) !== 'good') this.#incompleteUsers.add(membership.user_id)
      if (ended.status === 'ok') this.#done.block++
      yield createMemberStep(step, membership, ended)
    }
  }

  async *#deletions(): AsyncGenerator<Row> {
    const { users, unread } = this.#plan
    await this.#searchAgain([...users].flatMap(([id, user]) => (user && this.#canDelete(id) ? [id] : [])))
    const ready = [...users].flatMap(([id, user]) => (user && this.#canDelete(id) ? [id] : []))
    const outcomes = this.#start(ready, (id) => this.#delete(id))
    const reasonToStay = (id: string) => {
      if (unread.length > 0) return 'not every room could be read'
      const later = this.#later.get(id)
      if (later !== undefined) return later
      return this.#incompleteUsers.has(id)
        ? 'not every block succeeded'
        : `not every block is confirmed: ${this.#unconfirmed.get(id)}`
    }
    for (const [id, user] of users) {
      const ended = await outcomes.get(id)
      if (ended?.status === 'ok') this.#done.delete++
      if (ended) yield createMemberStep('delete', { user_id: id, room: everywhere }, ended)
      else if (user)
        yield createMemberStep(
          'delete',
          { user_id: id, room: everywhere },
          { status: 'unsent', reason: reasonToStay(id) },
        )
      else
        yield createMemberStep(
          'delete',
          { user_id: id, room: everywhere },
          this.#count({ status: 'skipped', reason: 'no such user' } as const),
        )
    }
  }

  /** Finds memberships in private rooms that users gained after the plan. Such users stay. */
  async #searchAgain(ids: readonly string[]): Promise<void> {
    if (ids.length === 0 || this.#context.flags.dryRun || this.#pool.isStopped) return
    const { host, interrupt } = this.#context
    try {
      for (const pauseMs of pausesMs) {
        if (pauseMs > 0) await host.sleep(pauseMs, interrupt)
        if (!(await this.#hasOldBlocks(ids))) return
      }
    } catch (cause) {
      const { error } = toFailure(cause)
      this.#fatal ??= error
      this.#pool.stop()
      for (const id of ids) this.#later.set(id, 'the rooms could not be read again')
    }
  }

  /** Records the users who must stay. Returns true if a member is shown as before the block, which a read has proved. */
  async #hasOldBlocks(ids: readonly string[]): Promise<boolean> {
    const change = { ...this.#change, deletes: false }
    const { memberships, unread } = await planOffboarding(this.#context, ids, this.#flags, change)
    const planned = new Set(this.#plan.memberships.map(({ membership }) => keyOf(membership)))
    this.#later.clear()
    let isOld = false
    for (const { membership, skipReason } of memberships) {
      const { user_id, room, member } = membership
      const isPlanned = planned.has(keyOf(membership))
      if (skipReason !== undefined || (isPlanned && isBlocked(member) !== false)) continue
      isOld ||= isPlanned
      this.#later.set(user_id, `the user is not blocked in room ${toText(room['id'])}`)
    }
    if (unread.length > 0) for (const id of ids) this.#later.set(id, 'not every room could be read again')
    return isOld
  }

  #start<Thing>(
    things: readonly Thing[],
    act: (thing: Thing) => Promise<Outcome<unknown>>,
  ): ReadonlyMap<Thing, Promise<Outcome<unknown>>> {
    this.#begun = startAll(this.#pool, things, act)
    return new Map(things.map((thing, i) => [thing, this.#begun[i] as Promise<Outcome<unknown>>]))
  }

  /** Prevents further steps and waits for running steps. */
  async stop(): Promise<void> {
    this.#pool.stop()
    await Promise.all(this.#begun)
  }

  #canDelete(user_id: string): boolean {
    const isConfirmed = this.#change.acceptsUnconfirmed || !this.#unconfirmed.has(user_id)
    const isComplete = this.#plan.unread.length === 0 && !this.#incompleteUsers.has(user_id)
    return isComplete && isConfirmed && !this.#later.has(user_id)
  }

  async #block(membership: Membership): Promise<Outcome<unknown>> {
    const { step, deletes } = this.#change
    const { room, member } = membership
    if (this.#context.flags.dryRun) return { status: `would_${step}` }
    const params = { room_id: toText(room['id']), member_id: toText(member['id']) }
    const { client } = this.#pool
    const ended = await this.#write(
      client.call('updateMember', { params, body: toBlockBody(step === 'block') }),
    )
    if (ended.status !== 'ok' || !deletes || isBlocked(Object(ended.value.value.member))) return ended
    const read = await this.#write(client.call('getMember', { params }))
    const told = read.status === 'ok' ? isBlocked(read.value.value.member) : undefined
    if (told === false)
      return {
        status: 'unknown',
        error: new UnknownOutcomeError('the service accepted the block, but is_blocked is false'),
      }
    if (told === undefined)
      this.#unconfirmed.set(
        membership.user_id,
        'error' in read ? read.error.message : 'the service does not show is_blocked',
      )
    return ended
  }

  async #delete(user_id: string): Promise<Outcome<unknown>> {
    if (this.#context.flags.dryRun) return { status: 'would_delete' }
    return this.#write(this.#pool.client.call('deleteUser', { params: { user_id } }))
  }

  async #write<Result>(asked: Promise<Result>): Promise<Outcome<Result>> {
    try {
      return { status: 'ok', value: await asked }
    } catch (cause) {
      const failed = toFailure(cause)
      if (isFatal(failed.error)) {
        this.#fatal ??= failed.error
        this.#pool.stop()
      }
      return failed
    }
  }

  #count<E extends CountedOutcome>(ended: E): E {
    this.#tally.add(ended)
    return ended
  }

  async end(): Promise<MeetroomError | undefined> {
    const error = await finishRun(this.#context, this.#tally, this.#fatal)
    // A user who is not deleted counts as incomplete, even if no step failed.
    if (this.#isKept === 0 || (error && error === this.#fatal)) return error
    return new PartialError(this.summary, { cause: error, hint: this.#hint })
  }

  get #hint(): Hint {
    const mustRepeat = this.#incompleteUsers.size > 0 || this.#later.size > 0 || this.#plan.unread.length > 0
    if (this.#unconfirmed.size === 0 || mustRepeat) return 'run it again to complete the remaining steps'
    return [
      'check whether the user can still enter the rooms; then accept the blocks and delete the user with: ',
      suggest(['users', 'offboard', '--accept-unconfirmed-blocks'], ...this.#unconfirmed.keys()),
    ]
  }

  get #isKept(): number {
    return [...this.#plan.users].filter(([id, user]) => user && !this.#canDelete(id)).length
  }

  get summary(): string {
    const { step, deletes } = this.#change
    const { dryRun } = this.#context.flags
    const blocked = dryRun ? this.#tally.count(`would_${step}`) : this.#done.block
    const deleted = dryRun ? this.#tally.count('would_delete') : this.#done.delete
    const verb = dryRun ? `would ${step}` : `${step}ed`
    const unknown = this.#tally.count('unknown')
    const others: [count: number, what: string][] = [
      [this.#tally.count('skipped'), 'skipped'],
      [this.#tally.bad - unknown, 'failed'],
      [unknown, 'with an unknown outcome'],
      [this.#tally.untried - this.#isKept, 'not tried'],
    ]
    return [
      `${verb} ${counted(blocked, 'member')}${deletes ? ` and ${dryRun ? 'delete' : 'deleted'} ${counted(deleted, 'user')}` : ''}`,
      ...others.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`),
      ...(this.#isKept > 0
        ? [`${counted(this.#isKept, 'user')} ${plural(this.#isKept, 'stays', 'stay')}`]
        : []),
    ].join('; ')
  }
}
