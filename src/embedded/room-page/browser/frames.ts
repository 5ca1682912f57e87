export interface Session {
  room_id: string
  member_id: string
  type: string
}

export interface Meeting {
  is_running: boolean
  /** Time of the current meeting, without earlier meetings in the room. */
  elapsed_ms: number
  /** Null without a limit. */
  remaining_ms: number | null
}

export interface Person {
  member_id: string
  /** Null only for an anonymous participant. */
  name: string | null
  type: string
  connections: number
}

export interface Page {
  id: string
  size: { width: number; height: number } | null
  images: readonly string[]
}

export interface RoomFrame {
  event: 'room'
  room: { id: string; name: string | null; type: string }
  people: readonly Person[]
  more_people: number
  meeting: Meeting
}

/** Frames that this page handles. Other frames are ignored. */
export type Frame =
  | { event: 'joined'; session: Session }
  | { event: 'message'; message: string }
  | { event: 'pages'; pages: readonly Page[] }
  | { event: 'clock'; meeting: Meeting }
  | RoomFrame
