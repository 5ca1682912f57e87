import { endpoints } from '../../../api/endpoints.ts'
import { isRecord } from '../../../api/guards.ts'
import { toText } from '../../../api/to-text.ts'
import type { RowOf } from '../../output/views/rows.ts'

type Ids = Readonly<Partial<Record<'user_id' | 'room_id' | 'member_id', string>>>

const noOutcome = 'no outcome: the command was interrupted, or is still running'

/** Describes a change from a record of the audit log. Fields may be missing or damaged. */
export function describeChange(record: Readonly<Record<string, unknown>>, id: string): RowOf<'changes'> {
  const read = (name: string) => (typeof record[name] === 'string' ? record[name] : null)
  const [method, path] = [read('method'), read('path')]
  const { operation, ids: inPath } = findOperation(read('operation') ?? '', method ?? '', path ?? '')
  const ids = isRecord(record['ids']) ? record['ids'] : {}
  const { user_id = null, room_id = null, member_id = null } = { ...inPath, ...readIds(ids) }
  const values = isRecord(record['values']) ? record['values'] : {}
  const changed = Array.isArray(record['changed']) ? record['changed'].map(toText) : []
  const hasEnded = record['event'] === 'outcome'
  const outcome = outcomes.find((known) => known === record['outcome'])
  const { status } = record
  return {
    time: toText(record['time']),
    who: read('user'),
    command: read('command'),
    what: describeOperation(operation, changed, values),
    // A delivery belongs to a room that its request does not name.
    whose: formatWhose({ user: user_id, room: room_id, member: member_id }) ?? readIdText(ids['delivery_id']),
    outcome: (hasEnded && outcome) || 'unknown',
    changed: changed
      .map((name) => (Object.hasOwn(values, name) ? `${name}=${toText(values[name])}` : name))
      .join(', '),
    ...{ profile: read('profile'), origin: read('origin'), operation, room_id, user_id, member_id },
    status: typeof status === 'number' ? status : null,
    message: hasEnded ? read('message') : noOutcome,
    ...{ ci: read('ci'), id },
  }
}

const outcomes = ['ok', 'failed', 'unknown'] as const

/** Formats the changed item with IDs or names, such as `ada in 66f1a2b3`. */
export function formatWhose(target: Readonly<Record<'user' | 'room' | 'member', string | null>>) {
  const { user, room, member } = target
  const who = user ?? (member === null ? null : `member ${member}`)
  return who === null ? room : room === null ? who : `${who} in ${room}`
}

const readIdText = (id: unknown) => (id === undefined ? null : toText(id))

function readIds(given: Readonly<Record<string, unknown>>): Ids {
  const names = ['user_id', 'room_id', 'member_id'] as const
  return Object.fromEntries(names.flatMap((name) => (given[name] ? [[name, toText(given[name])]] : [])))
}

const operations = Object.values(endpoints).map(({ id, method, path }) => ({
  ...{ id, method, names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name) },
  pattern: new RegExp(`${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
}))

/** Finds the operation of a request that `meetroom api` sent, and the IDs in its path. */
function findOperation(operation: string, method: string, path: string): { operation: string; ids: Ids } {
  if (!operation.startsWith('api.')) return { operation, ids: {} }
  const [pathname = ''] = path.split('?')
  for (const { id, method: own, names, pattern } of operations) {
    const [matched, ...values] = (own === method && pattern.exec(pathname)) || []
    if (matched === undefined) continue
    const ids = names.map((name, i) => [name === 'id' ? 'room_id' : name, decode(values[i] ?? '')])
    return { operation: id, ids: readIds(Object.fromEntries(ids)) }
  }
  return { operation: `${method} ${path}`, ids: {} }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Describes an operation, such as `block member` for an update that only blocks. */
function describeOperation(
  operation: string,
  changed: readonly string[],
  { is_blocked, is_terminated }: Readonly<Record<string, unknown>>,
): string {
  const [group = '', verb] = operation.split('.')
  if (verb === undefined) return operation
  const flag = changed.length === 1 ? (is_blocked ?? is_terminated) : undefined
  const pairs = is_blocked === undefined ? ['terminate', 'reopen'] : ['block', 'unblock']
  const word = flag === true ? pairs[0] : flag === false ? pairs[1] : verb
  return `${word} ${group.replace(/s$/, '')}`
}
