import { statuses } from '../../../client/outcome.ts'
import { linkColumns } from '../../../config/link-template.ts'
import { defineRow, type FieldsOf, type RowField, type RowFields, type RowKind } from './define-row.ts'
import { describeDetails, describeItem, planSigns } from './planned-cells.ts'
import type { Item } from './views.ts'

/**
 * Fields of rows that this program composes, except reports. This module must not load zod, which is slow.
 */

const roomResult = {
  room_id: ['id', 0.5],
  room_name: ['any', 8.5],
  status: [statuses, 9],
  reason: ['text | null', 6],
} as const satisfies RowFields

const planned = {
  sign: ['text', 4, '+ create, ~ change, - remove, ! unresolved or impossible, ? unknown, * not in the file'],
  action: [Object.keys(planSigns) as (keyof typeof planSigns)[], 10],
  kind: [['user', 'room', 'member'], 5],
  item: [describeItem, 9],
  key: ['text', 0, 'user ID, or key of a room; its ID if it has no key'],
  room_key: ['text | null', 0, 'key of the room of a member'],
  room_id: ['text | null', 0, 'null for a room that does not exist yet'],
  name: ['text | null'],
  reason: ['text | null'],
} as const satisfies RowFields

const explained = {
  changes: [{ list: { field: ['text'], before: ['any?', 0, 'missing for a new item'], after: ['any'] } }],
  details: [describeDetails, 8],
} as const satisfies RowFields

const appliedStatus = [[...statuses, null], 6, 'null for an item that is not written'] as const

/** Marks a table cell that the command computes. */
const ownCell = () => undefined

const items = { noun: ['item', 'items'] } as const

const option = {
  name: ['text'],
  description: ['text'],
  repeatable: ['boolean'],
  required: ['boolean'],
} as const satisfies RowFields

export const flagFields = {
  ...option,
  usage: ['text'],
  type: [['boolean', 'integer', 'number', 'string']],
  choices: ['text[]?'],
  default: ['any', 0, 'null if an omitted flag differs from every value'],
} as const satisfies RowFields

const argumentFields = { ...option, type: [['string']], default: ['any'] } as const satisfies RowFields

