import type { Person, RoomState, TimedWatchEvent } from './events.ts'

export interface Scene {
  room: RoomState
  online: number
  people: () => Iterable<Person>
}

export interface WatchOutput {
  tell(told: TimedWatchEvent): Promise<void>
  /** Called after all events of a poll. */
  settle(scene: Scene): Promise<void>
  close(): Promise<void>
}
