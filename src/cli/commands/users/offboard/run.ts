import { counted, plural } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import { judgeStatus, type Outcome, toFailure } from '../../../../client/outcome.ts'
import { pausesMs } from '../../../../client/proof.ts'
import {
  type Hint,
  type MeetroomError,
  PartialError,
  suggest,
  UnknownOutcomeError,
} from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import type { Membership } from '../../../lists/memberships.ts'
import type { Item } from '../../../output/views/views.ts'
import { isBlocked, toBlockBody } from '../../../records/blocking.ts'
import { removeRecord, updateRecord } from '../../../records/records.ts'
import { knownOutcome, performTask, type Task } from '../../../run/print-run.ts'
import { openRun, type Run } from '../../../run/run.ts'
import { describeAdditions } from '../../../targets/add-to-rooms.ts'
import { createMemberStep, everywhere, type MemberStep } from '../../../targets/member-step.ts'
import { type OffboardingChange, type OffboardingPlan, planOffboarding } from './plan.ts'

type Row = MemberStep & Item

const notHandedOver = 'not every room is handed over'

const keyOf = ({ room, member }: Membership) => `${toText(room['id'])}/${toText(member['id'])}`

export class OffboardingRun {
  /** Users with a failed, unknown or unsent block. */
  readonly #incompleteUsers = new Set<string>()
  /** Reasons why an accepted block is unconfirmed, by user ID. */
  readonly #unconfirmed = new Map<string, string>()
  /** Reasons to keep users, found after the blocks, by user ID. */
  readonly #later = new Map<string, string>()
  #isHandedOver = true
  readonly #done = { block: 0, delete: 0, added: 0, raised: 0 }

  readonly #context: Context
  readonly #plan: OffboardingPlan
  readonly #change: OffboardingChange
  readonly #flags: PaceFlags

  private constructor(
    context: Context,
    plan: OffboardingPlan,
    change: OffboardingChange,
    flags: PaceFlags,
    readonly run: Run,
  ) {
    this.#context = context
    this.#plan = plan
    this.#change = change
    this.#flags = flags
  }

  static async open(
    context: Context,
    plan: OffboardingPlan,
    change: OffboardingChange,
    flags: PaceFlags,
  ): Promise<OffboardingRun> {
    const { memberships, unread, users, additions } = plan
    const total = memberships.length + unread.length + users.size + (additions?.tasks.length ?? 0)
    const run = await openRun(context, flags, {
      ...{ effect: 'destroys', total },
      summarize: () => offboarding.#summary,
    })
    const offboarding = new OffboardingRun(context, plan, change, flags, run)
    return offboarding
  }

  async *steps(): AsyncGenerator<Row> {
    yield* this.#additions()
    yield* this.#inRooms()
    if (this.#change.deletes) yield* this.#deletions()
  }

  /** Hands over the rooms of a merge. After any failure, the run blocks and deletes nothing. */
  async *#additions(): AsyncGenerator<Row> {
    const { additions, unread } = this.#plan
    if (!additions) return
    this.#isHandedOver = unread.length === 0
    const add = (task: Task) => performTask(task, this.run.client)
    for await (const [task, outcome] of this.run.each(additions.tasks, add, knownOutcome)) {
      if (judgeStatus(outcome.status) !== 'good') this.#isHandedOver = false
      if (outcome.status === 'ok') this.#done.added++
      if (outcome.status === 'updated') this.#done.raised++
      yield* task.toRows(outcome) as readonly Row[]
    }
  }

