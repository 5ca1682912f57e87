import type { Person, RoomState, TimedWatchEvent } from './events.ts'

/** What there is to see of a room now. */
export interface Scene {
  room: RoomState
  online: number
  /** Who is there, in the order in which they were found. */
  people: () => Iterable<Person>
}

/** How a watch is shown: line by line to programs, as a view to people. */
export interface WatchOutput {
  /** Tells what happens, one after the other. */
  tell(told: TimedWatchEvent): Promise<void>
  /** All that a look has found has been told. */
  settle(scene: Scene): Promise<void>
  /** Leaves the terminal as it was. */
  close(): Promise<void>
}
