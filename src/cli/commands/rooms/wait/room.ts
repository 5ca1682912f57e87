import { endpoints } from '../../../../api/endpoints.ts'
import { readResponseValue } from '../../../../api/json.ts'
import { toText } from '../../../../api/to-text.ts'
import type { ResponseBody } from '../../../../client/parsed-response.ts'
import { forgetProbe } from '../../../../client/probe.ts'
import { ConditionError, suggest, UsageError } from '../../../../errors.ts'
import { readTimeZone } from '../../../calendar/time-zone.ts'
import { idleSince } from '../../../filter/metric-types.ts'
import { roomStates } from '../../../filter/room-states.ts'
import { type Filter, fieldsOfList, findMetric, parseWhere } from '../../../filter/where.ts'
import { readIds } from '../../../input/input.ts'
import type { Context } from '../../../kernel/context.ts'
import { evaluateRoomMetrics } from '../../../lists/evaluate-room-metrics.ts'
import { PresenceReader } from '../../../lists/presence.ts'
import { ItemFinder } from '../../../names/item-finder.ts'
import type { Redact } from '../../../output/redaction/redaction.ts'
import { type FieldValue, type Item, readField, selectView, views } from '../../../output/views/views.ts'
import { runOne, showOne } from '../../shared/run-one.ts'
import {
  createDeadline,
  createPollClient,
  createTimeoutError,
  describeTimeout,
  type Poll,
  poll,
} from './poll.ts'

interface WaitFlags {
  for: readonly string[]
  /** Pause between two polls, in milliseconds. */
  interval: number
}

/**
 * @throws {UsageError} for an invalid condition or argument
 * @throws {ConditionError} if a condition is not met before the deadline
 * @throws {MeetroomError} if the room could not be read
 */
export async function waitForRoom(base: Context, given: string, flags: WaitFlags): Promise<void> {
  const wholeMs = (await base.settings()).timeout.value * 1000
  // Here, --timeout limits the whole wait, and each request uses the timeout from the settings.
  const { timeout: _, ...rest } = base.flags
  const context = base.withFlags(rest)
  const { host } = context
  const conditions = flags.for.map(expandCondition)
  const zone = await readTimeZone(context)
  const known = fieldsOfList('listRooms')
  const readFilter = () => parseWhere(conditions, known, { now: host.now(), zone }, '--for')
  await readFilter()
  const printer = await context.printer()
  printer.check(selectView(endpoints.getRoom))
  const room = given === '-' ? await readIdFromStdin(context) : given
  if (context.flags.curl) {
    const id = await new ItemFinder(context).idOf('room', room)
    return runOne(context, 'getRoom', { params: { id } })
  }

  const deadline = createDeadline(host, wholeMs)
  const client = await createPollClient(context, deadline)
  const presences = new PresenceReader(context, client)
  let id: string | undefined

  async function look(): Promise<Poll<ResponseBody>> {
    forgetProbe(client.serviceFacts)
    id ??= await new ItemFinder(context, client).idOf('room', room)
    const response = await client.call('getRoom', { params: { id } })
    const { room: item } = readResponseValue(response) as { room: Item }
    // Relative times depend on the current time, so each poll parses the conditions again.
    const filter = await readFilter()
    let facts: Item = {}
    let holds = filter.matches(item)
    if (holds && filter.metrics.length > 0) {
      const inquiry = { filter, needed: filter.metrics, presences, clock: host, recordOf: async () => item }
      const found = await evaluateRoomMetrics(inquiry, { ...item, id })
      facts = found.metrics
      holds = found.matches
    }
    return holds ? { found: response } : { state: describeConditions(filter, item, facts, context.redact) }
  }

  const what = flags.for.join(' and ')
  const end = await poll(context, { what, deadline, pauseMs: flags.interval, poll: look })
  if ('found' in end) return showOne(context, 'getRoom', end.found)
  const { state: soFar, failure } = end
  if (failure && soFar === undefined) throw createTimeoutError(end, failure, deadline)
  const seenLast = failure ? `${soFar}; then ${failure.message}` : soFar
  throw new ConditionError(`${describeTimeout(end, deadline)} waiting for ${what}: ${seenLast}`, {
    hint: ['show the room with: ', suggest(['rooms', 'get'], id ?? '')],
    retryable: true,
  })
}

async function readIdFromStdin({ host }: Context): Promise<string> {
  const [id, ...others] = await readIds(['-'], host)
  if (id === undefined || others.length > 0)
    throw new UsageError(
      `standard input must contain one room ID, not ${id === undefined ? 0 : 1 + others.length}`,
    )
  return `id:${id}`
}

function expandCondition(text: string): string {
  const word = text.trim()
  const [, state = ''] = /^condition=(.+)$/.exec(word) ?? []
  if (Object.hasOwn(roomStates, state))
    throw new UsageError(`--for must be a condition alone, not “${text}”`, { correction: [text, state] })
  if (Object.hasOwn(roomStates, word)) return roomStates[word] ?? ''
  if (!/^[\w-]*$/.test(word)) return text
  const states = Object.keys(roomStates)
  throw new UsageError(
    `--for must be ${states.join(', ')} or a condition such as 'online>=2', not “${text}”`,
    { misspelling: { kind: 'choice', words: [word], known: states, correct: (find) => [text, find(word)] } },
  )
}

const maxValueLength = 60

function describeConditions(
  { fields, metrics: asked }: Filter,
  room: Item,
  facts: Item,
  redact: Redact,
): string {
  const own = fields.map((field) => [field, readField(views.room, field, room)] as const)
  // Omits metrics that this poll did not evaluate.
  const found = asked.filter((fact) => Object.hasOwn(facts, fact))
  const all = [...own, ...found.map((fact) => [fact, findMetric(facts, fact)] as const)]
  return all.map(([field, told]) => describe(field, told, redact)).join(', ')
}

function describe(field: string, told: FieldValue, redact: Redact): string {
  const name = field === idleSince ? 'idle' : field
  if (!told.known) return `the service does not show ${name}`
  // Redaction precedes truncation, because a truncated key would not be recognized.
  const value = told.value === null ? '' : redact(toText(told.value))
  const shown = value.length > maxValueLength ? `${value.slice(0, maxValueLength).toWellFormed()}…` : value
  if (field === idleSince) return `idle since ${shown}`
  return `${name} is ${shown === '' ? 'empty' : shown}`
}
