import type { PresentPerson, RoomState, TimedWatchEvent } from './events.ts'

export interface RoomScene {
  room: RoomState
  online: number
  people: () => Iterable<PresentPerson>
}

export interface WatchOutput {
  tell(event: TimedWatchEvent): Promise<void>
  settle(scene: RoomScene): Promise<void>
  close(): Promise<void>
}
