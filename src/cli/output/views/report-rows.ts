import { defineRow, type FieldsOf, type KindOptions, type RowFields, type RowKind } from './define-row.ts'

const utc = 'ISO 8601, UTC'
const share = ['number | null', 2] as const

const presence = {
  room_id: ['id'],
  room_name: ['any', 8.5],
  name: ['any', 9],
  first_in: ['time | null', 6, utc],
  last_out: ['time | null', 5, utc],
  connections: ['integer', 1],
  minutes: ['number', 9],
} as const satisfies RowFields

const presenceOrder = ['first_in', 'last_out', 'connections', 'minutes', 'share', 'present', 'blocked']

const period = {
  day: ['text?', 10, 'such as 2026-01-31, with --by day'],
  week: ['text?', 10, 'ISO 8601, such as 2026-W05, with --by week'],
  month: ['text?', 10, 'such as 2026-01, with --by month'],
} as const satisfies RowFields
const place = { room_id: ['id'], room_name: ['any', 7] } as const satisfies RowFields
const person = { user_id: ['any', 3], name: ['any', 9] } as const satisfies RowFields
const counts = { days: ['integer', 4], meetings: ['integer', 6] } as const satisfies RowFields
const bounds = {
  first_in: ['text | null', 1, utc],
  last_out: ['text | null', 2, utc],
} as const satisfies RowFields
const minutesOf = 'minutes of each user in each room; they add up in every grouping'
const minutes = { room_minutes: ['number', 9, minutesOf] } as const satisfies RowFields

const nouns = {
  user_id: ['participant', 'participants'],
  room_id: ['room', 'rooms'],
  session_id: ['session', 'sessions'],
} as const

function defineAttendance<const F extends RowFields>(
  id: keyof typeof nouns,
  shape: F,
  options: KindOptions = {},
): RowKind<F> {
  return defineRow('attendance', id, shape, { noun: nouns[id], ...options })
}

/** Rows of `sessions report` that are not sums of visits. */
export const attendanceKinds = {
  user: defineAttendance(
    'user_id',
    {
      ...{ ...presence, user_id: ['any', 4], share, present: ['boolean', 8.6], blocked: ['boolean?', 8.4] },
    },
    {
      fields: ['room_id', 'user_id', 'name', ...presenceOrder, 'room_name'],
      order: ['room_name', 'name', 'user_id', ...presenceOrder],
    },
  ),
  room: defineAttendance(
    'room_id',
    {
      ...{ ...presence, room_id: ['id', 4], room_name: ['any', 0, 'the same as name'] },
      ...{ participants: ['integer', 7], absent: ['integer | null', 3] },
    },
    {
      fields: [
        ...['room_id', 'name', 'first_in', 'last_out', 'participants', 'absent', 'connections', 'minutes'],
        'room_name',
      ],
    },
  ),
  session: defineAttendance(
    'session_id',
    {
      ...{ room_id: ['id'], session_id: ['any', 1], member_id: ['any'] },
      ...{ user_id: ['any', 4], name: ['any', 9] },
      ...{ connected_at: ['any?', 6], disconnected_at: ['any?', 5], minutes: ['number', 9], share },
      room_name: ['any', 8.5],
    },
    {
      order: [
        'room_name',
        'session_id',
        'name',
        'user_id',
        'connected_at',
        'disconnected_at',
        'minutes',
        'share',
      ],
    },
  ),
}

/** Rows of `sessions report` that are sums of visits. */
export const sumKinds = {
  meeting: defineAttendance('user_id', {
    ...{ ...period, ...place, room_name: ['any', 8.5] },
    meeting: ['integer', 2, 'number of the meeting in the room, from 1'],
    meeting_start: ['text | null', 8, utc],
    meeting_end: ['text | null', 0, utc],
    ...{ ...person, role: ['any', 5], ...bounds, room_minutes: ['number', 7.8, minutesOf], share },
    ...{ present: ['boolean'], blocked: ['boolean?', 5] },
  }),
  'user-total': defineAttendance('user_id', {
    ...{ ...period, ...person, rooms: ['integer', 5], ...counts, missed: ['integer?', 8] },
    counted_from: ['text | null?', 1, 'time from which meetings count; null if unknown'],
    ...{ ...bounds, ...minutes },
    minutes: ['number', 5, 'minutes in any room; overlapping time in several rooms counts once'],
  }),
  user: defineAttendance('user_id', {
    ...{ ...period, ...place, ...person, role: ['any', 1], ...counts, ...bounds, ...minutes },
  }),
  room: defineAttendance('room_id', {
    ...{ ...period, ...place, participants: ['integer', 5], ...counts, ...minutes },
  }),
  all: defineRow(
    'attendance',
    undefined,
    { ...period, participants: ['integer', 6], rooms: ['integer', 5], ...counts, ...minutes },
    { noun: ['period', 'periods'] },
  ),
}

const usageOrder = ['participants', 'meetings', 'room_minutes', 'peak', 'peak_time']

export const usageKinds = {
  all: defineRow(
    'usage',
    undefined,
    {
      ...{
        month: ['text', 9],
        participants: ['integer', 9, 'number of participants'],
        meetings: ['integer', 7],
      },
      ...{ room_minutes: ['number', 9], peak: ['integer', 8, 'maximum number of concurrent participants'] },
      ...{ peak_time: ['text | null', 4, utc], rooms: ['integer', 5] },
    },
    {
      noun: ['month', 'months'],
      fields: ['month', 'rooms', ...usageOrder],
      description: 'all rooms together',
    },
  ),
  room: defineRow(
    'usage',
    'room_id',
    {
      ...{
        month: ['text'],
        participants: ['integer', 6, 'number of participants'],
        meetings: ['integer', 5],
      },
      ...{ room_minutes: ['number', 9], peak: ['integer', 7, 'maximum number of concurrent participants'] },
      ...{ peak_time: ['text | null', 3, utc], ...place, room_name: ['any', 9] },
    },
    {
      fields: ['month', 'room_id', 'room_name', ...usageOrder],
      noun: nouns.room_id,
      description: 'with --by room',
    },
  ),
}

type RowIn<Kinds extends Readonly<Record<string, RowKind>>> = {
  [K in keyof Kinds]: FieldsOf<Kinds[K]['shape']>
}[keyof Kinds]

export type AttendanceRow = RowIn<typeof attendanceKinds>

export type SumRow = RowIn<typeof sumKinds> | RowIn<typeof usageKinds>

/** Row kinds by command, for commands whose flags select the kind. */
export const rowsOfReports: Readonly<Record<string, readonly RowKind[]>> = {
  'sessions report': [...Object.values(attendanceKinds), ...Object.values(sumKinds)],
  usage: Object.values(usageKinds),
}
