import type { Endpoint } from '../../api/endpoints.ts'
import { deprecated, memberTypes, roomTypes } from '../../api/vocabulary.ts'
import type { Style } from './style.ts'

export type Item = Readonly<Record<string, unknown>>

/** One column of a table. */
export interface Column {
  /** Field of the item, or the name of a derived value. */
  readonly field: string
  /** Higher keeps its width longer; the least important shrink first, and go first. */
  readonly weight: number
  /** The value to show, when it is not simply the field's. */
  readonly value?: (item: Item) => unknown
}

/** How one kind of thing is shown. */
export interface View {
  /** Singular and plural, for people. */
  readonly noun: readonly [string, string]
  /** Field that `-o ids` prints. */
  readonly id?: string
  /** Field that names it in questions. */
  readonly label?: string
  /** Columns of a table. */
  readonly columns: readonly Column[]
  /** Fields of the document in its order, deprecated ones left out: records and CSV. */
  readonly fields: readonly string[]
  /** The values of fields that have few. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  /** Fields that the embedded service sends beyond the document. */
  readonly unlisted?: readonly string[]
}

const roomStatus: Column = {
  field: 'status',
  weight: 6,
  value: (room) => (room['terminated_at'] ? 'terminated' : 'active'),
}
const memberStatus: Column = {
  field: 'status',
  weight: 4,
  value: (member) => (member['is_blocked'] === true ? 'blocked' : ''),
}
const sessionStatus: Column = {
  field: 'status',
  weight: 6,
  value: (session) => (session['disconnected_at'] ? 'offline' : 'online'),
}

/** Views by the field of the answer that holds the result, singular. */
export const views = {
  room: {
    noun: ['room', 'rooms'],
    id: 'id',
    label: 'name',
    columns: [
      { field: 'id', weight: 9 },
      { field: 'name', weight: 8 },
      { field: 'type', weight: 7 },
      { ...roomStatus, weight: 6 },
      { field: 'record', weight: 2 },
      { field: 'layout', weight: 1 },
      { field: 'created_at', weight: 4 },
    ],
    fields: [
      'id',
      'type',
      'name',
      'application_id',
      'thumbnail_url',
      'layout',
      'record',
      'meeting_time',
      'started_at',
      'terminated_at',
      'updated_at',
      'created_at',
    ],
    choices: { type: roomTypes, status: ['active', 'terminated'] },
    unlisted: ['max_meeting_seconds'],
  },
  member: {
    noun: ['member', 'members'],
    id: 'id',
    label: 'user_id',
    columns: [
      { field: 'id', weight: 9 },
      { field: 'user_id', weight: 8 },
      { field: 'type', weight: 7 },
      memberStatus,
      { field: 'name', weight: 5 },
    ],
    fields: ['id', 'user_id', 'room_id', 'type'],
    choices: { type: memberTypes, status: ['blocked'] },
    unlisted: ['is_blocked', 'created_at', 'updated_at'],
  },
  user: {
    noun: ['user', 'users'],
    id: 'user_id',
    label: 'name',
    columns: [
      { field: 'user_id', weight: 9 },
      { field: 'name', weight: 8 },
      { field: 'default_member_type', weight: 5 },
      { field: 'profile_url', weight: 1 },
      { field: 'created_at', weight: 3 },
    ],
    fields: [
      'user_id',
      'name',
      'profile_url',
      'default_member_type',
      'access_token',
      'created_at',
      'updated_at',
      'id',
    ],
    choices: { default_member_type: memberTypes },
    unlisted: ['email'],
  },
  session: {
    noun: ['session', 'sessions'],
    id: 'id',
    columns: [
      { field: 'id', weight: 9 },
      { field: 'user_id', weight: 8 },
      { field: 'member_id', weight: 5 },
      sessionStatus,
      { field: 'connected_at', weight: 4 },
      { field: 'disconnected_at', weight: 3 },
    ],
    fields: ['id', 'member_id', 'user_id', 'connected_at', 'disconnected_at'],
    choices: { status: ['online', 'offline'] },
  },
  page: {
    noun: ['page', 'pages'],
    id: 'id',
    columns: [
      { field: 'id', weight: 9 },
      {
        field: 'images',
        weight: 5,
        value: (page) =>
          (Array.isArray(page['entities']) ? page['entities'] : [])
            .map((entity) => entity?.src ?? entity?.type)
            .join(' '),
      },
    ],
    fields: ['id', 'entities'],
    unlisted: ['size', 'index'],
  },
  message: {
    noun: ['message', 'messages'],
    columns: [{ field: 'message', weight: 9 }],
    fields: ['message'],
  },
} as const satisfies Record<string, View>

/** How the result of an operation is shown: by the singular of the field that holds it. */
export function viewOf(endpoint: Endpoint): View {
  const singular = endpoint.result.replace(/s$/, '') as keyof typeof views
  return views[singular]
}

/** The value of a column for one item; null for nothing and for deprecated fields. */
export function cellOf(view: View, field: string, item: Item): unknown {
  const value = Object.hasOwn(item, field)
    ? item[field]
    : view.columns.find((column) => column.field === field)?.value?.(item)
  return value === deprecated || value === undefined ? null : value
}

/** Whether a column of this name can be asked for: a listed field, a derived one, or one that some item has. */
export function knowsField(view: View, field: string, items: readonly Item[]): boolean {
  return (
    view.fields.includes(field) ||
    view.unlisted?.includes(field) ||
    view.columns.some((column) => column.field === field) ||
    items.some((item) => Object.hasOwn(item, field))
  )
}

const colours: Record<string, (style: Style) => (text: string) => string> = {
  active: (style) => style.green,
  online: (style) => style.green,
  terminated: (style) => style.dim,
  offline: (style) => style.dim,
  blocked: (style) => style.red,
  private: (style) => style.magenta,
  public: (style) => style.cyan,
  host: (style) => style.yellow,
  monitor: (style) => style.blue,
}

/** Colours that carry meaning: types, and whether something is live, over or blocked. */
export function colourOf(field: string, text: string, style: Style): string {
  if (!/type$|^status$/.test(field)) return text
  return Object.hasOwn(colours, text) ? (colours[text]?.(style)(text) ?? text) : text
}
