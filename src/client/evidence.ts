import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { groupBy } from '../api/group-by.ts'
import { getIdField } from '../api/guards.ts'
import { toText } from '../api/to-text.ts'
import { InterruptedError, type MeetroomError, toMeetroomError, type UnknownOutcomeError } from '../errors.ts'
import { compareFields, type Item } from './compare.ts'
import type { ResponseBody } from './parsed-response.ts'
import { type AnyInput, callerId } from './request.ts'
import type { Before, Remark } from './verdict.ts'

export type LookupName = {
  [N in OperationName]: (typeof endpoints)[N] extends { method: 'GET'; many: false } ? N : never
}[OperationName]

/** Write with an unknown outcome. */
export interface Doubt {
  name: OperationName
  input: AnyInput
  before: Before
  error: UnknownOutcomeError
}

export type ProofList = 'listRooms' | 'listUsers' | 'listMembers'

export type ReadList = (name: ProofList, input: AnyInput) => AsyncIterable<readonly Item[]>

export interface FoundItem {
  /** Undefined if the item does not exist. */
  item: Item | undefined
  /** Lookup response that shows the item under its name. */
  response?: ResponseBody | undefined
}

export interface ProofReader {
  /** @throws if the item cannot be read */
  readItem(name: LookupName, input: AnyInput): Promise<FoundItem>
  readList: ReadList
  /** Rejects after an interruption. */
  sleep(ms: number): Promise<void>
  onRemark(remark: Remark): void
  readonly concurrency: number
}

export type Evidence = FoundItem | { error: MeetroomError }

/** Returns the ID in the request or in the response to a creation. */
export function targetId({ name, input, error }: Omit<Doubt, 'before'>): string | undefined {
  return callerId(endpoints[name], input) ?? error.createdId ?? error.possibleId
}

const listOf = {
  getRoom: 'listRooms',
  getUser: 'listUsers',
  getMember: 'listMembers',
  listMembers: 'listMembers',
} as const

/** Minimum number of writes with the same list for which `readAll` reads the list before single items. */
const minListed = 10

/** Reads the items of doubtful writes: from a list if needed or probably cheaper, otherwise individually. */
export async function readAll(doubts: readonly Doubt[], reader: ProofReader): Promise<Map<Doubt, Evidence>> {
  const found = new Map<Doubt, Evidence>()
  const groups = groupBy(doubts, (doubt) => `${listNameOf(doubt)} ${doubt.input.params?.['room_id'] ?? ''}`)
  const listed = [...groups.values()]
    .map((group) => (group.length < minListed ? group.filter(isOnlyListed) : group))
    .filter((group) => group.length > 0)
  await runConcurrently(listed, reader.concurrency, (group) => readFromList(group, reader, found))
  const others = doubts.filter((doubt) => !found.has(doubt))
  await runConcurrently(others, reader.concurrency, (doubt) => readOne(doubt, reader, found))
  return found
}

const readBackOf = ({ name }: Doubt): Endpoint['readBack'] => (endpoints[name] as Endpoint).readBack

const listNameOf = (doubt: Doubt): ProofList => listOf[readBackOf(doubt) ?? 'getRoom']

/** Returns true if only a list can show the item, such as a new member. */
const isOnlyListed = (doubt: Doubt) => readBackOf(doubt) === 'listMembers'

async function readFromList(group: readonly Doubt[], reader: ProofReader, found: Map<Doubt, Evidence>) {
  const [first] = group
  if (!first) return
  const list = listNameOf(first)
  const room_id = first.input.params?.['room_id']
  const open = groupBy(group, keyOf)
  const missing = new Set(open.keys())
  const isNeeded = group.some(isOnlyListed)
  const id = getIdField(endpoints[list])
  let pages = 0
  let settled = 0
  try {
    for await (const items of reader.readList(list, room_id === undefined ? {} : { params: { room_id } })) {
      // If the pages settle fewer writes than there are pages, reading single items takes fewer requests.
      if (settled < pages++ && !isNeeded) return
      for (const item of items)
        for (const key of [toText(item[id]), userKey(item)]) {
          missing.delete(key)
          for (const doubt of open.get(key) ?? [])
            if (isOnlyListed(doubt) || showsAll(doubt, item)) {
              found.set(doubt, { item })
              settled++
            }
        }
    }
    for (const key of missing) for (const doubt of open.get(key) ?? []) found.set(doubt, { item: undefined })
  } catch (cause) {
    const evidence = toEvidence(cause)
    for (const doubt of group.filter(isOnlyListed)) if (!found.has(doubt)) found.set(doubt, evidence)
  }
}

function keyOf(doubt: Doubt): string {
  return isOnlyListed(doubt) ? userKey(Object(doubt.input.body)) : (targetId(doubt) ?? '')
}

const userKey = ({ user_id }: Item) => `user ${toText(user_id)}`

function showsAll({ name, input }: Doubt, item: Item): boolean {
  return compareFields(endpoints[name], input.body, item).every(
    ({ match }) => match !== 'hidden' && match !== 'unlisted',
  )
}

async function runConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const source = items.values()
  const worker = async () => {
    for (const item of source) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
}

async function readOne(doubt: Doubt, reader: ProofReader, found: Map<Doubt, Evidence>): Promise<void> {
  const readBack = readBackOf(doubt)
  if (readBack === undefined || readBack === 'listMembers') return
  const id = targetId(doubt) ?? ''
  const params =
    readBack === 'getRoom' ? { id } : readBack === 'getUser' ? { user_id: id } : doubt.input.params
  found.set(doubt, await reader.readItem(readBack, params ? { params } : {}).catch(toEvidence))
}

function toEvidence(cause: unknown): Evidence {
  const error = toMeetroomError(cause)
  if (error instanceof InterruptedError) throw error
  return { error }
}