export const rowKinds = {
  items: defineRow('items', undefined, {}),
  results: defineRow('results', 'id', {
    row: ['integer', 9, 'number of the row or room, from 1, without the header and empty rows'],
    key: ['text?', 8, 'key of the row'],
    status: [statuses, 9],
    id: ['id?', 6, 'ID of the item'],
    error: ['text?', 7],
  }),
  links: defineRow(
    'links',
    undefined,
    {
      room_id: ['id'],
      room_name: ['text | null', 8],
      user_id: ['text | null', 6],
      name: ['text | null', 9],
      role: ['text | null', 5],
      link: ['text | null', 9, 'null if there is none'],
      reason: ['text | null', 7, 'reason for a missing link'],
    },
    {
      order: ['room_name', 'name', 'user_id', 'role', 'reason', 'link'],
      whole: 'link',
      unlisted: linkColumns,
    },
  ),
  memberships: defineRow('memberships', 'room_id', {
    user_id: ['id | null', 8],
    room_id: ['id | null', 0.5],
    room_name: ['any', 9],
    room_type: ['any', 5],
    member_id: ['id | null', 0.3],
    type: ['any', 6],
    is_blocked: ['any?', 4],
    last_seen: ['text | null', 3],
  }),
  steps: defineRow('steps', 'user_id', {
    step: [['block', 'unblock', 'delete', 'add', 'update'], 5],
    user_id: ['id | null', 6],
    room_id: ['id | null', 0.5],
    room_name: ['any', 9],
    room_type: ['any', 0.7],
    member_id: ['id | null', 0.3],
    status: [statuses, 9],
    reason: ['text | null', 8],
  }),
  rooms: defineRow('rooms', 'room_id', roomResult),
  roomsWithPages: defineRow('rooms', 'room_id', {
    ...roomResult,
    page_ids: ['id[]', 0, 'the created pages'],
    pages: [({ page_ids }) => (Array.isArray(page_ids) ? page_ids.length : undefined), 5],
  }),
  duplicates: defineRow('duplicates', 'user_id', {
    group: ['integer', 9, 'equal for users with the same value'],
    same: [['email', 'name'], 9, 'field with the same value'],
    user_id: ['id', 9],
    name: ['any', 7],
    email: ['any', 7],
    created_at: ['any', 3],
  }),
  changes: defineRow('changes', 'id', {
    time: ['time', 9, 'when the request was sent: ISO 8601, UTC'],
    who: ['text | null', 8, 'account of the machine'],
    command: ['text | null', 4],
    what: ['text', 8, 'such as block member'],
    whose: ['text | null', 8, 'the user, the room, the user in the room, or the delivery'],
    outcome: [['ok', 'failed', 'unknown'], 7],
    changed: ['text', 3, 'fields, with the values of roles and booleans'],
    profile: ['text | null', 6],
    origin: ['text | null', 5, 'the service'],
    operation: ['text', 0, 'such as members.update'],
    room_id: ['text | null'],
    user_id: ['text | null'],
    member_id: ['text | null'],
    status: ['integer | null', 0, 'status of the response'],
    message: ['text | null', 2, 'reason for a failure'],
    ci: ['text | null', 1, 'the CI run'],
    id: ['text'],
  }),
  plan: defineRow('plan', 'key', { ...planned, ...explained }, items),
  applied: defineRow('results', 'key', { ...planned, status: appliedStatus, ...explained }, items),
  adopted: defineRow('rooms', 'room_id', {
    key: ['text', 9],
    name: ['text | null', 7],
    room_id: ['text | null', 8],
    status: [['adopted', 'missing', 'ambiguous', 'taken'], 9],
    reason: ['text | null', 6],
  }),
  roomSessions: defineRow(
    'sessions',
    'session_id',
    {
      room_id: ['id'],
      room_name: ['any', 8],
      session_id: ['id'],
      member_id: ['id | null'],
      user_id: ['id | null', 5],
      name: ['any', 9],
      role: ['any', 6, 'role in this room'],
      status: [['online', 'offline'], 4],
      connected_at: ['time', 7],
      disconnected_at: ['time | null', 3],
    },
    {
      order: ['room_name', 'name', 'user_id', 'role', 'status', 'connected_at', 'disconnected_at'],
    },
  ),
  roomMembers: defineRow(
    'members',
    'member_id',
    {
      room_id: ['id'],
      room_name: ['any', 8],
      member_id: ['id'],
      user_id: ['id | null', 6],
      name: ['any', 9],
      role: ['any', 7],
      is_blocked: ['any?', 4],
      created_at: ['time', 2],
    },
    { order: ['room_name', 'name', 'user_id', 'role', 'is_blocked', 'created_at'] },
  ),
  people: defineRow('sessions', 'session_id', {
    session_id: ['id'],
    room: [ownCell, 8.5],
    name: ['any', 9],
    user_id: ['id | null', 8],
    member_id: ['id | null', 3],
    connected_at: ['time | null', 0, 'ISO 8601, UTC'],
    since: [ownCell, 6],
    minutes: [ownCell, 7],
  }),
  profiles: defineRow('profiles', 'name', {
    name: ['text', 9],
    in_use: ['boolean', 8],
    base_url: ['text | null', 7],
    has_key: ['boolean', 6],
    protected: ['boolean', 5],
    key_from: ['text?', 4],
  }),
  settings: defineRow('settings', 'key', {
    key: ['text', 9],
    value: ['id | null', 8],
    origin: ['text | null?', 7],
  }),
  checks: defineRow('checks', 'check', {
    check: ['text'],
    status: [['ok', 'failed', 'skipped']],
    message: ['text'],
    hint: ['text | null'],
  }),
  commands: defineRow('commands', 'name', {
    name: ['text', 9],
    writes: ['boolean', 7, 'true if the command can change the service'],
    summary: ['text', 8],
    arguments: [{ list: argumentFields }],
    description: ['text'],
    dry_run: ['boolean', 0, 'true if --dry-run and --curl show its requests'],
    examples: ['text[]'],
    exit_codes: ['integer[]'],
    flags: [{ list: flagFields }],
  }),
}

export type RowOf<K extends keyof typeof rowKinds> = FieldsOf<(typeof rowKinds)[K]['shape']>

export const rowsOfCommands: Readonly<Record<string, RowKind>> = {
  'rooms import': rowKinds.results,
  'members import': rowKinds.results,
  'users import': rowKinds.results,
  'rooms link': rowKinds.links,
  'members links': rowKinds.links,
  'users rooms': rowKinds.memberships,
  'users offboard': rowKinds.steps,
  'users hand-over': rowKinds.steps,
  'users merge': rowKinds.steps,
  'users duplicates': rowKinds.duplicates,
  'audit list': rowKinds.changes,
  'workspace diff': rowKinds.plan,
  'workspace apply': rowKinds.applied,
  'workspace adopt': rowKinds.adopted,
  'profiles list': rowKinds.profiles,
  'config list': rowKinds.settings,
  commands: rowKinds.commands,
}

/** Row kinds by command, for rooms selected by `--where` or `--all-rooms`. */
export const rowsOfManyRooms: Readonly<Record<string, RowKind>> = {
  'sessions list': rowKinds.roomSessions,
  'members list': rowKinds.roomMembers,
  'members add': rowKinds.steps,
  'members update': rowKinds.steps,
  'message send': rowKinds.rooms,
  'pages create': rowKinds.roomsWithPages,
}

export function countRow(field?: string): RowKind {
  return defineRow('counts', undefined, {
    ...(field !== undefined && { [field]: ['any', 8] }),
    count: ['integer', 9],
  })
}

export function factRow(facts: Item, columns: readonly string[]): RowKind {
  const weightOf = (field: string) => (columns.includes(field) ? 5 : 0)
  const fields = Object.keys(facts).map((field): [string, RowField] => [field, ['any', weightOf(field)]])
  return defineRow('facts', undefined, Object.fromEntries(fields))
}
