import type { View } from '../output/views/views.ts'
import { type Grouping, type RoomSubject, type Subject, selectRoomSubject } from './group-by.ts'
import type { VisitSum } from './visit-sum.ts'

interface Shape {
  noun: View['noun']
  id?: string
  /** Weights of the columns by field, in the order of the table; 0 for a field without a column. */
  weights: Readonly<Record<string, number>>
  /** Fields of the rows, if they differ from the columns. */
  fields?: readonly string[]
}

/** Shape of the rows that are sums of visits, whose fields are properties of the sum. */
interface SumShape extends Shape {
  weights: { readonly [Field in keyof VisitSum]?: number }
}

const ofPeople = { noun: ['participant', 'participants'], id: 'user_id' } as const
const ofRooms = { noun: ['room', 'rooms'], id: 'room_id' } as const

const roomShapes: Readonly<Record<RoomSubject, Shape>> = {
  user: {
    ...ofPeople,
    weights: {
      ...{ room: 7, name: 9, user_id: 4, first_in: 6, last_out: 5 },
      ...{ connections: 1, minutes: 9, share: 2, present: 5 },
    },
    fields: [
      ...['room_id', 'user_id', 'name', 'first_in', 'last_out'],
      ...['connections', 'minutes', 'share', 'present'],
    ],
  },
  room: {
    ...ofRooms,
    weights: {
      ...{ room_id: 4, name: 9, first_in: 6, last_out: 5 },
      ...{ participants: 7, absent: 3, connections: 1, minutes: 9 },
    },
  },
  session: {
    noun: ['session', 'sessions'],
    id: 'session_id',
    weights: {
      ...{ room: 7, session_id: 1, name: 9, user_id: 4 },
      ...{ connected_at: 6, disconnected_at: 5, minutes: 9, share: 2 },
    },
    fields: [
      ...['room_id', 'session_id', 'member_id', 'user_id', 'name'],
      ...['connected_at', 'disconnected_at', 'minutes', 'share'],
    ],
  },
}

const place = { room_id: 0, room_name: 7 }
const person = { user_id: 3, name: 9 }
const counts = { days: 4, meetings: 6 }
const bounds = { first_in: 1, last_out: 2 }
const minutes = { room_minutes: 9 }

const sumShapes: Readonly<Record<Exclude<Subject, 'session'> | 'all', SumShape>> = {
  meeting: {
    ...ofPeople,
    weights: {
      ...{ ...place, meeting: 2, meeting_start: 8, meeting_end: 0, ...person, role: 5, ...bounds },
      ...{ ...minutes, share: 2, present: 0 },
    },
  },
  'user-total': {
    ...ofPeople,
    weights: {
      ...{ ...person, rooms: 5, ...counts, missed: 8, counted_from: 1, ...bounds, ...minutes, minutes: 5 },
    },
  },
  user: { ...ofPeople, weights: { ...place, ...person, role: 1, ...counts, ...bounds, ...minutes } },
  room: { ...ofRooms, weights: { ...place, participants: 5, ...counts, ...minutes } },
  all: { noun: ['period', 'periods'], weights: { participants: 6, rooms: 5, ...counts, ...minutes } },
}

const usageShapes: Readonly<Record<'room' | 'all', SumShape>> = {
  room: {
    ...ofRooms,
    weights: { room_id: 0, room_name: 9, participants: 6, meetings: 5, ...minutes, peak: 7, peak_time: 3 },
  },
  all: {
    noun: ['month', 'months'],
    weights: { rooms: 5, participants: 9, meetings: 7, ...minutes, peak: 8, peak_time: 4 },
  },
}

/** Returns the fields and the columns of the rows of a report. */
export function selectReportView(
  grouping: Grouping,
  { absent = false, includeBlocked = false }: { absent?: boolean; includeBlocked?: boolean } = {},
): View {
  const { subject, unit, hasPeak } = grouping
  const { noun, id, weights, fields } = selectShape(grouping)
  const isUsed = (field: string) => absent || !['missed', 'counted_from'].includes(field)
  const isMarked = includeBlocked && (subject === 'meeting' || (subject === 'user' && unit === undefined))
  const all: Record<string, number> = {
    // The usage of each room is that of one month.
    ...(unit && { [unit]: hasPeak ? (subject ? 0 : 9) : 10 }),
    ...Object.fromEntries(Object.entries(weights).filter(([field]) => isUsed(field))),
    ...(isMarked && { blocked: 5 }),
  }
  // In a report by day, the number of days is always 1.
  if (unit === 'day' && 'days' in all) all['days'] = 0
  return {
    ...{ noun, ...(id && { id }) },
    fields: fields ? [...fields, ...(isMarked ? ['blocked'] : [])] : Object.keys(all),
    columns: Object.entries(all).flatMap(([field, weight]) => (weight > 0 ? [{ field, weight }] : [])),
  }
}

function selectShape(grouping: Grouping): Shape {
  const { subject = 'all', hasPeak } = grouping
  if (hasPeak) return usageShapes[subject === 'room' ? subject : 'all']
  const ofRoom = selectRoomSubject(grouping)
  return ofRoom ? roomShapes[ofRoom] : sumShapes[subject === 'session' ? 'all' : subject]
}