  async *#inRooms(): AsyncGenerator<Row> {
    const { memberships, unread } = this.#plan
    const { step } = this.#change
    for (const { room, error } of unread) {
      const ended = { status: 'failed', error } as const
      this.run.count(ended)
      yield createMemberStep(step, { room }, ended)
    }
    const ended = this.run.each(
      memberships,
      ({ membership }) => this.#block(membership),
      ({ skipReason: reason }) => {
        if (reason !== undefined) return { status: 'skipped', reason }
        return this.#isHandedOver ? undefined : { status: 'unsent', reason: notHandedOver }
      },
    )
    for await (const [{ membership }, outcome] of ended) {
      if (judgeStatus(outcome.status) !== 'good') this.#incompleteUsers.add(membership.user_id)
      if (outcome.status === 'ok') this.#done.block++
      yield createMemberStep(step, membership, outcome)
    }
  }

  async *#deletions(): AsyncGenerator<Row> {
    const { users } = this.#plan
    await this.#searchAgain([...users].flatMap(([id, user]) => (user && this.#canDelete(id) ? [id] : [])))
    const ended = this.run.each(
      [...users],
      ([id]) => this.#delete(id),
      ([id, user]) => {
        if (!user) return { status: 'skipped', reason: 'no such user' }
        return this.#canDelete(id) ? undefined : { status: 'unsent', reason: this.#reasonToStay(id) }
      },
    )
    for await (const [[user_id], outcome] of ended) {
      if (outcome.status === 'ok') this.#done.delete++
      yield createMemberStep('delete', { user_id, room: everywhere }, outcome)
    }
  }

  #reasonToStay(id: string): string {
    if (this.#plan.unread.length > 0) return 'not every room could be read'
    const later = this.#later.get(id)
    if (later !== undefined) return later
    if (!this.#isHandedOver) return notHandedOver
    return this.#incompleteUsers.has(id)
      ? 'not every block succeeded'
      : `not every block is verified: ${this.#unconfirmed.get(id)}`
  }

  /** Finds users who may still need a block. The run does not delete these users. */
  async #searchAgain(ids: readonly string[]): Promise<void> {
    if (ids.length === 0 || this.#context.flags.dryRun || this.run.isStopped) return
    const { host, interrupt } = this.#context
    try {
      for (const pauseMs of pausesMs) {
        if (pauseMs > 0) await host.sleep(pauseMs, interrupt)
        if (!(await this.#hasOldBlocks(ids))) return
      }
    } catch (cause) {
      const { error } = toFailure(cause)
      this.run.stop(error)
      for (const id of ids) this.#later.set(id, 'the rooms could not be read again')
    }
  }

  /** Records the users who must not be deleted. Returns true if a planned member is listed as not blocked. */
  async #hasOldBlocks(ids: readonly string[]): Promise<boolean> {
    const change = { ...this.#change, deletes: false, handOver: undefined }
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

  #canDelete(user_id: string): boolean {
    const isConfirmed = this.#change.acceptsUnconfirmed || !this.#unconfirmed.has(user_id)
    const isComplete = this.#plan.unread.length === 0 && !this.#incompleteUsers.has(user_id)
    return this.#isHandedOver && isComplete && isConfirmed && !this.#later.has(user_id)
  }

  async #block(membership: Membership): Promise<Outcome<unknown>> {
    const { step, deletes } = this.#change
    const { room, member } = membership
    if (this.#context.flags.dryRun) return { status: `would_${step}` }
    const [room_id, id] = [toText(room['id']), toText(member['id'])]
    const { client } = this.run
    const value = await updateRecord(client, { kind: 'member', id, room_id }, toBlockBody(step === 'block'))
    const ended = { status: 'ok', value } as const
    if (!deletes || isBlocked(Object(value))) return ended
    const read = await client.call('getMember', { params: { room_id, member_id: id } }).catch(toFailure)
    if ('error' in read) this.run.stopIfFatal(read)
    const told = 'error' in read ? undefined : isBlocked(read.value.member)
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
    return { status: 'ok', value: await removeRecord(this.run.client, 'user', user_id) }
  }

  /** Returns a `PartialError` for a kept user, unless the error is fatal. */
  conclude(error: MeetroomError | undefined): MeetroomError | undefined {
    if (this.#keptCount === 0 || (error && error === this.run.fatal)) return error
    return new PartialError(this.#summary, { cause: error, hint: this.#hint })
  }

  get #hint(): Hint {
    const { handOver } = this.#change
    const mustRepeat =
      !this.#isHandedOver ||
      this.#incompleteUsers.size > 0 ||
      this.#later.size > 0 ||
      this.#plan.unread.length > 0
    const hasSaved = typeof this.#context.flags.save === 'string'
    if (this.#unconfirmed.size === 0 || mustRepeat)
      // The file of --save exists now.
      return `run the command again${hasSaved ? ', without --save,' : ''} to complete the remaining steps`
    return [
      'check whether the user can still join the rooms; then accept the blocks and delete the user with: ',
      suggest(
        [...this.#context.command.split(' '), '--accept-unconfirmed-blocks'],
        ...this.#unconfirmed.keys(),
        ...(handOver ? [handOver.user_id] : []),
      ),
    ]
  }

  get #keptCount(): number {
    return [...this.#plan.users].filter(([id, user]) => user && !this.#canDelete(id)).length
  }

  get #summary(): string {
    const { step, deletes, handOver } = this.#change
    const { dryRun = false } = this.#context.flags
    const { tally } = this.run
    const { added, raised } = dryRun
      ? { added: tally.count('would_create'), raised: tally.count('would_update') }
      : this.#done
    const blocked = dryRun ? tally.count(`would_${step}`) : this.#done.block
    const deleted = dryRun ? tally.count('would_delete') : this.#done.delete
    const verb = dryRun ? `would ${step}` : `${step}ed`
    const users = deletes ? ` and ${dryRun ? 'delete' : 'deleted'} ${counted(deleted, 'user')}` : ''
    const kept = this.#keptCount
    return tally.describe(
      [
        ...(handOver ? describeAdditions(handOver.user_id, { added, raised, dryRun }) : []),
        `${verb} ${counted(blocked, 'member')}${users}`,
      ],
      { untried: tally.untried - kept },
      kept > 0 ? [`${counted(kept, 'user')} ${plural(kept, 'is', 'are')} kept`] : [],
    )
  }
}
