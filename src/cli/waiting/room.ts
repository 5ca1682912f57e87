import type { Answer } from '../../api/client.ts'
import { endpoints } from '../../api/endpoints.ts'
import { readAnswer } from '../../api/json.ts'
import { forgetStanding } from '../../api/standing.ts'
import { ConditionError, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { readIds } from '../input.ts'
import { RoomFinder } from '../operations/find-room.ts'
import { lookInto } from '../operations/look-into.ts'
import { runOne, showOne } from '../operations/one.ts'
import { Presences } from '../operations/presence.ts'
import { parseWhere } from '../operations/where.ts'
import { type Item, viewOf, views } from '../output/views.ts'
import { waitingClient } from './client.ts'
import { conditionOf, inWords } from './conditions.ts'
import { deadlineIn } from './deadline.ts'
import { endInWords, type Look, poll, unanswered } from './poll.ts'

export interface WaitFlags {
  for: readonly string[]
  /** Pause between two looks, in milliseconds. */
  interval: number
}

/**
 * Waits until all conditions hold of a room at once, and prints it.
 * @param given what the command line calls it; it is looked up here, since the service may not answer yet
 * @throws {ConditionError} when the time is up before
 * @throws {NetworkError | ServiceError} when the time is up and the room could never be read
 */
export async function waitForRoom(outer: Context, given: string, flags: WaitFlags): Promise<void> {
  const wholeMs = (await outer.settings()).timeout.value * 1000
  // --timeout, which has a default here, is about the whole; each request keeps the deadline of the settings.
  const { timeout: _, ...rest } = outer.flags
  const context = outer.with(rest)
  const { host } = context
  const conditions = flags.for.map(conditionOf)
  const readFilter = () => parseWhere(conditions, 'listRooms', views.room, host.now(), '--for')
  await readFilter()
  const printer = await context.printer()
  printer.check(viewOf(endpoints.getRoom))
  const room = given === '-' ? await idFromInput(context) : given
  if (context.flags.curl) {
    const id = await new RoomFinder(context).idOf(room)
    return runOne(context, 'getRoom', { params: { id } })
  }

  const deadline = deadlineIn(host, wholeMs)
  const client = await waitingClient(context, deadline)
  const presences = new Presences(context, client)
  let id: string | undefined

  async function look(): Promise<Look<Answer>> {
    forgetStanding(client.seen)
    id ??= await new RoomFinder(context, client).idOf(room)
    const answer = await client.call('getRoom', { params: { id } })
    const { room: item } = readAnswer(answer) as { room: Item }
    // Times are compared with now.
    const filter = await readFilter()
    let facts: Item = {}
    let holds = filter.matches(item)
    if (holds && filter.facts.length > 0) {
      const inquiry = { filter, presences, clock: host, recordOf: async () => item }
      const found = await lookInto(inquiry, { ...item, id })
      facts = found.facts
      holds = found.matches
    }
    return holds ? { found: answer } : { soFar: inWords(filter, item, facts, context.redact) }
  }

  const what = flags.for.join(' and ')
  const end = await poll(context, { what, deadline, pauseMs: flags.interval, look })
  if ('found' in end) return showOne(context, 'getRoom', end.found)
  const { soFar, failure } = end
  if (failure && soFar === undefined) throw unanswered(end, failure, deadline)
  const seenLast = failure ? `${soFar}; then ${failure.message}` : soFar
  throw new ConditionError(`${endInWords(end, deadline)} waiting for ${what}: ${seenLast}`, {
    hint: ['look at it with: ', suggest(['rooms', 'get'], id ?? '')],
    retryable: true,
  })
}

/** @throws {UsageError} when standard input does not hold one id */
async function idFromInput({ host }: Context): Promise<string> {
  const [id, ...others] = await readIds(['-'], host)
  if (id === undefined || others.length > 0)
    throw new UsageError(`standard input must hold one room id, not ${id === undefined ? 'none' : 'several'}`)
  return `id:${id}`
}
