import type { PresentPerson, TimedWatchEvent } from './events.ts'

export interface PlacedPerson extends PresentPerson {
  room_id: string
}

export interface WatchScene {
  online: number
  /** Number of rooms with people. */
  inUse: number
  /** Lists the people of each room in order of arrival. */
  people: () => Iterable<PlacedPerson>
}

export interface WatchOutput {
  tell(event: TimedWatchEvent): Promise<void>
  settle(scene: WatchScene): Promise<void>
  close(): Promise<void>
}
