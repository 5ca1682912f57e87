import { readJson } from '../../api/json.ts'
import type { Clock } from '../common/clock.ts'
import { isObject } from '../common/values.ts'
import { toSize } from '../records/records.ts'
import type { MemberRow, PageRow, RoomRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { BroadcastQueue } from './broadcast-queue.ts'
import { type Frame, toFrame } from './frame.ts'
import type { Roster } from './roster.ts'
import type { ConnectedSession } from './session-control.ts'

interface RoomViewsOptions {
  store: Store
  clock: Clock
  roster: Roster<ConnectedSession>
  broadcasts: BroadcastQueue
  meetingMs(roomId: string): number | undefined
  currentMs(roomId: string, meetingMs: number): number
  onFailure(error: unknown): void
}

/** Minimum time between reports of changes, in milliseconds. Hundreds of people may join concurrently. */
const minIntervalMs = 250
const maxPeople = 200
const maxPages = 200

type View = 'room' | 'pages' | 'clock'

interface Viewed {
  readonly sessions: Set<ConnectedSession>
  readonly due: Set<View>
  /** Monotonic time of the last report of changes, in milliseconds; -Infinity before the first. */
  sentAt: number
  cancel: (() => void) | undefined
  /** Cached frame of the current pages, which all sessions share. */
  pages: Frame | undefined
}

/** Sender of room descriptions, such as people and pages, to the sessions that requested them. */
export class RoomViews {
  readonly #options: RoomViewsOptions
  readonly #rooms = new Map<string, Viewed>()

  constructor(options: RoomViewsOptions) {
    this.#options = options
  }

  /** Sends the room to a session, now and after changes. Call after the session is committed. */
  add(session: ConnectedSession): void {
    const { roomId } = session
    const none: Viewed = {
      ...{ sessions: new Set(), due: new Set(), sentAt: -Infinity },
      ...{ cancel: undefined, pages: undefined },
    }
    const viewed = this.#rooms.get(roomId) ?? none
    this.#rooms.set(roomId, viewed)
    viewed.sessions.add(session)
    this.#send(roomId, [session], ['room', 'pages'])
  }

  /** Sends a change, possibly later, to the sessions that requested the room. Call after the commit. */
  changed(roomId: string, view: View = 'room'): void {
    const viewed = this.#rooms.get(roomId)
    if (!viewed) return
    viewed.due.add(view)
    if (view === 'pages') viewed.pages = undefined
    if (viewed.cancel) return
    const { clock } = this.#options
    const waitMs = viewed.sentAt + minIntervalMs - clock.monotonic()
    if (waitMs <= 0) this.#sendDue(roomId, viewed)
    else viewed.cancel = clock.after(Math.ceil(waitMs), () => this.#sendDue(roomId, viewed))
  }

  /** Sends the meeting clocks. The room page treats 17 seconds without frames as a lost connection. */
  tick(): void {
    for (const [roomId, { sessions }] of this.#rooms) this.#send(roomId, [...sessions], ['clock'])
  }

  close(): void {
    for (const { cancel } of this.#rooms.values()) cancel?.()
    this.#rooms.clear()
  }

  #sendDue(roomId: string, viewed: Viewed): void {
    const { clock, roster } = this.#options
    const views = [...viewed.due]
    viewed.due.clear()
    viewed.cancel = undefined
    viewed.sentAt = clock.monotonic()
    for (const session of viewed.sessions) if (!roster.has(session)) viewed.sessions.delete(session)
    if (viewed.sessions.size === 0) this.#rooms.delete(roomId)
    else this.#send(roomId, [...viewed.sessions], views)
  }

  #send(roomId: string, sessions: readonly ConnectedSession[], views: readonly View[]): void {
    const { store, broadcasts, onFailure } = this.#options
    if (store.closed) return
    try {
      const room = store.one<RoomRow>('SELECT * FROM rooms WHERE id = ?', roomId)
      if (!room) return
      for (const view of views) {
        const frame = this.#createFrame(view, room)
        broadcasts.enqueue(roomId, sessions, ({ peer }) => peer.send(frame))
      }
    } catch (error) {
      onFailure(error)
    }
  }

  #createFrame(view: View, room: RoomRow): Frame {
    if (view === 'room') return toFrame(this.#describeRoom(room))
    if (view === 'clock') return toFrame({ event: 'clock', meeting: this.#meeting(room) })
    const viewed = this.#rooms.get(room.id)
    const frame = viewed?.pages ?? toFrame(this.#describePages(room))
    if (viewed) viewed.pages = frame
    return frame
  }

  #describeRoom(room: RoomRow) {
    const { store, roster } = this.#options
    const connections = new Map<string, number>()
    for (const { memberId } of roster.listRoomSessions(room.id))
      connections.set(memberId, (connections.get(memberId) ?? 0) + 1)
    const people = [...connections].slice(0, maxPeople).flatMap(([member_id, connections]) => {
      const member = store.one<MemberRow>('SELECT * FROM members WHERE id = ?', member_id)
      if (!member) return []
      return [{ member_id, name: member.name ?? member.user_id, type: member.type, connections }]
    })
    return {
      event: 'room',
      room: { id: room.id, name: room.name, type: room.type },
      people,
      more_people: connections.size - people.length,
      meeting: this.#meeting(room),
    }
  }

  #meeting({ id, meeting_ms, meeting_from_ms, max_meeting_seconds: max }: RoomRow) {
    const running = this.#options.meetingMs(id)
    const elapsed = Math.round(running ?? meeting_ms)
    return {
      is_running: running !== undefined,
      elapsed_ms: this.#options.currentMs(id, elapsed),
      remaining_ms: max === null ? null : Math.max(0, max * 1000 - (elapsed - meeting_from_ms)),
    }
  }

  #describePages({ id: roomId }: RoomRow) {
    const { store } = this.#options
    const sql = 'SELECT * FROM pages WHERE room_id = ? ORDER BY position, seq LIMIT ?'
    const pages = store.all<PageRow>(sql, roomId, maxPages).map((row) => ({
      id: row.id,
      size: toSize(row),
      images: readImages(row.entities),
    }))
    return { event: 'pages', pages }
  }
}

/** Returns each `src` of a page's entities. The API specification (“Page”) shows only image entities. */
function readImages(entities: string): string[] {
  const list = readJson(entities)
  if (!Array.isArray(list)) return []
  return list.flatMap((entity) =>
    isObject(entity) && typeof entity['src'] === 'string' ? [entity['src']] : [],
  )
}
